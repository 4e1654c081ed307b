"""The rows of one question: what each wants, has already, and obeys by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ifonly.models import Counted
from ifonly.problem.goal import Goal
from ifonly.problem.problem import Problem
from ifonly.rules import Rule
from ifonly.solve.pose import alike, pose
from ifonly.solve.prepare import Setting


@dataclass(frozen=True)
class Batch:
    """Rows x [q, d] with their goal."""

    x: np.ndarray
    goal: Goal
    met: np.ndarray
    """bool [q] which rows have the wanted outcome already."""
    own: tuple[tuple[Rule, ...], ...]
    """Each row's own rules; empty where no row has any."""
    seed: int
    known: np.ndarray
    """bool [q] the rows that the model has given a prediction for; only these are searched."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Why the model fails for some of the others, by position."""

    def chunks(self, size: int) -> list[np.ndarray]:
        """The positions of the known rows, in parts of at most `size` that one problem can hold."""
        groups = [rows[self.known[rows]] for rows in alike(self.own, len(self.x))]
        return [
            rows[start : start + size] for rows in groups for start in range(0, len(rows), size)
        ]

    def take(self, rows: np.ndarray) -> Batch:
        """Some of the rows, by position."""
        places = rows.tolist()
        return Batch(
            self.x[rows],
            self.goal.take(rows),
            self.met[rows],
            tuple(self.own[row] for row in places) if self.own else (),
            self.seed,
            self.known[rows],
            {new: self.failed[old] for new, old in enumerate(places) if old in self.failed},
        )

    def pose(self, setting: Setting, model: Counted, rows: np.ndarray) -> Problem:
        """The problem of some rows."""
        own = [self.own[row] for row in rows] if self.own else []
        return pose(setting, model, self.x[rows], self.goal.take(rows), self.seed, own=own)
