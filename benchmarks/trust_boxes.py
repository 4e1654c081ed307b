"""Tolerances and regions: what is proved of boxes, against draws, corners, brute force, anchors."""

from __future__ import annotations

import re
import tempfile
import time
from itertools import combinations, product
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import ifonly
from data_tables import PAPER, fitted, table
from ifonly.demands.tolerance import Tolerant
from ifonly.rules import as_rules
from peers import ask, columns_of
from record import Record

KINDS = ("logistic", "network", "xgboost", "forest")
K, ROWS, DRAWS = 2, 20, 1_000_000
TOLERANCES: dict[str, Any] = {"a tenth of each change": 0.1, "2 % of each range": None}
REGIONS = 20
SECONDS = 120.0
"""What anchors may take for one kind of model."""


def boxes(record: Record) -> None:
    """Fill the record with what concerns tolerances and regions."""
    _tolerances(record)
    _against_anchors(record)
    _against_the_largest(record)


def _tolerances(record: Record) -> None:
    lines, broken, drawn = [], 0, 0
    sets = PAPER[:1] if record.quick else PAPER
    each = (20_000 if record.quick else DRAWS) // (len(sets) * len(KINDS) * len(TOLERANCES))
    for name, kind in product(sets, KINDS):
        one = table(name, 400)
        model = fitted(kind, one)
        rows = one.rows[model.predict(one.rows) == 0][: 4 if record.quick else ROWS]
        explainer = ifonly.Explainer(model, data=one.train)
        space = explainer.setting.space
        plain, plain_ms = _timed(explainer, rows)
        ranges = {
            feature: 0.02 * float(space.high[j] - space.low[j])
            for j, feature in enumerate(space.names)
            if space.continuous[j] and space.high[j] > space.low[j]
        }
        explainer.explain(rows[:1], k=1, tolerance=0.1)  # the model is read once
        for title, stated in TOLERANCES.items():
            held, ms = _timed(explainer, rows, tolerance=stated or ranges)
            points = _within(held, stated, ranges, each)
            said = model.predict(space.rows(points)) if len(points) else np.ones(0)
            broken, drawn = broken + int((said != 1).sum()), drawn + len(points)
            near = [_nearest(a) for a in (held, plain)]
            full = [float(a.filled.all(axis=1).mean()) for a in (held, plain)]
            proved = float((held.tolerated[held.filled] == 1).mean()) if held.filled.any() else 1.0
            ratio = float(np.nanmean(near[0]) / np.nanmean(near[1]))
            lines.append([name, kind, title, *full, proved, ratio, ms, plain_ms, len(points)])
    record.check(
        "Within proved tolerances no draw and no corner loses the outcome, by the user's own model",
        broken == 0,
        f"{broken} of {drawn:,}",
    )
    columns = ("table", "model", "tolerance", "full", "full without", "proved", "nearest, times")
    more = ("ms per row", "ms without", "points asked")
    record.table("Tolerances", (*columns, *more), lines, "CPU time of one process.")


def _nearest(answers: Any) -> np.ndarray:
    """[q] the distance of the nearest answer, NaN where there is none."""
    nearest = np.where(answers.filled, answers.distance(), np.inf).min(axis=1)
    return np.where(np.isfinite(nearest), nearest, np.nan)


def _timed(explainer: ifonly.Explainer, rows: pd.DataFrame, **more: Any) -> tuple[Any, float]:
    start = time.process_time()
    answers = explainer.explain(rows, k=K, **more)
    return answers, 1e3 * (time.process_time() - start) / len(rows)


