"""Whether reasons are stable and true: one number moved by one step, beside SHAP's top four."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

import ifonly
import peers
from data_tables import Table, fitted, table
from ifonly.answers.reasons.measure import MOST_REASONS, Measured, measured
from record import Record

TABLES = ("adult", "german_credit")
KINDS = ("logistic", "xgboost", "forest", "network")
ROWS, BACKGROUND, STABLE = 30, 20, 0.8
COLUMNS = ("table", "model", "rows", "moved", "ifonly", "least", "SHAP", "least", "both", "ms")


@dataclass(frozen=True)
class Moved:
    """Refused rows, and each again with one number moved by one step of its grid."""

    rows: pd.DataFrame
    owner: np.ndarray
    """[n] the row that each is a neighbour of; the rows themselves come first."""


@dataclass(frozen=True)
class Cell:
    """A model of a table, rows to explain, and what ifonly says of them."""

    name: str
    kind: str
    one: Table
    model: Any
    wanted: Any
    moved: Moved
    tops: list[set[int]]
    ms: float


def main(record: Record) -> None:
    """Fill the record."""
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    cells, wrong, count = [], 0, 0
    for name in TABLES[:1] if record.quick else TABLES:
        one = table(name, 2000)
        wanted = ifonly.datasets.load(name).desired
        for kind in KINDS[:2] if record.quick else KINDS:
            model = fitted(kind, one)
            moved = neighbours(one, model, wanted, 5 if record.quick else ROWS)
            began = time.perf_counter()
            found = _measured(model, one, moved.rows, wanted)
            spent = 1000 * (time.perf_counter() - began) / len(moved.rows)
            failed, asked = confirmed(model, one, moved.rows, found, wanted)
            wrong, count = wrong + failed, count + asked
            tops = [set(order[order >= 0].tolist()) for order in found.order]
            cells.append(Cell(name, kind, one, model, wanted, moved, tops, spent))
            print(name, kind, overlaps(tops, moved.owner).mean(), file=sys.stderr, flush=True)
    lines = [line(*pair) for pair in zip(cells, shap_tops(cells), strict=True)]
    record.table(
        "The top four reasons when one number moves by one step",
        COLUMNS,
        lines,
        "Mean and least Jaccard overlap of the top four features of a refused row and of the same "
        "row with one number moved by one step of its grid, both refused: by the weights of "
        "ifonly, and by SHAP's permutation explainer with ten permutations and "
        f"{BACKGROUND} background rows (the features that lower the probability of the wanted "
        "class most). 'both' is the overlap of the two lists of a row; ms is the time "
        "of ifonly per row, with the search for its nearest answer.",
    )
    least = min(one[4] for one in lines)
    claim = f"the top four overlap by {STABLE} or more in the mean, for every table and model"
    record.check(claim, least >= STABLE, f"least mean {least:.3f}")
    claim = "the model itself confirms what suffices, and every smallest set with each of its parts"
    record.check(claim, wrong == 0, f"{count} predictions, {wrong} others")


def line(cell: Cell, theirs: list[set[int]]) -> list[Any]:
    """The figures of one cell."""
    own, other = (overlaps(tops, cell.moved.owner) for tops in (cell.tops, theirs))
    rows = int((cell.moved.owner < 0).sum())
    both = np.mean([jaccard(*pair) for pair in zip(cell.tops[:rows], theirs, strict=False)])
    figures = [own.mean(), own.min(), other.mean(), other.min(), both]
    return [cell.name, cell.kind, rows, len(own), *map(float, figures), cell.ms]


def neighbours(one: Table, model: Any, wanted: Any, most: int) -> Moved:
    """Rows that the model refuses, with their neighbours that it refuses too."""
    space = ifonly.Space.infer(one.train)
    refused = one.rows[model.predict(one.rows) != wanted][:most]
    parts, owner = [refused], [np.full(len(refused), -1)]
    for feature in space.features:
        if not isinstance(feature, ifonly.Continuous):
            continue
        up = refused[feature.name] + feature.step <= feature.high
        step = np.where(up, feature.step, -feature.step)
        value = (refused[feature.name] + step).astype(one.train[feature.name].dtype)
        near = refused.assign(**{feature.name: value})
        still = model.predict(near) != wanted
        parts.append(near[still])
        owner.append(np.flatnonzero(still))
    return Moved(pd.concat(parts, ignore_index=True), np.concatenate(owner))


def overlaps(tops: list[set[int]], owner: np.ndarray) -> np.ndarray:
    """[n] the overlap of each neighbour with the row it is of."""
    places = np.flatnonzero(owner >= 0)
    return np.array([jaccard(tops[place], tops[owner[place]]) for place in places])


def jaccard(one: set[int], other: set[int]) -> float:
    """What two sets share."""
    return len(one & other) / max(len(one | other), 1)


def _measured(model: Any, one: Table, rows: pd.DataFrame, wanted: Any) -> Measured:
    return measured(ifonly.explain(model, rows, data=one.train, k=1, target=wanted, progress=False))


def confirmed(
    model: Any, one: Table, rows: pd.DataFrame, found: Measured, wanted: Any
) -> tuple[int, int]:
    """How often the model says otherwise, and of how many predictions."""
    space = ifonly.Space.infer(one.train)
    x = space.codes(rows)
    points, said = [], []
    for q, order in enumerate(found.order):
        for j in order[order >= 0]:
            points.append(np.where(np.arange(x.shape[1]) == j, found.better[q], x[q]))
            said.append(found.suffices[q, j])
        kept = found.together[q]
        if kept.any():
            whole = np.where(kept, found.better[q], x[q])
            less = [np.where(np.arange(len(kept)) == j, x[q], whole) for j in np.flatnonzero(kept)]
            points += [whole, *less]
            said += [True, *[False] * len(less)]
    met = model.predict(space.rows(np.array(points))) == wanted
    return int((met != np.array(said)).sum()), len(said)


def shap_tops(cells: list[Cell]) -> list[list[set[int]]]:
    """The four features of each row that lower the score of the wanted class most, by SHAP."""
    with tempfile.TemporaryDirectory() as folder:
        asked = [_task(cell, Path(folder) / f"{i}.joblib") for i, cell in enumerate(cells)]
        every = peers.ask("shap", "shap_values", {"asked": asked})["values"]
    return [[_lowest(value) for value in np.array(values)] for values in every]


def _task(cell: Cell, path: Path) -> dict[str, Any]:
    """What SHAP is asked about a cell; its pipeline goes to a path."""
    joblib.dump(cell.model, path)
    features = ifonly.Space.infer(cell.one.train).features
    return {
        "pipeline": str(path),
        "train": peers.columns_of(cell.one.train.sample(BACKGROUND, random_state=0)),
        "rows": peers.columns_of(cell.moved.rows),
        "levels": {f.name: list(f.levels) for f in features if hasattr(f, "levels")},
        "wanted": int(np.flatnonzero(cell.model.classes_ == cell.wanted)[0]),
    }


def _lowest(value: np.ndarray) -> set[int]:
    """The features of the lowest values [d] below 0, at most four."""
    order = np.argsort(value, kind="stable")[:MOST_REASONS]
    return {int(j) for j in order if value[j] < 0}
