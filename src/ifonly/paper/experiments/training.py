"""The paper's models, trained here: Adam, the minority oversampled, settings by cross-validation.

The paper has a linear model and one hidden layer of ReLU neurons for each data set; how it trained
them beyond that it does not say. Settings are chosen by accuracy on folds of the training part,
each fold oversampled by itself, so that no copy of a row is on both sides.
"""

from __future__ import annotations

import json
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier

from ifonly.datasets import load
from ifonly.models.adapters.dense import Dense
from ifonly.paper.authors.facts import DATA, KINDS
from ifonly.paper.runs.cells import Cell, Experiment, Plan
from ifonly.space import Space

OVERSAMPLED, AS_IT_IS, WIDE = "oversampled", "as it is", "oversampled, 20 neurons"
GRID = {"alpha": (1e-4, 1e-2, 1.0), "learning_rate_init": (0.002, 0.01)}
FOLDS, EPOCHS = 3, 30


def cells(plan: Plan) -> list[Cell]:
    """Every model with and without oversampling, and LendingClub's with more neurons."""
    found = [
        Cell("models", data, kind, method)
        for data in plan.data
        for kind in KINDS
        for method in (OVERSAMPLED, AS_IT_IS)
    ]
    if "lending_club" in plan.data:
        found.append(Cell("models", "lending_club", "ann", WIDE))
    return found


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line: the settings chosen, the accuracies, and the weights."""
    train, test = load(cell.data).split()
    space = Space.infer(train.features, categorical=train.categorical)
    units, outcome = space.units(space.codes(train.features)), train.outcome.to_numpy()
    more = cell.method != AS_IT_IS
    hidden = 20 if cell.method == WIDE else DATA[cell.data].hidden
    shape = () if cell.model == "linear" else (hidden,)
    scores = {
        one: _cross_validated(units, outcome, shape, one, more=more, seed=plan.seed)
        for one in product(*GRID.values())
    }
    best = max(scores, key=lambda one: scores[one])
    model = _fit(units, outcome, shape, best, more=more, seed=plan.seed)
    said = model.predict(space.units(space.codes(test.features)))
    layers = [
        [kernel.tolist(), bias.tolist()]
        for kernel, bias in zip(model.coefs_, model.intercepts_, strict=True)
    ]
    line = {
        "neurons": hidden if shape else 0,
        "alpha": best[0],
        "learning_rate": best[1],
        "cross_validated": scores[best],
        "accuracy": float(np.mean(said == test.outcome.to_numpy())),
        "predicts_desired": float(np.mean(said == test.desired)),
        "rows": len(train.features),
        "layers": json.dumps(layers),
    }
    return pd.DataFrame([line])


def network(frame: pd.DataFrame, space: Space) -> Dense:
    """The model that a cell has trained, over the space of its training part."""
    layers = [
        (np.array(kernel), np.array(bias)) for kernel, bias in json.loads(frame["layers"].iloc[0])
    ]
    return Dense(layers, space, (0, 1))


def oversampled(units: np.ndarray, outcome: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows, and rows of the rarer outcome drawn again until both are as many."""
    values, counts = np.unique(outcome, return_counts=True)
    rare = np.flatnonzero(outcome == values[counts.argmin()])
    again = np.random.default_rng(seed).choice(rare, counts.max() - counts.min())
    rows = np.concatenate([np.arange(len(outcome)), again])
    return units[rows], outcome[rows]


def _cross_validated(
    units: np.ndarray,
    outcome: np.ndarray,
    shape: tuple[int, ...],
    settings: tuple[float, ...],
    *,
    more: bool,
    seed: int,
) -> float:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    right = [
        np.mean(
            _fit(units[a], outcome[a], shape, settings, more=more, seed=seed).predict(units[b])
            == outcome[b]
        )
        for a, b in folds.split(units, outcome)
    ]
    return float(np.mean(right))


def _fit(
    units: np.ndarray,
    outcome: np.ndarray,
    shape: tuple[int, ...],
    settings: tuple[float, ...],
    *,
    more: bool,
    seed: int,
) -> Any:
    """A network of scikit-learn's; without a hidden layer it is a logistic regression."""
    if more:
        units, outcome = oversampled(units, outcome, seed)
    model = MLPClassifier(
        shape,
        solver="adam",
        max_iter=EPOCHS,
        random_state=seed,
        **dict(zip(GRID, settings, strict=True)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the epochs are a setting here
        return model.fit(units, outcome)


EXPERIMENT = Experiment(
    "models",
    cells,
    run,
    uses=("seed",),
    edition=3,
    cost=lambda cell, plan: {"compas": 2.0, "german_credit": 1.0}.get(cell.data, 15.0),
    trained=False,
)
