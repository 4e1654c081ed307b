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


def explainer() -> ifonly.Explainer:
    """The published network of Adult; few candidates, so that 100,000 rows take minutes."""
    problem = published("adult")
    return ifonly.Explainer(
        problem.model, data=problem.train, space=problem.space, method=Engine(effort="small")
    )


@dataclass
class Timed:
    """When parts were ready."""

    began: float = field(default_factory=time.perf_counter)
    first: float = 0.0
    first_rows: int = 0
    last: float = 0.0
    rows: int = 0

    def __call__(self, now: scale.Progress) -> None:
        self.last, self.rows = time.perf_counter(), now.done
        if not self.first:
            self.first, self.first_rows = self.last, now.done

    @property
    def speed(self) -> float:
        """Rows per second from the first part to the last."""
        return (self.rows - self.first_rows) / (self.last - self.first)

    def start(self, workers: int) -> float:
        """The seconds before the first part, less what its rows take one worker."""
        return self.first - self.began - self.first_rows / (self.speed / workers)


def written(folder: Path, rows: int) -> Path:
    """A file of so many rows of Adult, few of them alike."""
    path = folder / f"rows-{rows}.parquet"
    if not path.exists():
        jittered(rows).to_parquet(path, row_group_size=10_000)
    return path
