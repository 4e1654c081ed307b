"""A summary of many rows without their answers: counts and sums that add up over shards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ifonly.answers import Answers
from ifonly.metrics.sets import set_metrics
from ifonly.status import Status

REASONS = 20
"""So many reasons of failures are listed per shard; the rest are counted together."""
OTHER = "other reasons"
_ASIDE, _NUMBER = (
    re.compile(r" \([^()]*\)"),
    re.compile(r"(?<![\w.])-?[0-9][0-9.,]*[0-9]|\b[0-9]\b"),
)


@dataclass(frozen=True)
class Summary:
    """Counts of rows by status and by reason, and the sums of metrics.

    Parameters
    ----------
    rows
        How many rows.
    statuses
        How many of them ended so.
    failures
        How many have no answer for this reason, by the first sentence of their notes.
    sums
        The sum of each metric over the rows that have it, and how many these are.

    Examples
    --------
    >>> one = Summary(1, {"found": 1}, {}, {"distance": (0.5, 1)})
    >>> (one + one).means
    {'distance': 0.5}
    """

    rows: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, tuple[float, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, answers: Answers, *, sets: bool = True) -> Summary:
        """The summary of answers; without `sets`, of their distances alone, which is cheap."""
        short = (Status.FAILED, Status.NOT_FOUND, Status.INFEASIBLE, Status.PARTIAL)
        reasons = Counter(
            f"{status}: {_reason(note)}"
            for status, note in zip(answers.status, answers.notes, strict=True)
            if status in short
        )
        most = dict(reasons.most_common(REASONS))
        rest = reasons.total() - sum(most.values())
        failures = most | ({OTHER: rest} if rest else {})
        statuses = Counter(map(str, answers.status))
        return cls(len(answers), dict(statuses), failures, _sums(answers, sets=sets))

    def __add__(self, other: Summary) -> Summary:
        sums = dict(self.sums)
        for name, (total, count) in other.sums.items():
            had, of = sums.get(name, (0.0, 0))
            sums[name] = had + total, of + count
        return Summary(
            self.rows + other.rows,
            dict(Counter(self.statuses) + Counter(other.statuses)),
            dict(Counter(self.failures) + Counter(other.failures)),
            sums,
        )

    @property
    def means(self) -> dict[str, float]:
        """The mean of each metric over the rows that have it."""
        return {name: total / count for name, (total, count) in self.sums.items() if count}

    @property
    def answered(self) -> bool:
        """Whether every row has all that it asked for."""
        return all(Status(status).answered for status in self.statuses)

    def to_plain(self) -> dict[str, Any]:
        """The summary as JSON holds it."""
        sums = {name: [total, count] for name, (total, count) in self.sums.items()}
        return {
            "rows": self.rows,
            "statuses": dict(sorted(self.statuses.items())),
            "failures": dict(sorted(self.failures.items())),
            "sums": sums,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Summary:
        """The summary that `to_plain` wrote."""
        sums = {name: (float(total), int(count)) for name, (total, count) in plain["sums"].items()}
        return cls(int(plain["rows"]), plain["statuses"], plain["failures"], sums)


def _reason(note: str) -> str:
    """The first sentence of a note, without what is of its row alone.

    >>> _reason("The rules conflict for this row (income is 12): 'age fixed'. See rules.")
    "The rules conflict for this row: 'age fixed'"
    >>> _reason("age is 95, outside the known range 18 to 90.")
    'age is …, outside the known range … to …'
    """
    first = _NUMBER.sub("…", _ASIDE.sub("", note)).partition(". ")[0].rstrip(".")
    return first or "no reason"


def total(parts: Iterable[Summary]) -> Summary:
    """The summary of all parts together."""
    return sum(parts, Summary())


def _sums(answers: Answers, *, sets: bool) -> dict[str, tuple[float, int]]:
    """The sum of each metric over the rows that have it, and how many these are."""
    distance, filled = answers.distance(), answers.filled
    if sets:
        far = {"distance": distance, "price": answers.price()}
        measured = set_metrics(answers.metric, answers.x, answers.points, filled, **far)
    else:
        count = filled.sum(axis=1)
        mean = np.where(filled, distance, 0.0).sum(axis=1) / np.maximum(count, 1)
        measured = {"answers": count, "distance": np.where(count, mean, np.nan)}
    nearest = np.where(filled, distance, np.inf).min(axis=1, initial=np.inf)
    measured["nearest"] = np.where(np.isfinite(nearest), nearest, np.nan)
    found = {}
    for name, each in measured.items():
        there = np.isfinite(each)
        found[name] = float(np.sum(each[there])), int(there.sum())
    return found
