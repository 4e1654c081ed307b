"""What is known of a model's outcome over boxes: proved by its reading, or sampled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.arrays.keys import point_keys
from ifonly.bounds.boxes import Boxes
from ifonly.bounds.hold import WORK, holding
from ifonly.bounds.sampling import share_at_least
from ifonly.models import Counted, Model
from ifonly.models.reading import Reading, holds_around
from ifonly.problem.goal import Goal

DRAWS = 59
"""Points of a box that are drawn of a model that cannot be read: all of them right says, with a
confidence of 95 %, that 95 % of the box are."""
FRESH = 299
"""Points that are drawn anew of a box that was chosen: 299 right ones say 99 %."""
BLOCK = 1 << 17
"""About how many points the model is asked about at a time."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The outcome that rows x [q, d] want, or have, and the model that decides about it."""

    model: Model
    goal: Goal
    reading: Reading | None
    """What proofs are made of; without one, points are drawn."""
    proves: np.ndarray
    """bool [q] the rows around which the reading says what the model says."""

    @classmethod
    def of(
        cls,
        model: Model,
        goal: Goal,
        reading: Reading | None,
        x: np.ndarray,
        known: dict[int, bool] | None = None,
    ) -> Outcome:
        """The outcome of rows x [q, d]; `known` keeps what was found of a row, by its key.

        A margin beyond the outcome is not asked of boxes.
        """
        known = {} if known is None else known
        goal = replace(goal, beyond=None)
        if reading is not None and reading.link == "odds" and goal.threshold is not None:
            reading = None  # no sum says where such a threshold is
        proves = np.zeros(len(x), dtype=bool)
        if reading is not None:
            keys, first, which = np.unique(point_keys(x), return_index=True, return_inverse=True)
            for key, row in zip(keys.tolist(), first, strict=True):
                if key not in known:
                    known[key] = holds_around(reading, model, x[row])
            proves = np.array([known[key] for key in keys.tolist()], dtype=bool)[which.ravel()]
        return cls(model, goal, reading, proves)

    def decided(self, points: np.ndarray, of: np.ndarray) -> np.ndarray:
        """bool [m]: the points [m, d], each of a row of [m], to which the model gives it."""
        counted = Counted(self.model, self.model)
        decided, scores = counted.own(points, decide=not self.goal.by_scores, score=False)
        return self.goal.take(of).reached(scores, decided)

    def least(self, boxes: Boxes, of: np.ndarray, work: int = WORK) -> np.ndarray:
        """[m] how far the outcome of rows is from being lost in boxes; above 0 where it is not.

        Of rows that nothing is proved of, corners are looked at, and points are drawn: it holds
        where all of them have it.
        """
        margin, proves = np.full(len(boxes), -1.0), self.proves[of]
        if self.reading is not None and proves.any():
            rows = of[proves]
            found = holding(
                self.reading,
                self.goal.take(rows),
                boxes[proves],
                work,
                lambda points, box: self.decided(points, rows[box]),
            )
            sums = self.reading.link in ("shares", "number")
            margin[proves] = found if sums else np.tanh(found / 2)
        rest = np.flatnonzero(~proves)
        if len(rest):
            held = self.held(boxes[rest].corners(), of[rest])
            margin[rest] = held - 1.0
            rest = rest[held == 1]
            held = self.held(boxes[rest].draw(DRAWS, seed=0), of[rest])
            margin[rest] = np.where(held == 1, 1.0, held - 1.0)
        return margin

    def certainty(self, boxes: Boxes, of: np.ndarray) -> np.ndarray:
        """[m] 1 for boxes in which the outcome was proved, else the least share that has it.

        The share has a confidence of 95 %, by draws that no search has seen.
        """
        sure, rest = np.ones(len(boxes)), np.flatnonzero(~self.proves[of])
        if len(rest):
            held = FRESH * self.held(boxes[rest].draw(FRESH, seed=1), of[rest])
            sure[rest] = share_at_least(held.round(), FRESH)
        return sure

    def held(self, points: np.ndarray, of: np.ndarray) -> np.ndarray:
        """[m] the share of points [m, count, d] of rows [m] that have their outcome."""
        met, each = np.zeros(points.shape[:2]), np.broadcast_to(of[:, None], points.shape[:2])
        size = max(1, BLOCK // points.shape[1])
        for start in range(0, len(points), size):
            part = slice(start, start + size)
            asked = points[part].reshape(-1, points.shape[2])
            met[part] = self.decided(asked, each[part].ravel()).reshape(met[part].shape)
        return np.asarray(met.mean(axis=1))
