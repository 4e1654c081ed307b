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
from ifonly.errors import OptionError
from ifonly.methods import Method
from ifonly.models import Counted
from ifonly.pool import Pool
from ifonly.posing import pose
from ifonly.preparing import Setting
from ifonly.select import Determinant, Needed, Selector
from ifonly.solving import judged
from ifonly.target import Goal

MOST_ROWS = 2000
"""Up to how many rows the pools of a search are kept."""
MOST_MOVES = 5000
"""How many combinations of values are asked about for a row."""


@dataclass(frozen=True)
class Source:
    """The setting, the goal, and the candidates that a search has found."""

    setting: Setting
    method: Method
    goal: Goal
    seed: int
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

    def outcomes(self, points: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] to which the model gives the wanted outcome.

        Rules are not looked at; `asked` [q, m] says which points matter.
        """
        model = Counted(self.setting.model, self.setting.model)
        rows, _ = np.nonzero(asked)
        codes = points[asked]
        scores = model.own_scores(codes)
        decided = model.decide(codes) if self.goal.threshold is None else None
        each = None if decided is None else decided[:, None]
        met = np.zeros(asked.shape, dtype=bool)
        met[asked] = self.goal.take(rows).met(scores[:, None], each)[:, 0]
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
        score = answers.score.copy()
        model = Counted(self.setting.model, self.setting.route)
        method = replace(self.method, selector=selector)
        for rows, pool in self.pools:
            problem = pose(self.setting, model, answers.x[rows], self.goal.take(rows), self.seed)
            chosen = selector.select(problem, pool, answers.k)
            solved = judged(problem, method, pool, *chosen)
            points[rows], filled[rows] = solved.points, solved.filled
            score[rows] = wanted_score(solved.scores, problem.goal)
        record: dict[str, Any] = {**answers.record, "diversity": diversity}
        status = status_of(filled, answers.status)
        return replace(
            answers, points=points, filled=filled, score=score, status=status, record=record
        )
