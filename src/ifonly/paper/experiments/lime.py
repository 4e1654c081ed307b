"""LIME beside the counterfactuals: its linear model's own guess about the neighbourhood of a row.

LIME (Ribeiro et al. 2016) fits a linear model to 5,000 samples around a row. As in the paper, what
that model itself predicts of the sampled points is compared with the network, at 0.5: the intercept
plus the weight of every feature whose value, or quartile, is the row's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import MissingExtra
from ifonly.metrics import around
from ifonly.metrics.boundary import agreement
from ifonly.paper.authors.facts import LIME, RADII
from ifonly.paper.experiments.sets import wide
from ifonly.paper.experiments.subjects import Subject, subject
from ifonly.paper.runs.cells import Cell, Experiment, Plan

SAMPLES = 5000


def cells(plan: Plan) -> list[Cell]:
    """One cell a data set: LIME gives one model a row, whatever k."""
    return [Cell("lime", data, "ann", LIME) for data in plan.data]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line per row: what it wants, and how well LIME predicts the boundary at each radius."""
    asked = subject(plan, store, cell.data, cell.model)
    x = asked.space.codes(asked.rows)
    explainer = _explainer(asked, plan.seed)
    linear = [_linear(explainer, asked, row, wanted) for row, wanted in _pairs(asked, x)]
    lines = []
    for radius in RADII:
        points = around(asked.space, x, radius, plan.samples, within=plan.within, seed=plan.seed)
        for query, (intercept, weights) in enumerate(linear):
            near = points[query]
            same = _parts(explainer, near) == _parts(explainer, x[query : query + 1])
            guess = intercept + same @ weights > 0.5
            truth = _has(asked, near, asked.wanted[query])
            figures = agreement(truth[None], guess[None])
            line = {name: float(values[0]) for name, values in figures.items()}
            lines.append({"query": query, "radius": radius, **line})
    outcome = pd.DataFrame({"query": range(len(x)), "outcome": asked.outcomes})
    return outcome.join(wide(pd.DataFrame(lines)))


def _explainer(asked: Subject, seed: int) -> Any:
    try:
        from lime.lime_tabular import LimeTabularExplainer
    except ImportError:
        raise MissingExtra("lime", "paper") from None
    space = asked.space
    return LimeTabularExplainer(
        space.codes(asked.train.features),
        feature_names=list(space.names),
        categorical_features=np.flatnonzero(~space.continuous).tolist(),
        discretize_continuous=True,
        random_state=seed,
    )


def _linear(
    explainer: Any, asked: Subject, row: np.ndarray, wanted: int
) -> tuple[float, np.ndarray]:
    """The intercept and the weights [d] of LIME's model of a wanted outcome."""
    d = len(asked.space)
    place = asked.model.classes.index(wanted)
    local = explainer.explain_instance(
        row, asked.model.scores, labels=(place,), num_features=d, num_samples=SAMPLES
    )
    weights = np.zeros(d)
    for feature, weight in local.local_exp[place]:
        weights[feature] = weight
    return float(local.intercept[place]), weights


def _parts(explainer: Any, points: np.ndarray) -> np.ndarray:
    """[n, d] what LIME sees of points: the quartile of a number, the level of a category."""
    return np.asarray(explainer.discretizer.discretize(points))


def _pairs(asked: Subject, x: np.ndarray) -> Any:
    return zip(x, asked.wanted, strict=True)


def _has(asked: Subject, points: np.ndarray, wanted: int) -> np.ndarray:
    place = asked.model.classes.index(wanted)
    return np.asarray(np.asarray(asked.model.scores(points)).argmax(axis=1) == place)


EXPERIMENT = Experiment(
    "lime",
    cells,
    run,
    uses=("rows", "seed", "samples", "within"),
    cost=lambda cell, plan: 1 + 0.02 * plan.rows,
)
