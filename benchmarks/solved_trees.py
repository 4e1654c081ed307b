"""Forests and boosted trees: nearest answers proved, how fast, and what is known on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

import ifonly
from ifonly.answers.certificates import PROVED
from ifonly.search import Exact
from ifonly.space.space import SPARSITY
from proving import COLUMNS, LIMIT, NOTE, prove
from record import Record
from settings import EXACTLY

KINDS: dict[str, Callable[[], Any]] = {
    "forest": partial(RandomForestClassifier, 100, max_depth=6, random_state=0, n_jobs=1),
    "xgboost": partial(XGBClassifier, n_estimators=100, n_jobs=1, random_state=0),
    "full forest": partial(RandomForestClassifier, 100, random_state=0, n_jobs=1),
    "xgboost 500": partial(XGBClassifier, n_estimators=500, n_jobs=1, random_state=0),
}
LARGE = ("full forest", "xgboost 500")
NEAREST, WITHIN = 3 + COLUMNS.index("engine: nearest"), 3 + COLUMNS.index("engine: within 5 %")
GOALS = (
    (SPARSITY, "the nearest", NEAREST, 0.8),
    (SPARSITY, "within 5 % of the nearest", WITHIN, 0.95),
    (0, "within 5 % of the nearest", WITHIN, 0.75),
)
"""By sparsity: what the engine's answer is, the column of its share, and the least of that."""


def trees(record: Record) -> None:
    """Forests and boosted trees of three sets."""
    times = (1.0, 5.0) if record.quick else (1.0, 5.0, LIMIT)
    limit = times[-1]
    proofs, ways = [], []
    for name, kind, sparsity in product(("adult", "compas", "lending_club"), KINDS, (SPARSITY, 0)):
        count = 10 if kind in LARGE else 50
        pipeline, rows, options = fitted(name, kind, 6 if record.quick else count, sparsity)
        engine = ifonly.explain(pipeline, rows, k=1, method=EXACTLY, **options)
        found = prove(pipeline, rows, engine, limit, **options)
        proofs.append([name, kind, sparsity, *found.line()])
        if kind in LARGE or not sparsity:
            continue
        solver = partial(_solver, pipeline, options)
        way = _on_the_way(solver, rows, engine, found.answers, times)
        ways.append([name, kind, len(rows), *way])
    record.table(
        "Trees: the nearest answer, proved",
        ("set", "model", "sparsity", *COLUMNS),
        proofs,
        f"{NOTE} forest: 100 trees of depth 6; xgboost: 100 trees of depth 6; full forest: 100 "
        "trees without a limit of depth; all behind a dense one-hot; rows of the test part. By "
        "branch and bound over boxes of points, from the engine's answer.",
    )
    shown = ("proved", "median gap", "gap of the rest")
    columns = [f"{what} after {time:g} s" for time in times for what in shown]
    record.table(
        "Trees: what is known after some time",
        ("set", "model", "rows", *columns),
        ways,
        "gap: how much dearer the nearest answer known, the engine's or the solver's, is than "
        "what is proved, as a share of that. the rest: the median over the rows not proved. A row "
        "that takes longer than a time is asked once more with that time as the limit.",
    )
    record.check(
        f"trees: every row is proved within {limit:.0f} s, for each model",
        min(line[4] for line in proofs) == 1,
        ", ".join(f"{line[0]} {line[1]} {line[4]:.2f}" for line in proofs),
    )
    refuted = sum(line[5] for line in proofs)
    record.check("trees: no proof is refuted by a nearer answer", not refuted, f"{refuted} rows")
    for sparsity, what, place, least in GOALS:
        shares = {f"{one[0]} {one[1]}": one[place] for one in proofs if one[2] == sparsity}
        record.check(
            f"trees, sparsity {sparsity:g}: the engine's answer is {what} for {least:.0%} of rows",
            min(shares.values()) >= least,
            ", ".join(f"{name} {share:.2f}" for name, share in shares.items()),
        )


def fitted(
    name: str, kind: str, count: int, sparsity: float = SPARSITY
) -> tuple[Pipeline, pd.DataFrame, dict[str, Any]]:
    """A pipeline fitted on a training part, rows of the test part, and the options of `explain`."""
    data = ifonly.datasets.load(name)
    train, test = data.split()
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), list(data.categorical)),
        (StandardScaler(), list(data.continuous)),
        sparse_threshold=0,
    )
    pipeline = make_pipeline(encode, KINDS[kind]()).fit(train.features, train.outcome)
    space = ifonly.Space.infer(train.features, data.categorical, sparsity=sparsity)
    options = {"data": train.features, "space": space}
    return pipeline, test.features.sample(count, random_state=0), options


def _solver(pipeline: Pipeline, options: dict[str, Any], limit: float) -> ifonly.Explainer:
    return ifonly.Explainer(pipeline, method=Exact(limit=limit), **options)


def _on_the_way(
    solver: Callable[[float], ifonly.Explainer],
    rows: pd.DataFrame,
    engine: ifonly.Answers,
    last: ifonly.Answers,
    times: Sequence[float],
) -> list[Any]:
    """For each time the share of rows proved by then, the median gap, and that of the rest.

    `last` is what is known after the last of the times.
    """
    line: list[Any] = []
    gaps, taken = _gaps(last, engine), np.asarray(last.seconds)
    for time in times:
        gap, late = gaps.copy(), np.flatnonzero(taken > time)
        if len(late) and time < times[-1]:
            found = solver(time).explain(rows.iloc[late], k=1)
            # What ends after the time was not known before.
            known = np.asarray(found.seconds) <= 1.2 * time + 0.2
            gap[late] = np.where(known, _gaps(found, engine, late), np.inf)
        rest = gap[gap > PROVED]
        line += [1 - len(rest) / len(gap), float(np.median(gap))]
        line.append(float(np.median(rest)) if len(rest) else "none")
    return line


def _gaps(
    found: ifonly.Answers, engine: ifonly.Answers, rows: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """[q] how much further the nearest answer known is than what is proved, as a share of that."""
    near = [
        np.where(one.filled, one.price(), np.inf)[where, 0]
        for one, where in ((found, slice(None)), (engine, rows))
    ]
    bound = np.asarray(found.bound)
    with np.errstate(divide="ignore"):
        return np.maximum(np.minimum(*near) / np.maximum(bound, 0.0) - 1, 0.0)
