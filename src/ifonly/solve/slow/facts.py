"""What a slow model has said about the candidates of some rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.arrays.keys import point_keys
from ifonly.models import Model
from ifonly.models.emulator import Corrected, Emulator, Silent
from ifonly.models.routes.memo import Memo
from ifonly.problem.problem import Problem
from ifonly.space.table.carry import tagged


@dataclass(frozen=True, eq=False)
class Facts:
    """Codes that the model of a problem was asked about, and its scores."""

    problem: Problem
    codes: np.ndarray
    """[n, d + 1] tagged with the place of their row in the problem."""
    scores: np.ndarray
    """[n, c] NaN where the model fails, or its budget does not reach."""

    @classmethod
    def none(cls, problem: Problem) -> Facts:
        """Nothing is known."""
        d = problem.x.shape[1]
        return cls(problem, np.empty((0, d + 1)), problem.model.scores(np.empty((0, d))))

    @property
    def count(self) -> np.ndarray:
        """[q] how many codes of each row were asked about."""
        return np.bincount(self.codes[:, -1].astype(np.intp), minlength=len(self.problem.x))

    def asked(self, codes: np.ndarray) -> Facts:
        """With what the model says about codes [n, d + 1]."""
        own, places = codes[:, :-1], self.problem.places
        if places is not None:
            own = tagged(own, places[codes[:, -1].astype(np.intp)])
        scores = np.concatenate([self.scores, self.problem.model.scores(own)])
        return replace(self, codes=np.concatenate([self.codes, codes]), scores=scores)

    @property
    def said(self) -> Facts:
        """Those that the model has answered."""
        known = np.isfinite(self.scores).all(axis=1)
        return replace(self, codes=self.codes[known], scores=self.scores[known])

    def unknown(self, codes: np.ndarray) -> np.ndarray:
        """Those of codes [n, d + 1] that were not asked about yet, each once."""
        keys = point_keys(codes, signed=True)
        first = np.zeros(len(keys), dtype=bool)
        first[np.unique(keys, return_index=True)[1]] = True
        return np.asarray(codes[first & ~np.isin(keys, point_keys(self.codes, signed=True))])

    def posed(self, rows: np.ndarray, hope: np.ndarray | None = None) -> Problem:
        """The problem of some rows in which facts are known, and nothing else is an answer.

        With `hope` [q] the rest is guessed, by so much in favour of the wanted outcome.
        """
        problem = self.problem
        other: Model = Silent(problem.model.classes)
        if hope is not None:
            emulator = problem.reference.emulator
            assert emulator is not None, "prepare() has fitted it"
            shift = hope[:, None] * _toward(problem, emulator) * emulator.spread
            said = self.said
            other = Corrected.of(emulator, said.codes, said.scores, shift)
        model = problem.model.imagined(other, Memo.of(self.codes, self.scores))
        places = np.arange(len(problem.x))
        return replace(problem, model=model, places=places, demands=()).take(rows)


def _toward(problem: Problem, emulator: Emulator) -> np.ndarray:
    """[q, t] in which direction the links of scores lead to the wanted outcome."""
    goal, classes = problem.goal, problem.model.classes
    if not classes:
        return np.where(emulator.links(problem.x) < goal.low[:, None], 1.0, -1.0)
    if len(classes) == 2:
        return np.where(goal.wanted == 1, 1.0, -1.0)[:, None]
    one: np.ndarray = np.eye(len(classes))[goal.wanted]
    return one if goal.avoided is None else np.where(goal.avoided[:, None], -one, one)