def _within(answers: Any, share: float | None, ranges: dict[str, float], count: int) -> np.ndarray:
    """[n, d] draws within the tolerance of each answer, and all of its corners."""
    rows, places = np.nonzero(answers.filled)
    if not len(rows):
        return np.empty((0, len(answers.space)))
    fields: Any = {"amounts": ranges} if share is None else {"share": share}
    demand = Tolerant(answers.space, None, None, **fields)  # type: ignore[arg-type]
    around = demand.boxes(answers.x[rows], answers.points[rows, places])
    drawn = around.draw(max(1, count // len(rows)), seed=7)
    ends = [
        np.array(list(product(*({a, b} if b > a else {p} for a, b, p in zip(*each, strict=True)))))
        for each in zip(around.low, around.high, answers.points[rows, places], strict=True)
    ]
    return np.concatenate([drawn.reshape(-1, drawn.shape[2]), *ends])


def _against_anchors(record: Record) -> None:
    """Regions of Adult's rows beside anchors of precision 0.95, on rows that neither has seen."""
    one, lines = table("adult", 1000), []
    count = 3 if record.quick else REGIONS
    rows, unseen = one.rows[:count], one.rows[count:]
    for kind in KINDS:
        model = fitted(kind, one)
        said, decided = model.predict(unseen), model.predict(rows)
        answers = ifonly.Explainer(model, data=one.train).explain(rows, k=1)
        answers.region(0)  # the model is read once
        start = time.process_time()
        regions = [answers.region(row) for row in range(len(rows))]
        took = (time.process_time() - start) / len(rows)
        codes = answers.space.codes(unseen)
        obeyed = [_obeyed(answers.space, codes, region.rules) for region in regions]
        lengths = [len(region.rules) for region in regions]
        lines.append(["ifonly, proved", kind, *_figures(obeyed, said, decided), lengths, took])
        peer = _anchors(model, one, rows, SECONDS / 10 if record.quick else SECONDS)
        kept = [_matched(unseen, rule) for rule in peer["rules"]]
        lengths = [len(rule) for rule in peer["rules"]]
        took = float(np.mean(peer["seconds"]))
        lines.append(["anchors, 0.95", kind, *_figures(kept, said, decided), lengths, took])
    for line in lines:
        line[-2] = float(np.mean(line[-2]))
    ours = [line for line in lines if line[0].startswith("ifonly")]
    theirs = [line for line in lines if line[0].startswith("anchors")]
    record.check(
        "Regions: every unseen row inside has the outcome",
        all(line[4] == 1 for line in ours),
        f"anchors: {min(line[4] for line in theirs):.3f} of them at the least",
    )
    columns = ("by", "model", "rows", "coverage", "precision", "conditions", "seconds per row")
    note = (
        "Coverage and precision over test rows that were not explained. A region is proved for "
        "every point; an anchor is meant to hold for 95 % of rows like the training rows."
    )
    record.table("Regions of Adult beside anchors", columns, lines, note)


def _figures(inside: list[np.ndarray], said: np.ndarray, decided: np.ndarray) -> list[Any]:
    """How many rules there are, their mean coverage, and the precision over what they cover."""
    right = sum(int((said[one] == own).sum()) for one, own in zip(inside, decided, strict=False))
    covered = sum(int(one.sum()) for one in inside)
    return [len(inside), covered / (len(inside) * len(said)), right / max(1, covered)]


def _obeyed(space: ifonly.Space, codes: np.ndarray, lines: tuple[str, ...]) -> np.ndarray:
    """bool [n]: the rows that obey rules."""
    held = [rule.holds(space, codes, codes[:, None])[:, 0] for rule in as_rules(list(lines), space)]
    return np.all(held, axis=0) if held else np.ones(len(codes), dtype=bool)


def _anchors(model: Any, one: Any, rows: pd.DataFrame, seconds: float) -> dict[str, Any]:
    levels = {
        str(name): sorted(map(str, one.train[name].unique()))
        for name in one.train
        if not pd.api.types.is_numeric_dtype(one.train[name])
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.joblib"
        joblib.dump(model, path)
        task = {"train": columns_of(one.train), "rows": columns_of(rows), "levels": levels}
        more = {"pipeline": str(path), "precision": 0.95, "seconds": seconds}
        return ask("anchors", "anchors_rules", {**task, **more})


def _matched(frame: pd.DataFrame, conditions: list[str]) -> np.ndarray:
    """bool [n]: the rows that meet an anchor's conditions: 'a = b', 'a > 1', '1 < a <= 2'."""
    met = np.ones(len(frame), dtype=bool)
    for text in conditions:
        parts = re.split(r" (<=|<|>|>=|=) ", text)
        if len(parts) == 5:  # low < name <= high
            met &= (frame[parts[2]] > float(parts[0])) & (frame[parts[2]] <= float(parts[4]))
            continue
        name, sign, value = parts
        own = frame[name].astype(str) if sign == "=" else frame[name]
        compare = {"=": own.eq, "<=": own.le, ">": own.gt, "<": own.lt, ">=": own.ge}[sign]
        met &= compare(value if sign == "=" else float(value))
    return np.asarray(met)


def _against_the_largest(record: Record) -> None:
    """Regions in a space of 588 points, beside the largest box that there is."""
    rng, lines = np.random.default_rng(3), []
    data = pd.DataFrame(rng.integers(0, (7, 7, 12), (300, 3)), columns=["a", "b", "c"])
    outcome = (data["a"] + data["b"] - data["c"] / 2 + rng.normal(0, 1, 300) > 4).astype(int)
    grid = pd.DataFrame(np.indices((7, 7, 12)).reshape(3, -1).T, columns=data.columns)
    for model in (LogisticRegression(), RandomForestClassifier(20, random_state=0)):
        said = model.fit(data, outcome).predict(grid).reshape(7, 7, 12)
        answers = ifonly.explain(model, data[:REGIONS], data=data, k=1)
        share, wrong, wider = [], 0, 0
        for row in range(REGIONS):
            inside = _obeyed(
                answers.space, grid.to_numpy(dtype=float), answers.region(row).rules
            ).reshape(said.shape)
            own = tuple(data.iloc[row])
            wrong += int((said[inside] != said[own]).sum())
            largest, ends = (
                _largest(said == said[own], own),
                [
                    np.flatnonzero(inside.any(axis=tuple({0, 1, 2} - {axis})))[[0, -1]]
                    for axis in range(3)
                ],
            )
            wider += sum(
                bool((said[_slab(ends, axis, side)] == said[own]).all())
                for axis, side in product(range(3), (0, 1))
                if 0 <= ends[axis][side] + 2 * side - 1 < said.shape[axis]
            )
            share.append(inside.sum() / largest)
        name = type(model).__name__
        lines.append([name, wrong, wider, float(np.mean(share)), float(np.min(share))])
    record.check(
        "Regions in a small space: no wrong point, and no side that could move out by one step",
        all(line[1] == line[2] == 0 for line in lines),
        f"{sum(line[1] for line in lines)} and {sum(line[2] for line in lines)}",
    )
    columns = ("model", "wrong points", "sides that could move", "mean share", "least share")
    record.table("Regions beside the largest box, by its points", columns, lines)


def _slab(ends: list[np.ndarray], axis: int, side: int) -> tuple[slice, ...]:
    """The points that a box gains when one side moves out by one step."""
    parts = [slice(int(a), int(b) + 1) for a, b in ends]
    place = int(ends[axis][side]) + 2 * side - 1
    parts[axis] = slice(place, place + 1)
    return tuple(parts)


def _largest(right: np.ndarray, own: tuple[int, ...]) -> int:
    """How many points the largest box around a point has in which all are right."""
    sides = [
        [(a, b) for a, b in combinations(range(size + 1), 2) if a <= at < b]
        for size, at in zip(right.shape, own, strict=True)
    ]
    sums = np.pad(np.cumsum(np.cumsum(np.cumsum(~right, 0), 1), 2), ((1, 0),) * 3)
    best = 0
    for (a, b), (c, d), (e, f) in product(*sides):
        size = (b - a) * (d - c) * (f - e)
        if size > best:
            wrong = sum(
                (-1) ** (i + j + k) * int(sums[(b, a)[i], (d, c)[j], (f, e)[k]])
                for i, j, k in product((0, 1), repeat=3)
            )
            best = size if wrong == 0 else best
    return best
