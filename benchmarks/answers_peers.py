"""dice-ml's answers on the tables and models of the part 'answers', as that part measures them.

Each cell is kept once it is done: peers change with their versions, not with ours.
"""

from __future__ import annotations

import os
import warnings
from itertools import product
from typing import Any

from joblib import Memory, Parallel, delayed

import ifonly
from answers import COLUMNS, QUICK, K, figures, has_ways
from data_tables import MODELS, SETS, fitted, table
from dice_answers import CELL, EACH, METHODS, dice
from record import RESULTS, Record

ROWS = 30


def main(record: Record) -> None:
    """Fill the record."""
    names, kinds = (SETS[4:7], QUICK) if record.quick else (SETS, tuple(MODELS))
    lines = Memory(RESULTS / "quick" / "answers_peers", verbose=0).cache(_lines)
    cells = product(names, kinds)
    found = Parallel(n_jobs=os.cpu_count(), verbose=20)(
        delayed(lines)(*cell, 3 if record.quick else ROWS) for cell in cells
    )
    record.table(
        "dice-ml on the rows of 'What answers are like'",
        (*COLUMNS[:2], "method", "late", *COLUMNS[2:]),
        [line for some in found for line in some],
        f"The first {ROWS} rows, as many as {CELL} seconds allow; late: rows that took {EACH} "
        "seconds without an answer. Answers without the wanted outcome are left out. No answer is "
        "marked; k ways: as ifonly finds them.",
    )


def _lines(name: str, kind: str, rows: int) -> list[list[Any]]:
    """The line of each method."""
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    one = table(name, rows)
    model = fitted(kind, one)
    answers = ifonly.Explainer(model, data=one.train).explain(one.rows, k=K)
    many = has_ways(model, one.train, one.rows, answers)
    lines = []
    for method in METHODS:
        given, late, took = dice(method, one, model, rows, K)
        found = figures(given, model.predict, one.train, many[: len(given)])
        lines.append([name, kind, method, late, *found, took])
    return lines
