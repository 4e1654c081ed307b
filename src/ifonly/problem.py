"""The posed batch of rows, and the one judge of what answers them.

A problem is frozen and answers pure questions: how far is a point from the wanted outcome, how far
from its row, is it possible, is it an answer. Searchers, refiners and selectors ask nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ifonly.grid import Grid
from ifonly.models import Counted, Differentiable
from ifonly.moves import Moves
from ifonly.pool import Pool
from ifonly.rules import Box, Rule
from ifonly.space import Metric, Space
from ifonly.target import Goal


@dataclass(frozen=True)
class Reference:
    """Training rows to start from: `codes` [n, d] and the model's `scores` [n, c] of them."""

    codes: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True)
class Problem:
    """Rows x [q, d] with what each one wants and may become."""

    space: Space
    model: Counted
    goal: Goal
    x: np.ndarray
    box: Box
    rules: tuple[Rule, ...]
    metric: Metric
    grid: Grid
    reference: Reference
    stream: np.ndarray
    """uint64 [q] the key of each row's random stream."""
    seed: int = 0
    gradient: Differentiable | None = None
    """The model with a gradient, where the method needs one."""

    @cached_property
    def moves(self) -> Moves:
        """Where each row may go; made once, and taken along by `take`."""
        return Moves.of(self.box, self.grid.fine)

    def reference_margin(self) -> np.ndarray:
        """[q, n] the margins of the reference rows for each row's own goal."""
        scores = self.reference.scores
        return self.goal.margin(np.broadcast_to(scores, (len(self.x), *scores.shape)))

    @property
    def spent(self) -> bool:
        """Whether the budget allows no further round."""
        return self.model.spent

    def margin(
        self, points: np.ndarray, among: np.ndarray | None = None, *, inside: bool = False
    ) -> np.ndarray:
        """[q, m] how far points [q, m, d] are inside the target; -inf where a rule forbids one.

        One model call, for the points that the rules allow; `among` [q, m] leaves out others.
        `inside` says that the points are known to lie in the box, so that it need not be asked.
        """
        if inside and among is None and all(rule.boxed for rule in self.rules):
            scores = self.model.scores(points.reshape(-1, points.shape[-1]))
            return self.goal.margin(scores.reshape(*points.shape[:2], -1))
        allowed = self.feasible(points)
        if among is not None:
            allowed &= among
        margin = np.full(allowed.shape, -np.inf)
        rows, _ = np.nonzero(allowed)
        scores = self.model.scores(points[allowed])
        margin[allowed] = self.goal.take(rows).margin(scores[:, None, :])[:, 0]
        return margin

    def ask(self, points: np.ndarray) -> Pool:
        """The points with their margins."""
        return Pool(points, self.margin(points))

    def feasible(self, points: np.ndarray) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] that change something and that the rules allow."""
        allowed = self.box.contains(points).all(axis=-1) & self.changed(points).any(axis=-1)
        for rule in self.rules:
            if not rule.boxed:
                allowed &= rule.holds(self.space, self.x, points)
        return np.asarray(allowed)

    def accepts(self, points: np.ndarray) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] that are answers."""
        return self.judge(points)[0]

    def judge(
        self, points: np.ndarray, among: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which points [q, m, d] are answers, bool [q, m], and their scores [q, m, c].

        This is the only definition. A point is an answer where it changes something, is a row that
        can be written (every value the row's own, or on the value grid), every rule holds, and the
        user's own model decides as wanted. Scores are NaN where a rule forbids, or `among` [q, m]
        leaves out.
        """
        accepted = self.lawful(points) & self.changed(points).any(axis=-1)
        if among is not None:
            accepted &= among
        rows, _ = np.nonzero(accepted)
        codes = points[accepted]
        decided = self.model.decide(codes) if self.goal.threshold is None else None
        own = self.model.own_scores(codes, decided)
        goal = self.goal.take(rows)
        met = goal.met(own[:, None, :], None if decided is None else decided[:, None])[:, 0]
        scores = np.full((*accepted.shape, own.shape[1]), np.nan)
        scores[accepted] = own
        accepted[accepted] = met
        return accepted, scores

    def lawful(self, points: np.ndarray) -> np.ndarray:
        """bool [q, m]: the part of the judgement that needs no model."""
        own = ~self.changed(points)
        written = (self.space.round(points) == points) | np.isnan(points)
        lawful = (own | written).all(axis=-1)
        lawful &= self.box.contains(points).all(axis=-1)
        for rule in self.rules:
            lawful &= rule.holds(self.space, self.x, points)
        return np.asarray(lawful)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """[q, m] how far points [q, m, d] are from their rows."""
        return np.asarray(self.metric.distance(points, self.x[:, None]))

    def changed(self, points: np.ndarray) -> np.ndarray:
        """bool [q, m, d]: the features in which points differ from their rows."""
        differs = points != self.x[:, None]
        if self.metric.missing:
            differs &= ~(np.isnan(points) & np.isnan(self.x)[:, None])
        return np.asarray(differs)

    def take(self, rows: np.ndarray) -> Problem:
        """The problem of some rows."""
        part = replace(
            self,
            goal=self.goal.take(rows),
            x=self.x[rows],
            box=self.box.take(rows),
            stream=self.stream[rows],
        )
        if "moves" in self.__dict__:
            part.__dict__["moves"] = self.moves.take(rows)
        return part
