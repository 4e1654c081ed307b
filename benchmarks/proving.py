"""Nearest answers by solving, and the default engine's nearest answers beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.answers.certificates import PROVED
from ifonly.models import Counted
from ifonly.problem.problem import Problem
from ifonly.search import Exact
from timing import seconds

LIMIT = 30.0
"""The most seconds for a row."""
COLUMNS = (
    "rows",
    "proved",
    "refuted",
    "median s",
    "worst s",
    "ms per row",
    "engine: nearest",
    "engine: median gap",
    "engine: mean gap",
    "engine: within 5 %",
)
NOTE = (
    "By method=Exact(limit=30), k = 1. proved: the share of rows whose answer is said to be the "
    "nearest of all; refuted: how many of these the engine has a nearer answer for, by more than "
    f"{PROVED:g} of the price, which shows the proof to be wrong. s: the seconds that solving a "
    "row takes; ms per row: the whole call, programs built, the model read before. engine: "
    "method='auto', k = 1, on the rows proved; its gap is how much dearer its answer is than the "
    "nearest, as a share of that. By price: the distance, plus the sparsity times the share of "
    "features changed."
)


@dataclass(frozen=True)
class Proved:
    """What solving proves of some rows, and the gaps of the default engine's answers."""

    done: np.ndarray
    """bool [q] the rows whose nearest answer is said to be proved."""
    taken: np.ndarray
    """[q] the seconds of each row."""
    each: float
    """The seconds of the whole call, a row."""
    nearest: np.ndarray
    """[rows done] the price of the nearest answer, by the proof."""
    engine: np.ndarray
    """[rows done] the price of the engine's answer; infinite without one."""
    answers: ifonly.Answers
    """What solving found."""

    @property
    def refuted(self) -> int:
        """The rows for which the engine has a nearer answer than the nearest."""
        return int((self.engine < self.nearest * (1 - PROVED)).sum())

    @property
    def gap(self) -> np.ndarray:
        """[rows done] by what share the engine's answer is further than the nearest known."""
        return self.engine / np.minimum(self.engine, self.nearest) - 1

    def line(self) -> list[Any]:
        """The figures in the order of COLUMNS."""
        gap = self.gap
        return [
            len(self.done),
            float(self.done.mean()),
            self.refuted,
            float(np.median(self.taken)),
            float(self.taken.max()),
            1e3 * self.each,
            float((gap <= PROVED).mean()),
            float(np.median(gap)),
            float(gap.mean()),
            float((gap <= 0.05).mean()),
        ]


def prove(
    model: Any, rows: pd.DataFrame, engine: ifonly.Answers, limit: float, **options: Any
) -> Proved:
    """What is proved of rows, beside the default engine's answers to them."""
    solver = ifonly.Explainer(model, method=Exact(limit=limit), **options)
    found: list[ifonly.Answers] = []
    whole = seconds(lambda: found.append(solver.explain(rows, k=1)))
    table = pd.DataFrame(found[0].certificates())
    done = table["proved"].to_numpy() & np.isfinite(table["bound"])
    price = np.where(engine.filled, engine.price(), np.inf)[:, 0]
    return Proved(
        done,
        table["seconds"].to_numpy(),
        whole / len(rows),
        table["price"][done].to_numpy(),
        price[done],
        found[0],
    )


def posed(answers: ifonly.Answers) -> Problem:
    """The problem that some answers answer."""
    source = answers.source
    model = Counted(source.setting.model, source.setting.route)
    return source.batch.pose(source.setting, model, np.arange(len(answers.x)))
