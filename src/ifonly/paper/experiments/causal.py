"""The paper's causal figure: how many changes of education nobody could follow.

`feasibility` has the experiment, over rules; here it gets Adult's network over a space in which
degrees have an order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ifonly.models.adapters.dense import Dense
from ifonly.paper.authors.facts import SPARSE
from ifonly.paper.experiments.feasibility import causal_feasibility
from ifonly.paper.experiments.subjects import Subject, subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan
from ifonly.space import Categorical, Space

DEGREES = (
    "School",
    "HS-grad",
    "Some-college",
    "Assoc",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
)


def cells(plan: Plan) -> list[Cell]:
    """Adult at k = 4: without rules, filtered afterwards, and with rules in the search."""
    return [Cell("causal", "adult", "ann", SPARSE, 4)] if "adult" in plan.data else []


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line a way to treat the rules and a group of rows: answers, changes, infeasible ones."""
    asked = subject(plan, store, cell.data, cell.model)
    space = Space.infer(
        asked.train.features,
        categorical=asked.train.categorical,
        ordinal={"education": list(DEGREES)},
    )
    return causal_feasibility(
        _over(asked, space),
        asked.rows,
        space=space,
        target=list(asked.wanted),
        k=cell.k,
        seed=plan.seed,
    )


def _over(asked: Subject, space: Space) -> Dense:
    """The subject's network over a space with the same levels in another order."""
    own = _columns(asked.space)
    order = np.array([own.index(column) for column in _columns(space)])
    (kernel, bias), *rest = asked.model.layers
    return Dense([(kernel[order], bias), *rest], space, asked.model.classes)


def _columns(space: Space) -> list[tuple[str, Any]]:
    return [
        (feature.name, level)
        for feature in space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]


EXPERIMENT = Experiment("causal", cells, run, cost=lambda cell, plan: 0.5 + 0.01 * plan.rows)
