"""The authors' published counterfactuals, through the 1-nearest-neighbour test of this library.

Their recorded figures come from samples that are less free than the paper says. Their code starts
its random numbers again from one seed for every feature, which ties the columns together (features
as wide as each other are drawn alike), and what it guesses from counterfactuals after the sparsity
step still counts the ones before it. 'tied' draws as they did; 'sphere' and 'box' are independent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ifonly.datasets import load
from ifonly.metrics import around
from ifonly.metrics.boundary import agreement
from ifonly.metrics.sampling import SHAPES
from ifonly.paper.authors.facts import DATA, DIVERSE, RADII, SPARSE
from ifonly.paper.authors.records import Records
from ifonly.paper.runs.cells import Cell, Experiment, Plan
from ifonly.space import Categorical, Continuous, Metric, Space

SEED, SAMPLES, TIED = 17, 1000, "tied"
FIGURES = ("precision", "recall", "f1", "accuracy")
VARIANTS = {DIVERSE: "plain", SPARSE: "sparse"}


def cells(plan: Plan) -> list[Cell]:
    """One cell, where the authors' records are at hand: they hold Adult's at k = 4."""
    if plan.records is None or "adult" not in plan.data:
        return []
    return [Cell("echo", "adult", "ann", DIVERSE, 4)]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line a variant, sampling, radius and outcome: mean precision, recall and F1."""
    assert plan.records is not None
    return pd.DataFrame(list(_lines(Records(plan.records), plan.seed)))


def tied(space: Space, x: np.ndarray, radius: float, train: pd.DataFrame) -> np.ndarray:
    """[q, n, d] points around rows x [q, d] as the authors drew them: one seed, for every feature.

    Categories are drawn alike for every row.
    """
    points = np.empty((len(x), SAMPLES, len(space)))
    for j, feature in enumerate(space.features):
        if isinstance(feature, Categorical):
            drawn = random.Random(SEED).choices(list(train[feature.name].unique()), k=SAMPLES)
            points[:, :, j] = [feature.levels.index(level) for level in drawn]
            continue
        assert isinstance(feature, Continuous)
        reach = radius * feature.mad
        for row, value in enumerate(x[:, j]):
            low, high = max(feature.low, value - reach), min(feature.high, value + reach)
            numbers = np.random.RandomState(SEED)  # the generator that they used
            points[row, :, j] = numbers.randint(int(low), int(high) + 1, SAMPLES)
    return points


def _lines(records: Records, seed: int) -> Iterator[dict[str, Any]]:
    train, _ = load("adult").split()
    space = Space.infer(train.features, categorical=train.categorical)
    x = space.codes(load("adult").features.iloc[records.positions("adult")])
    model = records.network("adult", "ann", space)
    place = 1 - np.asarray(model.scores(x)).argmax(axis=1)
    points = {name: records.counterfactuals(one, space) for name, one in VARIANTS.items()}
    outcomes = np.array([DATA["adult"].outcomes[model.classes[one]] for one in place])
    for sampling in (*SHAPES, TIED):
        for radius in RADII:
            near = (
                tied(space, x, radius, train.features)
                if sampling == TIED
                else around(space, x, radius, SAMPLES, within=sampling, seed=seed)
            )
            said = np.asarray(model.scores(near.reshape(-1, len(space)))).argmax(axis=1)
            truth = said.reshape(near.shape[:2]) == place[:, None]
            guesses = {name: _guess(space, x, one, near) for name, one in points.items()}
            if sampling == TIED:
                guesses[SPARSE] |= guesses[DIVERSE]
            for method, guess in guesses.items():
                table = pd.DataFrame(agreement(truth, guess)).groupby(outcomes).mean()
                for outcome, figures in table.iterrows():
                    yield {
                        "variant": method,
                        "sampling": sampling,
                        "radius": radius,
                        "outcome": outcome,
                        **{name: float(figures[name]) for name in FIGURES},
                    }


def _guess(space: Space, x: np.ndarray, points: np.ndarray, near: np.ndarray) -> np.ndarray:
    """bool [q, n]: the points `near` [q, n, d] nearer to a counterfactual than to the row."""
    metric = Metric(np.ones(len(space)), Metric.of(space).mad, space.continuous, missing=False)
    own = metric.distance(near, x[:, None])
    closer = [metric.distance(near, points[:, a, None]) < own for a in range(points.shape[1])]
    return np.asarray(np.logical_or.reduce(closer))


EXPERIMENT = Experiment(
    "echo",
    cells,
    run,
    uses=("seed", "records"),
    edition=2,
    cost=lambda cell, plan: 12.0,
    trained=False,
)
