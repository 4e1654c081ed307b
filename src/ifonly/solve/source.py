"""Where answers come from, so that they can be asked further questions.

It is kept beside fresh answers and does not travel with saved ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from ifonly.arrays.keys import row_streams, uniforms
from ifonly.models import Counted
from ifonly.problem.goal import Goal
from ifonly.problem.pool import Pool
from ifonly.rules import Rule
from ifonly.solve.method import Method
from ifonly.solve.pose import Batch
from ifonly.solve.prepare import Setting
from ifonly.solve.statuses import wanted_score
from ifonly.space.table.carry import tagged

MOST_ROWS = 2000
"""Up to how many rows the pools of a search are kept."""
MOST_MOVES = 10_000
"""How many combinations of values are asked about for a row."""
MOST_ASKED = 100_000
"""About how many of them are asked about in one call of the model."""
ENDS = 0.05
"""The share of drawn values at either end of a feature's values, where most models go furthest."""


@dataclass(frozen=True)
class Source:
    """The setting, the goal, and the candidates that a search has found."""

    setting: Setting
    method: Method
    batch: Batch
    pools: tuple[tuple[np.ndarray, Pool], ...]
    """For each chunk, the positions of its rows and their candidates."""

    def take(self, rows: np.ndarray) -> Source:
        """The source of some of the rows, by position."""
        pools = []
        for positions, pool in self.pools:
            slot = {int(row): place for place, row in enumerate(positions)}
            new = [place for place, row in enumerate(rows.tolist()) if row in slot]
            if new:
                old = [slot[int(rows[place])] for place in new]
                pools.append((np.array(new), Pool(pool.points[old], pool.margin[old])))
        return replace(self, batch=self.batch.take(rows), pools=tuple(pools))

    def rules_of(self, row: int) -> tuple[Rule, ...]:
        """All rules that a row obeys."""
        return self.setting.all_rules + (self.batch.own[row] if self.batch.own else ())

    def outcomes(
        self, points: np.ndarray, asked: np.ndarray, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] to which the model gives the wanted outcome.

        Rules are not looked at; `asked` [q, m] says which points matter, `rows` [q] whose they are
        (by default, all rows'). Where causes are known, points are actions, and what follows from
        them is what the model is asked about.
        """
        codes, goal = self._posed(points, asked, rows)
        model = Counted(self.setting.model, self.setting.model)
        decided, scores = model.own(codes, decide=not goal.by_scores, score=goal.beyond is not None)
        met = np.zeros(asked.shape, dtype=bool)
        met[asked] = goal.reached(scores, decided)
        return met

    def scores(self, points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """[q, m] the wanted score of points [q, m, d] of some rows [q]: as those of answers."""
        codes, goal = self._posed(points, np.ones(points.shape[:2], dtype=bool), rows)
        model = Counted(self.setting.model, self.setting.model)
        _, scores = model.own(codes, decide=False)
        return wanted_score(scores[:, None], goal).reshape(points.shape[:2])

    def _posed(
        self, points: np.ndarray, asked: np.ndarray, rows: np.ndarray | None
    ) -> tuple[np.ndarray, Goal]:
        """What the model is asked about, [n, d] of the points [q, m, d], and the goal of each."""
        rows = np.arange(len(self.batch.x)) if rows is None else rows
        if self.setting.causes is not None:
            points = self.setting.causes.follow(self.batch.x[rows], points)
        places = self.batch.places
        codes = tagged(points, None if places is None else places[rows])[asked]
        return codes, self.batch.goal.take(rows[np.nonzero(asked)[0]])

    def flips(self, columns: Sequence[int], asked: np.ndarray) -> tuple[np.ndarray, bool]:
        """Which of the rows `asked` [q] get the wanted outcome by other values of some features.

        The second says whether all values were tried, or
        a part of them: then a row may flip and not be found.
        """
        moves, complete = self._moves(columns)
        x, flips = self.batch.x, np.zeros(len(self.batch.x), dtype=bool)
        start = 0
        while start < len(moves) and (asked & ~flips).any():
            rows = np.flatnonzero(asked & ~flips)
            part = moves[start : start + max(1, MOST_ASKED // len(rows))]
            points = np.repeat(x[rows, None], len(part), axis=1)
            points[:, :, list(columns)] = part
            flips[rows] = self.outcomes(points, np.ones(points.shape[:2], bool), rows).any(axis=1)
            start += len(part)
        return flips, complete

    def _moves(self, columns: Sequence[int]) -> tuple[np.ndarray, bool]:
        """Combinations [m, columns] of values of some features, and whether these are all.

        Where there are too many, `MOST_MOVES` are drawn, the same for every row.
        """
        space, stops = self.setting.space, self.setting.grid.stops
        values, complete = [], True
        for j in columns:
            known = space.values(j, MOST_MOVES)
            if len(known) < space.count(j):  # the values beside a tree's split points matter most
                known, complete = np.union1d(known, stops.get(j, known)), False
            values.append(np.append(known, np.nan) if space.features[j].erasable else known)
        if prod(map(len, values)) <= 2 * MOST_MOVES:
            return np.array(list(product(*values))), complete
        stream = row_streams(np.zeros((1, len(space))), self.batch.seed)
        drawn = []
        for j, known in zip(columns, values, strict=True):
            share = uniforms(stream, MOST_MOVES, purpose=j)[0] * (1 + 2 * ENDS) - ENDS
            drawn.append(known[np.clip(share * len(known), 0, len(known) - 1).astype(np.intp)])
        return np.stack(drawn, axis=1), False
