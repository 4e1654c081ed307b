"""Tables and models as people have them: whether a first attempt works, and what it gives."""

from __future__ import annotations

import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

import ifonly
import peers
from cases import Case
from data_tables import SETS, Table, table
from model_kinds import KINDS
from record import Record
from table_traits import TRAITS

ROWS, K, TRAINED = 10, 2, 1000
COLUMNS = (
    "table",
    "trait",
    "model",
    "works",
    "rows",
    "answered",
    "answers",
    "valid",
    "prepare ms",
    "ms per row",
)
NOTE = (
    f"{ROWS} rows that the models were not trained on, k = {K}, defaults, models of at most "
    f"{TRAINED:,} training rows. works: no error at the first attempt, and no row failed; "
    "answered: rows with all k answers, or that have the wanted outcome; valid: the answers to "
    "which the user's own model, asked with the rows of `frame()`, gives the wanted outcome."
)


def main(record: Record) -> None:
    """Fill the record."""
    warnings.simplefilter("ignore")
    every = 1 if record.quick else 2
    lines = [line(*cell) for cell in cells(every)]
    if not record.quick:
        lines += automl()
    check(record, lines)
    record.table("Tables and models as people have them", COLUMNS, lines, NOTE)


def cells(every: int) -> Iterator[tuple[str, str, str, Case]]:
    """Each trait and each kind of model on some tables that have columns for it, in turn."""
    tables = {name: _some(name) for name in SETS}
    for start, (label, make) in enumerate((*KINDS.items(), *TRAITS.items())):
        order = [SETS[(start + 5 * place) % len(SETS)] for place in range(len(SETS))]
        made = ((name, make(tables[name])) for name in order)
        for name, case in islice(((name, case) for name, case in made if case), every):
            last = getattr(case.model, "steps", [("", case.model)])[-1][1]
            yield name, *(("", label) if label in KINDS else (label, type(last).__name__)), case


def _some(name: str) -> Table:
    """A table with a part of its training rows."""
    one = table(name, ROWS)
    order = np.random.default_rng(0).permutation(len(one.train))[:TRAINED]
    train = one.train.iloc[order].reset_index(drop=True)
    return Table(train, one.outcome[order], one.rows.reset_index(drop=True))


def line(name: str, trait: str, kind: str, case: Case) -> list[Any]:
    """What a first attempt gives."""
    start = time.perf_counter()
    try:
        space = ifonly.Space.infer(case.data, **case.prepared)
        explainer = ifonly.Explainer(case.model, data=case.data, space=space)
        prepared = time.perf_counter()
        answers = explainer.explain(case.rows, k=K, **case.options)
        spent = time.perf_counter() - prepared
        frame = answers.frame()
        valid = int(wanted(case, answers, frame).sum())
    except Exception:
        print(f"{name}, {trait}{kind}:\n{traceback.format_exc()}", flush=True)
        return [name, trait, kind, False, len(case.rows), 0, 0, 0, 0.0, 0.0]
    rows = len(case.rows)
    works = ifonly.Status.FAILED not in answers.status
    answered = sum(status.answered for status in answers.status)
    times = [1e3 * (prepared - start), 1e3 * spent / max(1, rows)]
    return [name, trait, kind, works, rows, answered, len(frame), valid, *times]


def wanted(case: Case, answers: ifonly.Answers, frame: Any) -> np.ndarray:
    """bool [n]: the answers that the user's own model gives the wanted outcome."""
    if not len(frame):
        return np.ones(0, dtype=bool)
    columns = list(answers.space.names)
    said = np.asarray(
        case.predict(frame[columns] if isinstance(frame, pd.DataFrame) else frame.select(columns))
    ).ravel()
    query = np.asarray(frame["query"])
    target = case.options.get("target", "opposite")
    if target == "other":
        return np.asarray(said != np.asarray(answers.predicted)[query])
    if isinstance(target, tuple):
        return np.asarray(said >= target[0])
    return np.asarray(said == np.asarray(answers.wanted)[query])


def automl() -> list[list[Any]]:
    """AutoGluon, FLAML and MLflow, in an environment of their own: their pins exclude ours."""
    one = _some("german_credit")
    task = {"features": peers.columns_of(one.train), "outcome": one.outcome, "rows": ROWS}
    try:
        told = peers.ask("automl", "automl_models", task)["lines"]
    except subprocess.CalledProcessError as error:
        print(f"Without AutoGluon, FLAML and MLflow: {error}", file=sys.stderr)
        return []
    found = []
    for kind, done, valid, each in told:
        count = ROWS * K if done else 0
        found.append(
            [
                "german_credit",
                "",
                kind,
                done,
                ROWS,
                ROWS * done,
                count,
                round(valid * count),
                "",
                each,
            ]
        )
    return found


def check(record: Record, lines: list[list[Any]]) -> None:
    """What every cell must show."""
    found = pd.DataFrame(lines, columns=COLUMNS)
    cell = found["table"] + " " + found["trait"].where(found["trait"] != "", found["model"])
    kinds = (found["trait"] + " " + found["model"]).nunique()
    sets = found["table"].nunique()
    record.check(
        "At least 14 tables and 40 kinds of models and traits",
        sets >= 14 and kinds >= 40,
        f"{sets} tables, {kinds} kinds, {len(found)} cells",
    )
    record.check(
        "Every cell works at the first attempt",
        bool(found["works"].all()),
        "; ".join([f"{found['works'].sum()} of {len(found)}", *cell[~found["works"]]]),
    )
    lacking = found["answered"] < found["rows"]
    record.check(
        "Every row is answered",
        not lacking.any(),
        "; ".join([f"{found['answered'].sum()} of {found['rows'].sum()} rows", *cell[lacking]]),
    )
    invalid = found["valid"] < found["answers"]
    record.check(
        "Every answer is valid by the user's own model",
        not invalid.any() and bool(found["answers"].sum()),
        "; ".join([f"{found['valid'].sum()} of {found['answers'].sum()}", *cell[invalid]]),
    )
