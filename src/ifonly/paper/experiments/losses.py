"""Why the paper takes a hinge loss: how often answers end at the far end of a feature's range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ifonly import recipes
from ifonly.paper.experiments.subjects import subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan

LOSSES = ("hinge", "l1", "l2")
ROWS = 100


def cells(plan: Plan) -> list[Cell]:
    """Every data set and loss, at k = 4."""
    return [Cell("losses", data, "ann", loss, 4) for data in plan.data for loss in LOSSES]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line: how many answers change a number, and how many to its highest or lowest value."""
    asked = subject(plan, store, cell.data, cell.model)
    answers = recipes.diverse_cf(
        asked.model,
        asked.rows[:ROWS],
        space=asked.space,
        target=list(asked.wanted[:ROWS]),
        k=cell.k,
        seed=plan.seed,
        yloss=cell.method,
    )
    numeric = asked.space.continuous
    points, changed = answers.points[answers.filled], answers.changed()[answers.filled]
    top = (changed & (points == asked.space.high))[:, numeric].any(axis=1)
    bottom = (changed & (points == asked.space.low))[:, numeric].any(axis=1)
    line = {
        "answers": int(answers.filled.sum()),
        "valid_unique": float(answers.filled.mean()),
        "at_highest": float(top.mean()),
        "at_lowest": float(bottom.mean()),
        "distance": float(np.nanmean(answers.metrics()["distance"])),
        "score": float(np.nanmean(answers.score)),
    }
    return pd.DataFrame([line])


EXPERIMENT = Experiment(
    "losses", cells, run, cost=lambda cell, plan: 0.5 + 0.004 * min(ROWS, plan.rows)
)
