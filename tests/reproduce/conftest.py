"""A small run of the paper's matrix, made once: few rows of the smallest data set."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ifonly.paper import Plan, Store, matrix, run
from ifonly.paper.report.findings import Findings, find
from ifonly.paper.report.report import write
from ifonly.paper.runs.machine import machine
from ifonly.paper.runs.results import Results

TINY = Plan(rows=8, ks=(1, 4), samples=60, data=("german_credit", "compas"))
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
    store = Store(tmp_path_factory.mktemp("reproduction"))
    ended = run(matrix(TINY, ONLY), TINY, store, workers=2)
    results = Results.gather(matrix(TINY), TINY, store, ended)
    found = find(TINY, results, {**machine(), "seconds": 1.0})
    return Tiny(TINY, store, found, write(found, store.folder))


@pytest.fixture
def records() -> Path:
    """The folder of the authors' records."""
    if not {"IFONLY_PAPER", "IFONLY_DATA"} <= set(os.environ):
        pytest.skip("IFONLY_PAPER and IFONLY_DATA do not name the paper's records and data")
    return Path(os.environ["IFONLY_PAPER"])


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker has all tests of this folder, so that the small run is made once."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group("reproduce"))
