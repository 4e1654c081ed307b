"""DiverseCF against MixedIntegerCF (Russell 2019), and ifonly, on the linear models.

The paper averages over the rows where MixedIntegerCF found all k; the report does so too, and over
all rows. `ifonly.recipes.mixed_integer_cf` is taken where this version has it.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ifonly import recipes
from ifonly.answers import Answers
from ifonly.errors import OptionError
from ifonly.paper.authors.facts import DIVERSE, EXACT, OURS
from ifonly.paper.experiments.sets import answered, measured
from ifonly.paper.experiments.subjects import Subject, subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan

METHODS = (DIVERSE, EXACT, OURS)


def cells(plan: Plan) -> list[Cell]:
    """Every data set, method and k."""
    return [
        Cell("linear", data, "linear", method, k)
        for data in plan.data
        for method in METHODS
        for k in plan.ks
    ]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line per row: its set metrics."""
    asked = subject(plan, store, cell.data, cell.model)
    if cell.method == EXACT:
        return measured(asked, _mixed_integer(asked, cell.k, plan.seed))
    return measured(asked, answered(asked, cell.method, cell.k, plan.seed))


def _mixed_integer(asked: Subject, k: int, seed: int) -> Answers:
    recipe = getattr(recipes, "mixed_integer_cf", None)
    if recipe is None:
        raise OptionError("This version of ifonly has no recipe mixed_integer_cf.")
    answers: Answers = recipe(asked.model, asked.rows, k=k, seed=seed, **asked.explain_options())
    return answers


EXPERIMENT = Experiment(
    "linear", cells, run, cost=lambda cell, plan: 0.2 + plan.rows * 0.0006 * (cell.k + 1)
)
