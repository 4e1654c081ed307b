"""The choice of lambda1 and lambda2: proximity and diversity of DiverseCF over a grid of both."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ifonly import recipes
from ifonly.paper.authors.facts import DIVERSE
from ifonly.paper.experiments.subjects import subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan

LAMBDA1 = (0.1, 0.25, 0.5, 1.0, 2.0)
LAMBDA2 = (0.25, 0.5, 1.0, 2.0)
CHOSEN = (0.5, 1.0)
"""The paper's choice."""
ROWS = 100
METRICS = ("valid_unique", "distance", "pairwise_distance", "det", "objective", "changed")


def cells(plan: Plan) -> list[Cell]:
    """One grid a data set, at k = 4."""
    return [Cell("lambdas", data, "ann", DIVERSE, 4) for data in plan.data]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line a pair of lambdas: the mean metrics of the sets that they give."""
    asked = subject(plan, store, cell.data, cell.model)
    rows, wanted = asked.rows[:ROWS], list(asked.wanted[:ROWS])
    lines = []
    for lambda1 in LAMBDA1:
        for lambda2 in LAMBDA2:
            answers = recipes.diverse_cf(
                asked.model,
                rows,
                space=asked.space,
                target=wanted,
                k=cell.k,
                seed=plan.seed,
                lambda1=lambda1,
                lambda2=lambda2,
            )
            means = answers.metrics()[list(METRICS)].mean()
            lines.append({"lambda1": lambda1, "lambda2": lambda2, **means})
    return pd.DataFrame(lines)


EXPERIMENT = Experiment(
    "lambdas", cells, run, cost=lambda cell, plan: 1 + 0.06 * min(ROWS, plan.rows)
)
