"""Where answers come from, so that they can be asked further questions.

It is kept beside fresh answers and does not travel with saved ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ifonly.answering import status_of, wanted_score
from ifonly.answers import Answers
from ifonly.batch import Batch
from ifonly.clashing import clash
from ifonly.errors import OptionError, PredictionError
from ifonly.methods import Method
from ifonly.models import Counted
from ifonly.models.counted import Contradiction
from ifonly.pool import Pool
from ifonly.preparing import Setting
from ifonly.rules import Rule
from ifonly.select import Determinant, Needed, Selector
from ifonly.solving import judged, pool_of
from ifonly.status import Status
from ifonly.stream import row_streams, uniforms
from ifonly.why import Why

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

    def frontier(self, answers: Answers, diversities: Sequence[float]) -> dict[float, Answers]:
        """The answers that each setting of the knob chooses from the same candidates."""
        if len(answers) > MOST_ROWS:
            raise OptionError(
                f"The candidates of {len(answers)} rows were not kept.",
                f"Ask for at most {MOST_ROWS} rows at a time.",
            )
        own = getattr(self.method.selector, "choice", self.method.selector)
        base = own if isinstance(own, Determinant) else Determinant()
        minimal = isinstance(self.method.selector, Needed)
        sets = {}
        for one in diversities:
            choice = replace(base, diversity=one)
            selector: Selector = Needed(choice) if minimal else choice
            try:
                sets[float(one)] = self._chosen(answers, selector, one)
            except Contradiction:
                plain = replace(self.setting, route=self.setting.model)
                sets[float(one)] = replace(self, setting=plain)._chosen(answers, selector, one)
        return sets

    def rules_of(self, row: int) -> tuple[Rule, ...]:
        """All rules that a row obeys."""
        return self.setting.rules + (self.batch.own[row] if self.batch.own else ())

    def why(self, answers: Answers, row: int) -> Why:
        """What stands in the way of a row: rules that clash, or those that reject candidates.

        The row is searched once more as if there were no rules, and each rule is asked which of
        the candidates with the wanted outcome it rejects.
        """
        status, note = str(answers.status[row]), answers.notes[row]
        if answers.predicted[row] is None:
            return Why(status, note)
        rules = self.rules_of(row)
        if answers.status[row] is Status.INFEASIBLE:
            found = clash(self.setting.space, answers.x[row], rules)
            return Why(status, note, tuple(map(str, found or ())))
        model = Counted(self.setting.model, self.setting.route)
        free = replace(self.setting, rules=())
        problem = replace(self.batch, own=()).pose(free, model, np.array([row]))
        try:
            pool = pool_of(problem, self.method, answers.k)
        except PredictionError as error:
            return Why(status, f"{note} {error.message}".strip())
        points = problem.result(pool.points[:, pool.valid[0]])
        broken = {
            str(rule): int((~rule.holds(problem.space, problem.x, points)).sum()) for rule in rules
        }
        most = sorted((item for item in broken.items() if item[1]), key=lambda item: -item[1])
        return Why(status, note, (), model.rows, points.shape[1], dict(most))

    def outcomes(
        self, points: np.ndarray, asked: np.ndarray, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] to which the model gives the wanted outcome.

        Rules are not looked at; `asked` [q, m] says which points matter, `rows` [q] whose they are
        (by default, all rows'). Where causes are known, points are actions, and what follows from
        them is what the model is asked about.
        """
        rows = np.arange(len(self.batch.x)) if rows is None else rows
        model, goal = Counted(self.setting.model, self.setting.model), self.batch.goal
        if self.setting.causes is not None:
            points = self.setting.causes.follow(self.batch.x[rows], points)
        codes = points[asked]
        decided, scores = model.own(codes, decide=not goal.by_scores, score=False)
        each = None if decided is None else decided[:, None]
        met = np.zeros(asked.shape, dtype=bool)
        met[asked] = goal.take(rows[np.nonzero(asked)[0]]).met(scores[:, None], each)[:, 0]
        return met

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

    def _chosen(self, answers: Answers, selector: Selector, diversity: float) -> Answers:
        points, filled = answers.points.copy(), answers.filled.copy()
        score, acted = answers.score.copy(), answers.acted_features().copy()
        model = Counted(self.setting.model, self.setting.route)
        method = replace(self.method, selector=selector)
        for rows, pool in self.pools:
            problem = self.batch.pose(self.setting, model, rows)
            chosen = selector.select(problem, pool, answers.k)
            solved = judged(problem, method, pool, *chosen)
            points[rows], filled[rows] = solved.points, solved.filled
            acted[rows] = solved.acted
            score[rows] = wanted_score(solved.scores, problem.goal)
        record: dict[str, Any] = {**answers.record, "diversity": diversity}
        status = status_of(filled, answers.status)
        return replace(
            answers,
            points=points,
            filled=filled,
            score=score,
            status=status,
            record=record,
            acted=None if answers.acted is None else acted,
        )
