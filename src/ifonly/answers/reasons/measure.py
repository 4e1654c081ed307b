"""How much each feature had to do with a row's outcome: weights, sufficiency, necessity.

Rules are not looked at, nor are causes: the question is what the decision rested on, not what
somebody can do. Every feature is moved through its values in the data, the others kept. Its weight
is the share of the gap to the threshold that its best value closes; it may be more than 1. It
*suffices* where that value alone gives the wanted outcome, and is *needed* where no values of all
the other features were found that give it. The user's own model says both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.answers.questions.responsiveness import values_of
from ifonly.answers.reasons.asking import Asker, Values
from ifonly.answers.reasons.minimal import Moves, ranked
from ifonly.answers.views import shown_features
from ifonly.models import Counted

MOST_VALUES = 200
"""The most values of a number that are tried; of more, so many that are evenly spread."""
MOST_REASONS = 4
"""More are not likely to help: comment 1 on 12 CFR 1002.9(b)(2)."""
DIGITS = 9
"""The decimals of gaps and weights; further ones depend on how many rows are asked together."""
LEAST = 0.01
"""A feature that closes a smaller share of the gap is no reason by itself."""


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured of q rows and f features; columns that are one category are one."""

    features: tuple[str, ...]
    """[f] their names."""
    scale: str
    """What the gap is measured in: 'log odds', 'score' or 'number'."""
    gap: np.ndarray
    """[q] how far each row is from the threshold; NaN where it has the wanted outcome."""
    weight: np.ndarray
    """[q, f] the share of the gap that a feature closes at the most; NaN where there is none."""
    better: np.ndarray
    """[q, d] the codes with which it does."""
    suffices: np.ndarray
    """bool [q, f] whether it gives the wanted outcome alone."""
    needed: np.ndarray
    """bool [q, f] whether a reason is needed: nothing was found that is enough without it."""
    actionable: np.ndarray
    """bool [q, f] whether the rules on the feature allow a value that closes a part of the gap."""
    together: np.ndarray
    """bool [q, f] a smallest set: these give the outcome together, and none can be taken back."""
    order: np.ndarray
    """[q, n] the reasons: positions of features, the greatest weight first; -1 beyond them."""
    model_rows: int
    model_calls: int


def measured(answers: AnswerData, most: int = MOST_REASONS) -> Measured:
    """The weights and the reasons of every row, in few calls of the model for all of them."""
    source = answers.asked_further()
    ask = Asker(source, Counted(source.setting.model, source.setting.route))
    values, x = _values(answers), source.batch.x
    q, f = len(answers), len(values.shown)
    known = np.flatnonzero(source.batch.known)
    margin, met = np.full(q, np.nan), np.ones(q, dtype=bool)
    margin[known], met[known] = ask.own(x[known], known)
    rows = np.flatnonzero(~met)
    better, actionable = _best(ask, values, rows)
    weight, suffices = np.full((q, f), np.nan), np.zeros((q, f), dtype=bool)
    moves = Moves(ask, values, x, better, weight)
    for part in ask.parts(rows, f):
        each = np.broadcast_to(np.eye(f, dtype=bool), (len(part), f, f))
        reached, suffices[part] = ask.own(moves.made(part, each), part)
        gap = np.where(margin[part] < 0, -margin[part], np.nan)[:, None]
        share = (reached - margin[part, None]) / gap
        # Where decisions do not follow the scores there is no gap: a feature flips them or not.
        share = np.maximum(np.where(np.isnan(share), suffices[part], share), 0.0)
        weight[part] = np.round(share, DIGITS)
    together = np.zeros((q, f), dtype=bool)
    together[rows] = moves.smallest(rows)
    alone = rows[~together[rows].any(axis=1)]
    if len(alone):
        found = moves.searched(alone)
        together[alone] = found.smallest(alone)
        by_set = together[:, values.column_owner]
        moves = replace(moves, better=np.where(by_set, found.better, better))
    order = _order(weight, together, most)
    owners, places = np.nonzero(order >= 0)
    reasons, needed = order[owners, places], np.zeros((q, f), dtype=bool)
    # The smallest set does without all others: it is their witness.
    asked = together[owners, reasons] | ~together[owners].any(axis=1)
    owners, reasons = owners[asked], reasons[asked]
    if len(owners):
        needed[owners, reasons] = moves.needed(owners, reasons)
    return Measured(
        tuple(one.name for one in values.shown),
        ask.scale.name,
        np.where(met | (margin >= 0), np.nan, np.round(-margin, DIGITS)),
        weight,
        moves.better,
        suffices,
        needed,
        actionable,
        together,
        order,
        ask.model.rows,
        ask.model.calls,
    )


def _values(answers: AnswerData) -> Values:
    """The values that each feature is moved through: those of the data, where they may be shown."""
    assert answers.source is not None
    space, known = answers.space, answers.source.setting.readable
    shown = shown_features(replace(space, labels={}))
    given = known is not None and known.given and known.shared
    data = space.round(known.data) if known is not None and given else None
    return Values(shown, [values_of(space, one, data, MOST_VALUES) for one in shown])


def _best(ask: Asker, values: Values, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[q, d] the best codes of rows, feature by feature, and bool [q, f]: rules allow better ones.

    Of equal values the nearest to the row's own is the best; a feature that nothing helps stays.
    """
    source, count = ask.source, int(values.ends[-1])
    x, better = source.batch.x, source.batch.x.copy()
    allowed = np.zeros((len(x), len(values.shown)), dtype=bool)
    parts = [part[np.isin(part, rows)] for part in source.batch.chunks(ask.most // count + 1)]
    for part in (part for part in parts if len(part)):
        points = values.around(x[part])
        now = ask.by_route(x[part], part)
        reached = ask.by_route(points, part)
        problem = source.batch.pose(source.setting, ask.model, part)
        inside = (problem.box if problem.limits is None else problem.limits).contains(points)
        for place, one in enumerate(values.shown):
            own = slice(values.ends[place], values.ends[place + 1])
            closes = reached[:, own] > now[:, None]
            top = reached[:, own] == reached[:, own].max(axis=1, keepdims=True)
            best = np.where(top, values.apart(place, x[part]), np.inf).argmin(axis=1)
            helped = closes.any(axis=1)
            moved = points[np.arange(len(part)), own.start + best][:, one.columns]
            better[part[helped][:, None], one.columns] = moved[helped]
            fits = inside[:, own][:, :, one.columns].all(axis=-1)
            allowed[part, place] = (fits & closes).any(axis=1)
    return better, allowed


def _order(weight: np.ndarray, together: np.ndarray, most: int) -> np.ndarray:
    """[q, n] the reasons: what closes a part of the gap, and what only does so together."""
    counts = (np.nan_to_num(weight) >= LEAST) | together
    order = ranked(np.where(counts, weight, -1.0), together)[:, :most]
    return np.where(np.take_along_axis(counts, order, axis=1), order, -1)
