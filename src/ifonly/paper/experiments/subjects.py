"""What is explained: a data set, a model of it, and the rows that the paper would have asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ifonly.datasets import Dataset, load
from ifonly.errors import DataError
from ifonly.models.adapters.dense import Dense
from ifonly.paper.authors.facts import DATA
from ifonly.paper.authors.records import Records
from ifonly.paper.experiments import training
from ifonly.paper.runs.cells import Cell, Plan, stamp
from ifonly.paper.runs.store import Store
from ifonly.space import Space

UNFIT = ("lending_club", "linear")
"""The published weights that reach 0.507 where the paper prints 0.67: not the ones it explained."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A model, its training part, and the rows to explain with what each wants."""

    data: str
    kind: str
    space: Space
    train: Dataset
    rows: pd.DataFrame
    model: Dense
    wanted: tuple[int, ...]
    """The outcome that the model does not give, for each row."""

    @property
    def labels(self) -> Mapping[int, str]:
        """The names of the outcomes."""
        return DATA[self.data].outcomes

    @property
    def outcomes(self) -> list[str]:
        """The name of what each row wants."""
        return [self.labels[one] for one in self.wanted]

    def explain_options(self) -> dict[str, Any]:
        """What every recipe is asked with."""
        return {"space": self.space, "target": list(self.wanted)}


def subject(plan: Plan, store: Store, data: str, kind: str) -> Subject:
    """What a plan explains of a data set."""
    return _subject(plan, store, data, kind)


def trained_by(plan: Plan, data: str, kind: str) -> Cell | None:
    """The cell that trains the model to explain; None where it is one of the authors'."""
    if plan.models == "published" and (data, kind) != UNFIT:
        return None
    return Cell("models", data, kind, training.OVERSAMPLED)


def fingerprint(plan: Plan, data: str, kind: str) -> str:
    """What tells the model to explain from another: its weights, or all that training needs."""
    cell = trained_by(plan, data, kind)
    if cell is None:
        return Records(_folder(plan)).fingerprint(data, kind)
    mark = stamp(cell, training.EXPERIMENT, plan, "")
    return f"{mark} {plan.models}"  # the models also say which rows are explained


@lru_cache(maxsize=8)
def _subject(plan: Plan, store: Store, data: str, kind: str) -> Subject:
    dataset = load(data)
    train, test = dataset.split()
    space = Space.infer(train.features, categorical=dataset.categorical)
    rows = dataset.features.loc[_positions(plan, test)[: plan.rows]]
    model = _model(plan, store, data, kind, space)
    said = np.asarray(model.scores(space.codes(rows))).argmax(axis=1)
    wanted = tuple(int(model.classes[1 - one]) for one in said)
    return Subject(data, kind, space, train, rows, model, wanted)


def _positions(plan: Plan, test: Dataset) -> list[int]:
    """The rows that the paper explained, or as many distinct rows of the test part, shuffled."""
    if plan.models == "published":
        return Records(_folder(plan)).positions(test.name)
    distinct = test.features.drop_duplicates().index.to_numpy()
    return [int(place) for place in np.random.default_rng(plan.seed).permutation(distinct)]


def _model(plan: Plan, store: Store, data: str, kind: str, space: Space) -> Dense:
    cell = trained_by(plan, data, kind)
    if cell is None:
        return Records(_folder(plan)).network(data, kind, space)
    frame = store.load(cell, stamp(cell, training.EXPERIMENT, plan, ""))
    if frame is None:
        raise DataError(f"The model {cell.name} is not trained.", "Run that cell first.")
    return training.network(frame, space)


def _folder(plan: Plan) -> Any:
    assert plan.records is not None
    return plan.records
