"""Where answers come from, so that they can be asked further questions.

It is kept beside fresh answers and does not travel with saved ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ifonly.answering import status_of, wanted_score
from ifonly.answers import Answers
from ifonly.batch import Batch
from ifonly.clashing import clash
from ifonly.errors import OptionError
from ifonly.methods import Method
from ifonly.models import Counted
from ifonly.pool import Pool
from ifonly.preparing import Setting
from ifonly.rules import Rule
from ifonly.select import Determinant, Needed, Selector
from ifonly.solving import judged, pool_of
from ifonly.status import Status
from ifonly.why import Why

MOST_ROWS = 2000
"""Up to how many rows the pools of a search are kept."""
MOST_MOVES = 5000
"""How many combinations of values are asked about for a row."""


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
            sets[float(one)] = self._chosen(answers, Needed(choice) if minimal else choice, one)
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
        pool = pool_of(problem, self.method, answers.k)
        points = problem.result(pool.points[:, pool.valid[0]])
        broken = {
            str(rule): int((~rule.holds(problem.space, problem.x, points)).sum()) for rule in rules
        }
        most = sorted((item for item in broken.items() if item[1]), key=lambda item: -item[1])
        return Why(status, note, (), model.rows, points.shape[1], dict(most))

    def outcomes(self, points: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] to which the model gives the wanted outcome.

        Rules are not looked at; `asked` [q, m] says which points matter. Where causes are known,
        points are actions, and what follows from them is what the model is asked about.
        """
        model, goal = Counted(self.setting.model, self.setting.model), self.batch.goal
        rows, _ = np.nonzero(asked)
        if self.setting.causes is not None:
            points = self.setting.causes.follow(self.batch.x, points)
        codes = points[asked]
        decided, scores = model.own(codes, decide=not goal.by_scores, score=False)
        each = None if decided is None else decided[:, None]
        met = np.zeros(asked.shape, dtype=bool)
        met[asked] = goal.take(rows).met(scores[:, None], each)[:, 0]
        return met

    def moves(self, x: np.ndarray, columns: Sequence[int]) -> np.ndarray:
        """[q, m, d] rows x [q, d] with every combination of values of some features."""
        grids = [self.setting.grid.fine[j] for j in columns]
        count = int(np.prod([len(grid) for grid in grids]))
        if count > MOST_MOVES:
            raise OptionError(
                f"These features have {count} combinations of values.",
                "Ask about fewer at a time.",
            )
        points = np.repeat(x[:, None], count, axis=1)
        points[:, :, list(columns)] = np.array(list(product(*grids)))
        return points

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
