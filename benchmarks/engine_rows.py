"""Rows of six further tables under four rules each: which have answers, and how long they take.

Nothing was chosen by these tables. The package of before runs this module as well, with its own
source, so that both are timed on the rows that it answers in full.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier

import ifonly
from baseline import HERE, package_of
from data_tables import MODELS, Table, archived, fitted, parted
from ifonly.search import Engine, Exact
from peers import ask
from record import Record

K = 4
BEFORE = "808a7dc"
"""The last commit before rows were searched again."""
STATUSES = ("found", "partial", "infeasible", "not_found", "already")
COLUMNS = (
    "table",
    "model",
    *STATUSES,
    "not proved",
    "thorough finds",
    "solver finds",
    "full before",
    "ms before",
    "ms",
    "ms before, none possible",
    "ms, none possible",
)
TASKS: dict[str, tuple[str, Callable[[pd.DataFrame], pd.Series]]] = {
    "affairs": ("Ecdat/Fair", lambda t: t.pop("nbaffairs") > 0),
    "computers": ("Ecdat/Computers", lambda t: t["price"] > t.pop("price").median()),
    "wages": ("Ecdat/Wages", lambda t: t["lwage"] > t.pop("lwage").median()),
    "training": ("Ecdat/Treatment", lambda t: t["re78"] > t.pop("re78").median()),
    "medical": ("Ecdat/MedExp", lambda t: t["med"] > t.pop("med").median()),
}
RULES = {
    "affairs": ("sex fixed", "age only increases", "ym changes by at most 5", "religious fixed"),
    "computers": ("screen fixed", "trend fixed", "ram only increases", "hd changes by at most 50%"),
    "wages": ("sex fixed", "black fixed", "exp only increases", "ed only increases"),
    "training": ("ethn fixed", "age only increases", "educ only increases", "re74 fixed"),
    "medical": ("sex fixed", "black fixed", "age only increases", "at most 4 features change"),
    "lender": ("job fixed", "age only increases", "loan only decreases", "savings only increases"),
}
KINDS = (*MODELS, "lightgbm")


def task(name: str, kind: str, rows: int) -> tuple[Table, Any]:
    """A table and a model of it."""
    if name == "lender":
        lender = ifonly.datasets.make_lender(4000, seed=1616)
        one = parted(lender.frame, lender.approves(lender.frame), rows)
    else:
        one = parted(*archived(*TASKS[name]), rows)
    booster = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)
    return one, fitted(kind, one, booster if kind == "lightgbm" else None)


def asked(name: str, kind: str, rows: int, full: Sequence[bool] | None = None) -> dict[str, Any]:
    """What a question gives: answers, which rows are full, and milliseconds per row of those.

    `full` says which rows are timed; by default, those that are full. A batch in which every
    feature is fixed, so that no row can have an answer, is timed by itself.
    """
    one, model = task(name, kind, rows)
    explainer = ifonly.Explainer(model, data=one.train)
    rules, none = list(RULES[name]), [f"{column} fixed" for column in one.train.columns]
    answers = explainer.explain(one.rows, k=K, rules=rules)
    kept = answers.filled.all(axis=1) if full is None else np.array(full)
    timed = one.rows[kept].reset_index(drop=True)
    took = min(_seconds(lambda: explainer.explain(timed, k=K, rules=rules)) for _ in range(2))
    barred = _seconds(lambda: explainer.explain(one.rows, k=K, rules=none))
    return {
        "answers": answers,
        "full": kept.tolist(),
        "ms": 1e3 * took / max(1, len(timed)),
        "barred": 1e3 * barred / len(one.rows),
    }


def rows_found(record: Record) -> None:
    """Fill the record with statuses and times beside the package of before."""
    rows = 10 if record.quick else 100
    cells = [(name, kind) for name in RULES for kind in (KINDS[1:3] if record.quick else KINDS)]
    with package_of(BEFORE) as source:
        asking = {"source": source, "benchmarks": str(HERE), "cells": cells, "rows": rows}
        before = ask("baseline", "baseline_rows", asking)
    lines, lost, missed, open_rows = [], 0, 0, 0
    for name, kind in cells:
        was = before[f"{name} {kind}"]
        now = asked(name, kind, rows, was["full"])
        counts = Counter(str(status) for status in now["answers"].status)
        thorough, solver = _left(name, kind, rows, now["answers"])
        lost, missed = lost + thorough, missed + solver
        # A row is short of answers by a proof, or because its work was spent.
        short = now["answers"].record["finished_by"].count("limit")
        open_rows, figures = open_rows + short, [counts[one] for one in STATUSES]
        lines.append([name, kind, *figures, short, thorough, solver, sum(was["full"])])
        lines[-1].extend([was["ms"], now["ms"], was["barred"], now["barred"]])
    asked_rows = rows * len(cells)
    record.check("No row is lost that a thorough search answers", lost == 0, f"{lost} rows")
    record.check(
        "At most 0.5 % of rows are lost that the solver answers in 60 s",
        missed <= 0.005 * asked_rows,
        f"{missed} of {asked_rows} rows",
    )
    record.check(
        "Every row is found, or provably has no more answers", open_rows == 0, f"{open_rows} rows"
    )
    ratio = sum(line[-3] for line in lines) / sum(line[-4] for line in lines)
    record.check("1.3 times the former time where rows were full", ratio <= 1.3, f"{ratio:.2f}")
    record.table(
        "Rows of six further tables under four rules",
        COLUMNS,
        lines,
        "k = 4. not proved: rows short of answers, without a proof that there are no more. "
        "thorough finds, solver finds: rows that are not found by default, and are by a "
        "thorough search, or by the solver in 60 s. Milliseconds of CPU per row that was full "
        "before; none possible: a batch in which every feature is fixed.",
    )


def _left(name: str, kind: str, rows: int, answers: ifonly.Answers) -> tuple[int, int]:
    """How many rows without an answer a thorough search answers, and the solver after it."""
    left = np.array([status == "not_found" for status in answers.status])
    if not left.any():
        return 0, 0
    one, model = task(name, kind, rows)
    asking = one.rows[left].reset_index(drop=True)
    found = []
    for method in (Engine(effort="thorough"), Exact(limit=60)):
        explainer = ifonly.Explainer(model, data=one.train, method=method)
        part = explainer.explain(asking, k=1, rules=list(RULES[name]))
        found.append(int(part.filled.any(axis=1).sum()))
        asking = asking[~part.filled.any(axis=1)].reset_index(drop=True)
    return found[0], found[1]


def _seconds(action: Callable[[], Any]) -> float:
    """The CPU seconds of one run."""
    start = time.process_time()
    action()
    return time.process_time() - start
