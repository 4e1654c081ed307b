"""What the tables of `scale` have in common: rows, who answers them, and when parts were ready."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import ifonly
from gpu import jittered
from ifonly import scale
from ifonly.search import Engine
from published import published


def explainer(effort: str = "small") -> ifonly.Explainer:
    """The published network of Adult; few candidates, so that 100,000 rows take minutes."""
    problem = published("adult")
    return ifonly.Explainer(
        problem.model, data=problem.train, space=problem.space, method=Engine(effort=effort)
    )


@dataclass
class Timed:
    """When parts were ready, and how many rows there were then.

    Parameters
    ----------
    workers
        How many of them make parts at the same time.
    """

    workers: int = 1
    began: float = field(default_factory=time.perf_counter)
    marks: list[tuple[float, int]] = field(default_factory=list)

    def __call__(self, now: scale.Progress) -> None:
        self.marks.append((time.perf_counter(), now.done))

    @property
    def started(self) -> tuple[float, int]:
        """The mark at which every worker may have made its first part."""
        return self.marks[self.workers - 1]

    @property
    def seconds(self) -> float:
        """From the beginning to the last part."""
        return self.marks[-1][0] - self.began

    @property
    def speed(self) -> float:
        """Rows per second, from the first part of each worker to the last part of all."""
        (first, before), (last, rows) = self.started, self.marks[-1]
        return (rows - before) / (last - first)

    @property
    def start(self) -> float:
        """The seconds before the first part, less what its rows take one worker."""
        first, rows = self.marks[0]
        return first - self.began - rows / (self.speed / self.workers)


def written(folder: Path, rows: int) -> Path:
    """A file of so many rows of Adult, few of them alike."""
    path = folder / f"rows-{rows}.parquet"
    if not path.exists():
        jittered(rows).to_parquet(path, row_group_size=10_000)
    return path
