"""What answers are like to read: fifteen tables, five models of each, k = 4."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from answered import Given, spare
from baseline import baseline
from data_tables import MODELS, SETS, fitted, table
from former_times import REPEATS, TIMED, TIMES, timed, times
from ifonly.search import Engine
from ifonly.space import Continuous
from possible_ways import least_extra
from record import Record
from settings import EXACTLY

K, ROWS = 4, 100
QUICK = ("forest", "network")
SMALL = "compas"
"""A table of so few points that all can be tried."""
BESIDE = (
    "table",
    "model",
    "nearest",
    "former nearest",
    "price",
    "former price",
    "farther",
    "dearer",
    "changed",
    "former changed",
    "k ways before",
    "changed of these",
    "former changed of these",
    "no longer full",
    "former ms per row",
    "ms per row",
)
COLUMNS = (
    "table",
    "model",
    "rows",
    "full",
    "extra",
    "k ways",
    "extra of these",
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
    rows = 20 if record.quick else ROWS
    names = SETS[4:7] if record.quick else SETS
    cells = [(name, kind) for name in names for kind in (QUICK if record.quick else MODELS)]
    before = baseline(cells, rows, K, REPEATS)
    lines: dict[str, list[list[Any]]] = {"exactly": [], "default": []}
    beside, possible = [], []
    for name, kind in cells:
        one = table(name, rows)
        model = fitted(kind, one)
        many = np.ones(len(one.rows), dtype=bool)
        for by, method in {"default": "auto", "exactly": EXACTLY}.items():
            explainer = ifonly.Explainer(model, data=one.train, method=method)
            explainer.explain(one.rows[:2], k=K)
            answers, took = timed(explainer, one.rows, K)
            if by == "default":
                many = has_ways(model, one.train, one.rows, answers)
            if by == "default" and name == SMALL:
                extra = float(answers.extra[answers.filled].mean())
                possible.append([kind, extra, least_extra(answers, model.predict)])
            found = figures(answers, model.predict, one.train, many)
            lines[by].append([name, kind, *found, took])
        then = before[f"{name} {kind}"]
        space = on_grid(one.train, then["decimals"])
        explainer = ifonly.Explainer(model, data=one.train, space=space, method=EXACTLY)
        beside.append([name, kind, *compared(explainer.explain(one.rows, k=K), then), took])
    check(record, lines, beside)
    for by, title in {
        "default": "The default",
        "exactly": "The default with round_numbers=False",
    }.items():
        record.table(f"{title}: what answers are like", COLUMNS, lines[by], NOTE)
    record.table(
        f"Marked answers on {SMALL}, and the least possible",
        ("model", "extra", "least possible"),
        possible,
        "By trying every point of the table: a row that has fewer than k ways, each needed and "
        "tight, cannot have k different answers.",
    )
    record.table(
        "The default with round_numbers=False beside the package before answers were ways",
        BESIDE,
        beside,
        "former: the default of then, from the history of the clone, in an environment of its own; "
        "its changed features with `needed`, which gave k different ways for a share of the rows, "
        "and one way at several values for others. Both on the grid of then, of more decimals. "
        "farther, dearer: rows whose nearest answer has a greater distance, or a higher price (the "
        "distance, and a charge per changed feature): the nearest is the one of the least price.",
    )


def has_ways(model: Any, data: Any, rows: Any, answers: ifonly.Answers) -> np.ndarray:
    """bool [q]: the rows with k different ways, as far as a thorough search finds them."""
    many = ~answers.extra.any(axis=1) & answers.filled.all(axis=1)
    lacking = np.flatnonzero(~many)
    if len(lacking):
        thorough = ifonly.Explainer(model, data=data, method=Engine(effort="thorough"))
        found = thorough.explain(rows.iloc[lacking].reset_index(drop=True), k=answers.k)
        many[lacking] = ~found.extra.any(axis=1) & found.filled.all(axis=1)
    return many


def on_grid(train: pd.DataFrame, decimals: Mapping[str, int]) -> ifonly.Space:
    """The space of a table with so many decimals, where numbers may take any value between."""
    numbers = [
        one.name for one in ifonly.Space.infer(train).features if isinstance(one, Continuous)
    ]
    known = {name: decimals[name] for name in numbers if name in decimals}
    space = ifonly.Space.infer(train, precision=known)
    features = (
        replace(one, discrete=()) if isinstance(one, Continuous) else one for one in space.features
    )
    return replace(space, features=tuple(features))


def compared(answers: ifonly.Answers, before: dict[str, Any]) -> list[Any]:
    """The line of a cell beside the former default, but for the time."""
    nearest, full = answers.distance()[:, 0], answers.filled.all(axis=1)
    was, was_full = np.array(before["nearest"]), np.array(before["full"])
    price = answers.price()[:, 0]
    before_price = was + answers.space.sparsity / len(answers.space) * np.array(before["changes"])
    changed = answers.changed().sum(axis=-1)
    ways = (np.array(before["ways"]) == answers.k) & full
    return [
        float(nearest.mean()),
        float(was.mean()),
        float(price.mean()),
        float(before_price.mean()),
        float((nearest > was + 1e-9).mean()),
        float((price > before_price + 1e-9).mean()),
        float(changed[answers.filled].mean()),
        before["changed"],
        float(ways.mean()),
        float(changed[ways].mean()),
        float(np.array(before["changed of rows"])[ways].mean()),
        float((was_full & ~full).mean()),
        before["ms"],
    ]


NOTE = (
    "Rows that the models were not trained on. extra: answers that are marked, of all; k ways: "
    "rows for which a thorough search finds k different ways, and how many answers of these are "
    "marked; of the others, needless: the share with a change that can be reverted; of their "
    "changed numbers, halved and a step nearer: the shares that can come nearer. twins: pairs that "
    "change the same features in the same directions, every number within 5 % of its range, over "
    "rows with k ways. "
    "decimals: the share of changed numbers with more decimals than 95 % of their column's own. "
    "All by the pipeline's own predict."
)


def figures(
    answers: ifonly.Answers | Given, predict: Any, train: pd.DataFrame, many: np.ndarray
) -> list[Any]:
    """The figures of a table's line, from the number of rows on."""
    filled, distance = answers.filled, answers.distance()
    needless, halved, closer = spare(answers, predict)
    return [
        len(answers),
        float(filled.all(axis=1).mean()),
        float(answers.extra[filled].mean()),
        float(many.mean()),
        float(answers.extra[many].mean()) if many.any() else 0.0,
        needless,
        halved,
        closer,
        twins(answers, many),
        float(distance[:, 0][filled[:, 0]].mean()),
        float(distance[filled].mean()),
        float(answers.changed().sum(axis=-1)[filled].mean()),
        odd_decimals(answers, train),
    ]


