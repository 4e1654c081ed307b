"""All that a report is written from: the evidence of a run, and every claim decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ifonly.datasets import load
from ifonly.errors import FileError
from ifonly.paper.authors.records import Records
from ifonly.paper.claims import CLAIMS, Evidence, Verdict, decide
from ifonly.paper.report import evidence, tables
from ifonly.paper.runs.cells import Plan
from ifonly.paper.runs.results import Results


@dataclass(frozen=True, eq=False)
class Findings:
    """The plan, its results, the evidence on both sides, and the verdicts."""

    plan: Plan
    results: Results
    ours: Evidence
    theirs: Evidence | None
    verdicts: list[Verdict]
    facts: Mapping[str, Any]
    """When, where, with what and how long."""

    @property
    def records(self) -> Records | None:
        """The authors' records, where they are at hand."""
        return None if self.plan.records is None else Records(self.plan.records)

    @property
    def accuracy(self) -> pd.DataFrame:
        """The table of test accuracies."""
        weights = None if self.theirs is None else self.theirs.models
        return tables.accuracies(self.ours.models, weights)

    @property
    def echo(self) -> pd.DataFrame:
        """The authors' own counterfactuals through our test of the boundary."""
        return tables.echoed(self.results.table("echo"), self.records)


def find(plan: Plan, results: Results, facts: Mapping[str, Any]) -> Findings:
    """The evidence of a run, and every claim decided."""
    ours = evidence.ours(results)
    known = tuple(one for one in plan.data if _at_hand(one))
    theirs = None if plan.records is None else evidence.theirs(Records(plan.records), known)
    return Findings(plan, results, ours, theirs, decide(CLAIMS, ours, theirs), facts)


def _at_hand(data: str) -> bool:
    try:
        load(data)
    except FileError:
        return False
    return True
