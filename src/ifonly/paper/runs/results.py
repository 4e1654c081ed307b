"""What the cells of a run gave, as tables that charts and claims read.

Means are taken as the paper took them, over the rows where a method found all k ('full'), and over
all rows ('all'); `valid_unique` is over all rows in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ifonly import metrics
from ifonly.errors import IfonlyError
from ifonly.paper.authors.facts import EXACT, LIME, RADII
from ifonly.paper.runs.cells import Cell, Plan
from ifonly.paper.runs.matrix import mark
from ifonly.paper.runs.run import Ended
from ifonly.paper.runs.store import Store

BOTH = "both"
"""The outcomes pooled."""
FIGURES = ("precision", "recall", "f1", "accuracy")


@dataclass(frozen=True, eq=False)
class Results:
    """The frames of the cells that are kept, and why others are missing."""

    frames: Mapping[Cell, pd.DataFrame]
    facts: Mapping[Cell, Mapping[str, Any]] = field(default_factory=dict)
    missing: Mapping[Cell, str] = field(default_factory=dict)

    @classmethod
    def gather(
        cls, cells: Iterable[Cell], plan: Plan, store: Store, ended: Sequence[Ended] = ()
    ) -> Results:
        """All that the store has of some cells."""
        reasons = {one.cell: one.why_not for one in ended if one.why_not}
        frames, facts, missing = {}, {}, {}
        for cell in cells:
            try:
                frame = store.load(cell, mark(cell, plan))
            except IfonlyError as error:
                frame, reasons[cell] = None, error.message
            if frame is None:
                missing[cell] = reasons.get(cell, "It was not asked for.")
            else:
                frames[cell] = frame
                facts[cell] = store.facts(cell, mark(cell, plan))
        return cls(frames, facts, missing)

    def of(self, experiment: str) -> Iterator[tuple[Cell, pd.DataFrame]]:
        """The cells of an experiment with what they gave."""
        return ((cell, one) for cell, one in self.frames.items() if cell.experiment == experiment)

    def table(self, experiment: str) -> pd.DataFrame:
        """What the cells of an experiment gave, one under the other, each line with its cell."""
        parts = [
            frame.assign(data=cell.data, model=cell.model, method=cell.method, k=cell.k)
            for cell, frame in self.of(experiment)
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def sets(self) -> pd.DataFrame:
        """One line a data set, outcome, method, k and kind of mean: the set metrics."""
        return _set_table(self.of("sets"))

    def linear(self) -> pd.DataFrame:
        """The same of the linear models; 'full' means the rows where MixedIntegerCF found all k."""
        exact = {(c.data, c.k): frame for c, frame in self.of("linear") if c.method == EXACT}
        kept = {
            key: set(frame.loc[frame["valid_unique"] >= 1 - 0.5 / key[1], "query"])
            for key, frame in exact.items()
        }
        return _set_table(self.of("linear"), kept)

    def boundary(self) -> pd.DataFrame:
        """One line a data set, outcome, method, k and radius; means over rows with all k.

        LIME's figures are repeated for every k, as the paper draws them.
        """
        lines = []
        ks = sorted({cell.k for cell, _ in self.of("sets")}) or [1]
        for cell, frame in (*self.of("sets"), *self.of("lime")):
            full = frame if cell.method == LIME else frame[_is_full(frame, cell.k)]
            for outcome, part in _by_outcome(full):
                for radius in RADII:
                    figures = {one: part[f"{one} at {radius:g}"].mean() for one in FIGURES}
                    for k in ks if cell.method == LIME else [cell.k]:
                        place = _place(cell, outcome, k)
                        lines.append({**place, "radius": radius, "rows": len(part), **figures})
        return pd.DataFrame(lines)

    @property
    def seconds(self) -> float:
        """What the kept cells took, one after the other."""
        return float(sum(facts.get("seconds", 0.0) for facts in self.facts.values()))

    def times(self) -> pd.DataFrame:
        """One line an experiment and method: its cells and the seconds that they took."""
        lines = [
            {"experiment": c.experiment, "method": c.method, "seconds": facts.get("seconds", 0.0)}
            for c, facts in self.facts.items()
        ]
        if not lines:
            return pd.DataFrame(columns=["experiment", "method", "cells", "seconds"])
        grouped = pd.DataFrame(lines).groupby(["experiment", "method"], sort=False)["seconds"]
        return grouped.agg(cells="count", seconds="sum").reset_index()


def _set_table(
    cells: Iterable[tuple[Cell, pd.DataFrame]],
    kept: Mapping[tuple[str, int], set[int]] | None = None,
) -> pd.DataFrame:
    lines = []
    for cell, frame in cells:
        names = [one for one in frame.columns if " at " not in one and one != "outcome"]
        for outcome, part in _by_outcome(frame):
            means = metrics.summary(part[names], cell.k)
            if kept is not None:
                rows = kept.get((cell.data, cell.k))
                chosen = part[part["query"].isin(rows)] if rows is not None else part[:0]
                named = metrics.summary(chosen[names], cell.k)["all"]
                means["full"] = named.where(means.index != "valid_unique", means["all"])
            for over in ("full", "all"):
                figures = {str(name): float(mean) for name, mean in means[over].items()}
                lines.append({**_place(cell, outcome, cell.k), "over": over, **figures})
    return pd.DataFrame(lines)


def _place(cell: Cell, outcome: str, k: int) -> dict[str, Any]:
    return {"data": cell.data, "outcome": outcome, "method": cell.method, "k": k}


def _by_outcome(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for outcome, part in frame.groupby("outcome"):
        yield str(outcome), part
    yield BOTH, frame


def _is_full(frame: pd.DataFrame, k: int) -> pd.Series[bool]:
    return frame["valid_unique"] >= 1 - 0.5 / k
