"""RobX of Dutta et al. (ICML 2022), for tables with categories.

A counterfactual is stable where the model's mean score over Gaussian neighbours, less their
standard deviation, reaches a threshold. From the nearest counterfactual, one moves toward the
nearest training rows that are stable, and stops at the first stable point. Numbers move along the
line; a category takes the neighbour's level after half of the way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import ifonly

NEIGHBOURS, DRAWS, WIDTH, LEVEL, STEPS = 5, 50, 0.1, 0.6, 11


def robx(
    model: Any, train: pd.DataFrame, rows: pd.DataFrame, wanted: Any, fixed: tuple[str, ...]
) -> tuple[pd.DataFrame, np.ndarray]:
    """One counterfactual per row, and bool [q]: which rows have one."""
    place = list(model.classes_).index(wanted)
    first = ifonly.explain(
        model,
        rows,
        data=train,
        target=wanted,
        k=1,
        rules=[ifonly.fixed(*fixed)] if fixed else [],
        method="auto",
    )
    numbers = list(train.select_dtypes("number"))
    scale = train[numbers].std().replace(0, 1.0)
    rng = np.random.default_rng(0)

    def stable(points: pd.DataFrame) -> np.ndarray:
        many = points.loc[points.index.repeat(DRAWS)].reset_index(drop=True)
        noise = rng.normal(0, WIDTH, (len(many), len(numbers))) * scale.to_numpy()
        many[numbers] = many[numbers].to_numpy(dtype=float) + noise
        scores = model.predict_proba(many)[:, place].reshape(-1, DRAWS)
        own = model.predict_proba(points)[:, place] >= LEVEL
        return np.asarray(own & (scores.mean(axis=1) - scores.std(axis=1) >= LEVEL))

    good = train[stable(train.reset_index(drop=True))].reset_index(drop=True)
    found, kept = rows.copy(), np.zeros(len(rows), dtype=bool)
    starts = first.frame().set_index("query")
    metric, space = first.metric, first.space
    for place_of_row in range(len(rows)):
        if place_of_row not in starts.index:
            continue
        row = rows.iloc[[place_of_row]]
        near = good[(good[list(fixed)] == row[list(fixed)].to_numpy()).all(axis=1)]
        if not len(near):
            continue
        start = starts.loc[[place_of_row], list(train)]
        cost = metric.cost(space.codes(near)[None], space.codes(start)[:, None])[0]
        best, least = None, np.inf
        for other in np.argsort(cost)[:NEIGHBOURS]:
            way = _way(start, near.iloc[[other]], numbers)
            at = np.flatnonzero(stable(way))
            if not len(at):
                continue
            point = way.iloc[[at[0]]]
            far = float(metric.cost(space.codes(point)[None], space.codes(row)[None])[0, 0])
            if far < least:
                best, least = point, far
        if best is not None:
            found.iloc[place_of_row] = best.iloc[0]
            kept[place_of_row] = True
    return found, kept


def _way(start: pd.DataFrame, end: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """Points from one row to another."""
    way = pd.concat([start] * (STEPS // 2) + [end] * (STEPS - STEPS // 2), ignore_index=True)
    shares = np.linspace(0, 1, STEPS)[:, None]
    ends = start[numbers].to_numpy(dtype=float), end[numbers].to_numpy(dtype=float)
    moved = ends[0] + shares * (ends[1] - ends[0])
    for j, name in enumerate(numbers):
        whole = pd.api.types.is_integer_dtype(start[name])
        way[name] = np.round(moved[:, j]).astype(int) if whole else moved[:, j]
    return way