def twins(answers: ifonly.Answers | Given, many: np.ndarray) -> float:
    """The share of pairs of answers that a person would call the same, over some rows."""
    space, x = answers.space, answers.x
    width = 0.05 * np.where(space.continuous, space.high - space.low, 0.0)
    pairs = same = 0
    for i, j in combinations(range(answers.k), 2):
        both = many & answers.filled[:, i] & answers.filled[:, j]
        a, b = answers.points[:, i], answers.points[:, j]
        way = (np.sign(a - x) == np.sign(b - x)) | np.isnan(a + b)
        alike = (way & ~(np.abs(a - b) > width)).all(axis=1)
        pairs += int(both.sum())
        same += int((both & alike).sum())
    return same / max(1, pairs)


def odd_decimals(answers: ifonly.Answers | Given, train: pd.DataFrame) -> float:
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


def check(record: Record, lines: dict[str, list[list[Any]]], beside: list[list[Any]]) -> None:
    """What the answers of every cell must be like."""
    found = {by: pd.DataFrame(cells, columns=COLUMNS) for by, cells in lines.items()}
    limits = {
        "No needless change among answers that are not marked": ("default", "needless", 0.0),
        "At most 5 % of answers are marked as extra": ("default", "extra", 0.05),
        "At most 5 % are, over rows with k ways": ("default", "extra of these", 0.05),
        "Without round numbers, no number can be halved": ("exactly", "halved", 0.0),
        "Without round numbers, at most 2 % come a step nearer": ("exactly", "a step nearer", 0.02),
        "At most 2 % of pairs are twins, over rows with k ways": ("default", "twins", 0.02),
        "At most 1 % of changed numbers have more decimals": ("default", "decimals", 0.01),
    }
    for claim, (by, column, most) in limits.items():
        values = found[by][column]
        record.check(claim, not (values > most).any(), _cells(found[by], values - most))
    cells = pd.DataFrame(beside, columns=BESIDE)
    differences = {
        "the nearest no dearer in the mean": cells["price"] - cells["former price"] - 1e-9,
        "dearer for at most 2 % of rows": cells["dearer"] - 0.02,
        "no more changed features than with `needed`": cells["changed"] - cells["former changed"],
        "no more changed features than with `needed`, where that gave k different ways": cells[
            "changed of these"
        ]
        - cells["former changed of these"],
        "every row full that was full": cells["no longer full"],
    }
    for claim, over in differences.items():
        record.check(
            f"Without round numbers, beside the former default: {claim}",
            not (over > 0).any(),
            _cells(cells, over),
        )
    ratios = {kind: now / then for kind, then, now in times(ROWS, K)}
    record.check(
        f"On {TIMED}, at most {TIMES} times the former default's time",
        max(ratios.values()) <= TIMES,
        ", ".join(f"{kind} {ratio:.2f}" for kind, ratio in ratios.items()),
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
