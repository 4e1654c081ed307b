"""What answers are like to read: twelve tables, five models of each, k = 4."""

from __future__ import annotations

import time
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from answered import spare
from record import Record
from settings import EXACTLY, FORMER
from tables import MODELS, SETS, fitted, table

K, ROWS = 4, 100
COLUMNS = (
    "table",
    "model",
    "rows",
    "full",
    "extra",
    "needless",
    "halved",
    "a step nearer",
    "twins",
    "nearest",
    "distance",
    "changed",
    "decimals",
    "ms per row",
)


def main(record: Record) -> None:
    """Fill the record."""
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    lines: dict[str, list[list[Any]]] = {"former": [], "exactly": [], "default": []}
    for name in SETS[4:7] if record.quick else SETS:
        one = table(name, 20 if record.quick else ROWS)
        for kind in ("forest", "network") if record.quick else MODELS:
            model = fitted(kind, one)
            for by, method in {"former": FORMER, "exactly": EXACTLY, "default": "auto"}.items():
                explainer = ifonly.Explainer(model, data=one.train, method=method)
                start = time.process_time()
                answers = explainer.explain(one.rows, k=K)
                took = 1e3 * (time.process_time() - start) / len(one.rows)
                lines[by].append([name, kind, *figures(answers, model.predict, one.train), took])
    check(record, lines)
    for by, title in {
        "default": "The default",
        "exactly": "The default with round_numbers=False",
        "former": "Engine(needed=False, tight=False)",
    }.items():
        record.table(f"{title}: what answers are like", COLUMNS, lines[by], NOTE)


NOTE = (
    "Rows that the models were not trained on. extra: answers that are marked, of all; of the "
    "others, needless: the share with a change that can be reverted; of their changed numbers, "
    "halved and a step nearer: the shares that can come nearer to the row's. twins: pairs that "
    "change the same features in the same directions, every number within 5 % of its range. "
    "decimals: the share of changed numbers with more decimals than 95 % of their column's own. "
    "All by the pipeline's own predict."
)


def figures(answers: ifonly.Answers, predict: Any, train: pd.DataFrame) -> list[Any]:
    """The figures of a table's line, from the number of rows on."""
    filled, distance = answers.filled, answers.distance()
    needless, halved, closer = spare(answers, predict)
    return [
        len(answers),
        float(filled.all(axis=1).mean()),
        float(answers.extra[filled].mean()) if filled.any() else 0.0,
        needless,
        halved,
        closer,
        twins(answers),
        float(distance[:, 0][filled[:, 0]].mean()),
        float(distance[filled].mean()),
        float(answers.changed().sum(axis=-1)[filled].mean()),
        odd_decimals(answers, train),
    ]


def twins(answers: ifonly.Answers) -> float:
    """The share of pairs of answers that a person would call the same."""
    space, x = answers.space, answers.x
    width = 0.05 * np.where(space.continuous, space.high - space.low, 0.0)
    pairs = same = 0
    for i, j in combinations(range(answers.k), 2):
        both = answers.filled[:, i] & answers.filled[:, j]
        a, b = answers.points[:, i], answers.points[:, j]
        way = (np.sign(a - x) == np.sign(b - x)) | np.isnan(a + b)
        alike = (way & ~(np.abs(a - b) > width)).all(axis=1)
        pairs += int(both.sum())
        same += int((both & alike).sum())
    return same / max(1, pairs)


def odd_decimals(answers: ifonly.Answers, train: pd.DataFrame) -> float:
    """The share of changed numbers with more decimals than 95 % of their column's own values."""
    changed = answers.changed() & answers.filled[:, :, None] & answers.space.continuous
    odd = 0
    for j in np.flatnonzero(changed.any(axis=(0, 1))):
        usual = np.quantile(decimals(train.iloc[:, j].dropna()), 0.95, method="higher")
        odd += int((decimals(answers.points[:, :, j][changed[:, :, j]]) > usual).sum())
    return odd / max(1, int(changed.sum()))


def decimals(values: Any) -> np.ndarray:
    """How many decimals numbers are written with."""
    texts = (np.format_float_positional(float(value), trim="-") for value in values)
    return np.array([len(text.partition(".")[2]) for text in texts])


def check(record: Record, lines: dict[str, list[list[Any]]]) -> None:
    """What the answers of every cell must be like."""
    found = {by: pd.DataFrame(cells, columns=COLUMNS) for by, cells in lines.items()}
    limits = {
        "No needless change among answers that are not marked": ("default", "needless", 0.0),
        "At most 5 % of answers are marked as extra": ("default", "extra", 0.05),
        "Without round numbers, no number can be halved": ("exactly", "halved", 0.0),
        "Without round numbers, at most 2 % come a step nearer": ("exactly", "a step nearer", 0.02),
        "At most 2 % of pairs are twins": ("default", "twins", 0.02),
        "At most 1 % of changed numbers have more decimals": ("default", "decimals", 0.01),
    }
    for claim, (by, column, most) in limits.items():
        values = found[by][column]
        record.check(claim, not (values > most).any(), _cells(found[by], values - most))
    for column in ("full", "nearest", "changed", "distance"):
        more = found["exactly"][column] - found["former"][column]
        worse = -more if column == "full" else more
        word = "no fewer full rows" if column == "full" else f"{column} no larger"
        record.check(
            f"Without round numbers: {word} than the former choice's",
            not (worse > 1e-9).any(),
            _cells(found["exactly"], worse - 1e-9),
        )
    dearer = found["default"]["distance"] / found["exactly"]["distance"] - 1
    record.check(
        "Round numbers make the answers of a cell at most 2 % farther in the mean",
        not (dearer > 0.02).any(),
        _cells(found["default"], dearer - 0.02),
    )


def _cells(table: pd.DataFrame, over: pd.Series) -> str:
    """The cells that are over a limit, and by how much the worst one is."""
    names = table["table"] + " " + table["model"]
    return "; ".join([f"at most {over.max():+.3f} over", *names[over > 0]])
