"""The paper's qualitative table: the rows that it prints, answered by its method and by ifonly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ifonly import explain
from ifonly.answers import Answers
from ifonly.datasets import load
from ifonly.paper.authors.facts import OURS, SPARSE
from ifonly.paper.experiments.sets import RECIPES
from ifonly.paper.experiments.subjects import Subject, subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan
from ifonly.render.view import value_text

# The original inputs of the table 'Examples of generated counterfactuals', and its column names.
PRINTED: Mapping[str, Mapping[str, tuple[str, Any]]] = {
    "adult": {
        "hours_per_week": ("HrsWk", 45),
        "education": ("Education", "HS-grad"),
        "occupation": ("Occupation", "Service"),
        "workclass": ("WorkClass", "Private"),
        "race": ("Race", "White"),
        "age": ("AgeYrs", 22),
        "marital_status": ("MaritalStat", "Single"),
        "gender": ("Sex", "Female"),
    },
    "lending_club": {
        "emp_length": ("EmpYrs", 7),
        "annual_inc": ("Inc$", 69996),
        "open_acc": ("#Ac", 4),
        "credit_years": ("CrYrs", 26),
        "grade": ("LoanGrade", "D"),
        "home_ownership": ("HomeOwner", "MORTGAGE"),
        "purpose": ("Purpose", "debt"),
        "addr_state": ("State", "NY"),
    },
    "compas": {
        "priors_count": ("PriorsCount", 10),
        "c_charge_degree": ("CrimeDegree", "F"),
        "race": ("Race", "African-American"),
        "age_cat": ("Age", "Greater than 45"),
        "sex": ("Sex", "Female"),
    },
}
SAME = "---"
"""What stands where nothing changes."""


def cells(plan: Plan) -> list[Cell]:
    """The three data sets of the table, each by the paper's method and by ifonly."""
    return [
        Cell("qualitative", data, "ann", method, 4)
        for data in PRINTED
        if data in plan.data
        for method in (SPARSE, OURS)
    ]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """The original input and its answers, a line each, in the paper's columns."""
    asked = subject(plan, store, cell.data, cell.model)
    desired = load(cell.data).desired
    row = _row(asked, cell.data, desired)
    answers = _answered(asked, row, desired, cell, plan.seed)
    names = [name for name in PRINTED[cell.data] if name in asked.space.names]
    view = answers.views()[0]
    lines = [["Original input", *(value_text(view.values[name]) for name in names), view.score]]
    for answer in view.answers:
        after = {change.feature: value_text(change.after) for change in answer.changes}
        lines.append(["Counterfactual", *(after.get(n, SAME) for n in names), answer.score])
    titles = [PRINTED[cell.data][name][0] for name in names]
    return pd.DataFrame(lines, columns=["line", *titles, "score"])


def _row(asked: Subject, data: str, desired: int) -> pd.DataFrame:
    """The paper's own row where the model refuses it, else the first row that it refuses."""
    values = {name: [value] for name, (_, value) in PRINTED[data].items()}
    printed = pd.DataFrame(values)[list(asked.space.names)]
    said = asked.model.scores(asked.space.codes(printed)).argmax(axis=1)[0]
    if asked.model.classes[said] != desired:
        return printed
    first = next(place for place, one in enumerate(asked.wanted) if one == desired)
    return asked.rows.iloc[[first]]


def _answered(asked: Subject, row: pd.DataFrame, desired: int, cell: Cell, seed: int) -> Answers:
    options: dict[str, Any] = {"target": desired, "k": cell.k, "seed": seed}
    if cell.method in RECIPES:
        return RECIPES[cell.method](asked.model, row, space=asked.space, **options)
    train = asked.train
    return explain(asked.model, row, data=train.features, categorical=train.categorical, **options)


EXPERIMENT = Experiment("qualitative", cells, run, uses=("seed", "rows"), cost=lambda *_: 0.5)
