"""The measures of groups, for one weighting of the rows or for many at once.

Nearly all are means: what some rows have, over how many rows it is counted. A matrix of weights
[b, n] of bootstrap draws times a matrix [n, m] of what each row has gives all of them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.fairness.facts import Facts

MEASURES = {
    "selection_rate": +1,
    "reach": +1,
    "proved_none": -1,
    "not_found": -1,
    "effectiveness": +1,
    "cost": -1,
    "burden": -1,
    "changes": -1,
    "choice": +1,
    "flips": -1,
    "flips_causal": -1,
    "usual": +1,
    "agreement": +1,
    "tolerated": +1,
}
"""The measures of a group, and whether more of one is better (1) or worse (-1) for it."""
SLACK = 1e-9
"""A share that rounding alone keeps below what is asked for has reached it."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Means over q rows: of column j, the sum of `value` over the sum of `among`."""

    names: tuple[str, ...]
    """[m] of the measures; features and budgets follow without a name."""
    value: np.ndarray
    """[q, m + 3 f + g]"""
    among: np.ndarray
    """[q, m + 3 f + g] 1 where a row counts, else 0."""
    endless: np.ndarray
    """bool [m + 3 f + g] the means that are infinite where refused rows are there, none reached."""
    searched: np.ndarray
    """[q] 1 for the refused rows that were searched."""
    cost: np.ndarray
    """[q] the cost of these; NaN for others."""
    works: np.ndarray
    """[q, s] which common actions are answers to them."""


def counted(facts: Facts, attribute: str, within: float, grid: np.ndarray) -> Counts:
    """What is counted of each row: the measures, the features thrice, and the curve at a grid."""
    q, r = len(facts.accepted), len(facts.refused)
    searched, cost = np.zeros(q), np.full(q, np.nan)
    searched[facts.refused], cost[facts.refused] = 1.0, facts.cost
    found, every = np.isfinite(facts.cost), np.ones(r)
    changed = facts.changed & found[:, None]
    means: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "reach": (found, every),
        "proved_none": (facts.proved_none, every),
        "not_found": (~found & ~facts.proved_none, every),
        "effectiveness": (facts.cost <= within, every),
        "burden": (np.where(found, facts.cost, 0.0), found),
        "changes": (changed.sum(axis=1), found),
    }
    of_rows = {"flips": facts.flips.get(attribute), "flips_causal": facts.follows.get(attribute)}
    for name, values in {**of_rows, **facts.demanded}.items():
        if values is not None:
            means[name] = (np.nan_to_num(values), ~np.isnan(values))
    value = [np.stack([one for one, _ in means.values()], axis=1), changed]
    among = [np.stack([one for _, one in means.values()], axis=1)]
    among.append(np.broadcast_to(found[:, None], changed.shape))
    for asked in (facts.responsive, facts.reasons):
        value, among = [*value, np.nan_to_num(asked)], [*among, ~np.isnan(asked)]
    value, among = [*value, facts.cost[:, None] <= grid], [*among, np.ones((r, len(grid)))]
    names = ("selection_rate", *means)
    values = _spread(np.concatenate(value, axis=1), facts.refused, facts.accepted)
    counts = _spread(np.concatenate(among, axis=1), facts.refused, np.ones(q))
    works = np.zeros((q, facts.works.shape[1]))
    works[facts.refused] = facts.works
    endless = np.zeros(values.shape[1], dtype=bool)
    endless[[names.index("burden"), names.index("changes")]] = True
    return Counts(names, values, counts, endless, searched, cost, works)


def _spread(parts: np.ndarray, refused: np.ndarray, first: np.ndarray) -> np.ndarray:
    """[q, 1 + m] a first column of all rows, and parts [r, m] of the refused ones; 0 elsewhere."""
    whole = np.zeros((len(first), 1 + parts.shape[1]))
    whole[refused, 1:], whole[:, 0] = parts, first
    return whole


def measured(
    counts: Counts, rows: np.ndarray, weights: np.ndarray, share: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a group's rows [n], weighted by [b, n]: means [b, m + 3 f + g], cost and choice [b].

    Nothing (NaN) where no row counts; infinite where refused rows count, and none is reached.
    """
    among = weights @ counts.among[rows]
    total = weights @ counts.searched[rows]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(among > 0, weights @ counts.value[rows] / among, np.nan)
        shares = weights @ counts.works[rows] / total[:, None]
    means[np.isnan(means) & counts.endless & (total > 0)[:, None]] = np.inf
    choice = np.where(total > 0, (shares >= share - SLACK).sum(axis=1), np.nan)
    return means, _cost_of(counts, rows, weights, share), choice


def _cost_of(counts: Counts, rows: np.ndarray, weights: np.ndarray, share: float) -> np.ndarray:
    """[b] the least budget within which a share of the refused rows has an answer."""
    here = np.flatnonzero(counts.searched[rows])
    order = here[np.argsort(counts.cost[rows][here], kind="stable")]
    if not len(order):
        return np.full(len(weights), np.nan)
    upto = np.cumsum(weights[:, order], axis=1)
    total = upto[:, -1:]
    place = (upto >= share * total - SLACK).argmax(axis=1)
    return np.where(total[:, 0] > 0, counts.cost[rows][order][place], np.nan)
