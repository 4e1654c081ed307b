"""The paper's set metrics and local boundary: each method on the non-linear models, for each k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ifonly import explain, metrics, recipes
from ifonly.answers import Answers
from ifonly.paper.authors.facts import DIVERSE, OURS, RADII, SPARSE
from ifonly.paper.experiments.subjects import Subject, subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan

RECIPES: Mapping[str, Callable[..., Answers]] = {
    "SingleCF": recipes.single_cf,
    "RandomInitCF": recipes.random_init_cf,
    "RandomInitCF-Sparse": partial(recipes.random_init_cf, sparse=True),
    "NoDiversityCF": recipes.no_diversity_cf,
    "NoDiversityCF-Sparse": partial(recipes.no_diversity_cf, sparse=True),
    DIVERSE: recipes.diverse_cf,
    SPARSE: recipes.diverse_cf_sparse,
}
METHODS = (*RECIPES, OURS)
FIGURES = ("precision", "recall", "f1", "accuracy", "share")


def cells(plan: Plan) -> list[Cell]:
    """Every data set, method and k; SingleCF gives one counterfactual whatever is asked."""
    return [
        Cell("sets", data, "ann", method, k)
        for data in plan.data
        for method in METHODS
        for k in plan.ks
        if method != "SingleCF" or k == 1
    ]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line per row: its set metrics, and how well it predicts the boundary at each radius."""
    asked = subject(plan, store, cell.data, cell.model)
    answers = answered(asked, cell.method, cell.k, plan.seed)
    frame = measured(asked, answers)
    figures = metrics.boundary(
        answers, asked.model, RADII, samples=plan.samples, within=plan.within, seed=plan.seed
    )
    return frame.join(wide(figures))


def answered(asked: Subject, method: str, k: int, seed: int) -> Answers:
    """The answers of a method to the rows of a subject."""
    if method in RECIPES:
        recipe = RECIPES[method]
        return recipe(asked.model, asked.rows, k=k, seed=seed, **asked.explain_options())
    return explain(
        asked.model,
        asked.rows,
        data=asked.train.features,
        categorical=asked.train.categorical,
        target=list(asked.wanted),
        k=k,
        seed=seed,
    )


def measured(asked: Subject, answers: Answers) -> pd.DataFrame:
    """One line per row: what it wants, its status and its set metrics."""
    frame: pd.DataFrame = answers.metrics().reset_index(drop=True)
    frame.insert(1, "outcome", asked.outcomes)
    return frame


def wide(figures: pd.DataFrame) -> pd.DataFrame:
    """The figures of each radius side by side: 'f1 at 0.5'."""
    parts = {
        f"{name} at {radius:g}": part.set_index("query")[name]
        for radius, part in figures.groupby("radius")
        for name in FIGURES
    }
    return pd.DataFrame(parts, index=np.sort(figures["query"].unique()))


def cost(cell: Cell, plan: Plan) -> float:
    """The seconds of a descent grow with k, those of the sampled points with rows."""
    descent = 0.0 if cell.method == OURS else 0.0006 * cell.k**1.05
    return 0.2 + plan.rows * (descent + 0.002 + 1e-7 * plan.samples * (cell.k + 5))


EXPERIMENT = Experiment("sets", cells, run, uses=("rows", "seed", "samples", "within"), cost=cost)
