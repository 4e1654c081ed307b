"""A small run of the paper's matrix, made once: few rows of the smallest data set."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ifonly.paper import Plan, Store, matrix
from ifonly.paper.authors.facts import DATA
from ifonly.paper.experiments import lambdas, training
from ifonly.paper.report import figures
from ifonly.paper.report.findings import Findings, find
from ifonly.paper.report.report import write
from ifonly.paper.runs.machine import machine
from ifonly.paper.runs.results import Results
from ifonly.paper.runs.run import run_cell

TINY = Plan(rows=3, ks=(1, 4), samples=60, data=("german_credit", "compas"))
ONLY = ("german_credit", "sets/compas/ann/*/k=4", "qualitative")


@dataclass(frozen=True)
class Tiny:
    """A run that has ended, with its report."""

    plan: Plan
    store: Store
    found: Findings
    report: Path


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """In this process, where nothing is imported again; test_running.py has workers."""
    store = Store(tmp_path_factory.mktemp("reproduction"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "GRID", {"alpha": (1e-2, 1.0), "learning_rate_init": (0.01,)})
        patch.setattr(training, "FOLDS", 2)
        patch.setattr(lambdas, "LAMBDA1", (0.25, 0.5))
        patch.setattr(lambdas, "LAMBDA2", (0.5, 1.0))
        # Fewer panels are drawn sooner; of the linear models one data set is not run.
        patch.setattr(figures, "DATA", {name: DATA[name] for name in TINY.data})
        ended = [run_cell(cell, TINY, store) for cell in matrix(TINY, ONLY)]
        results = Results.gather(matrix(TINY), TINY, store, ended)
        found = find(TINY, results, {**machine(), "seconds": 1.0})
        return Tiny(TINY, store, found, write(found, store.folder))


@pytest.fixture
def records() -> Path:
    """The folder of the authors' records."""
    if not {"IFONLY_PAPER", "IFONLY_DATA"} <= set(os.environ):
        pytest.skip("IFONLY_PAPER and IFONLY_DATA do not name the paper's records and data")
    return Path(os.environ["IFONLY_PAPER"])
