"""The posed batch of rows, and the one judge of what answers them.

A problem is frozen and answers pure questions: how far is a point from the wanted outcome, how far
from its row, is it possible, is it an answer. Searchers, refiners and selectors ask nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ifonly.causal import Causes
from ifonly.models import Counted, Differentiable
from ifonly.models.reading import Reading, Trees
from ifonly.models.routes.lookup import Lookup
from ifonly.plausible import Usual
from ifonly.problem.demand import Demand, least_margin
from ifonly.problem.goal import Goal
from ifonly.problem.moves import Grid, Moves
from ifonly.problem.pool import Pool
from ifonly.problem.reference import Reference
from ifonly.rules import Box, Rule
from ifonly.rules.rule import repaired, violation
from ifonly.space import Metric, Space
from ifonly.space.distance import differs
from ifonly.space.table.carry import tagged


@dataclass(frozen=True)
class Problem:
    """Rows x [q, d] with what each one wants and may become."""

    space: Space
    model: Counted
    goal: Goal
    x: np.ndarray
    box: Box
    rules: tuple[Rule, ...]
    """What every row obeys."""
    metric: Metric
    grid: Grid
    reference: Reference
    stream: np.ndarray
    """uint64 [q] the key of each row's random stream."""
    seed: int = 0
    gradient: Differentiable | None = None
    """The model with a gradient, where the method needs one."""
    causes: Causes | None = None
    """What follows from what: points are then actions, and `result` is what they lead to."""
    reading: Reading | None = None
    """The model's layers or trees, where the method needs them."""
    trees: Callable[[], Trees | None] = lambda: None
    """The model's trees, to propose by: right on the value grid, and not checked."""
    limits: Box | None = None
    """Where causes are known: what a row may become, while `box` says what may be acted on."""
    usual: Usual | None = None
    """How usual points are, where the choice prefers those that are."""
    own_rules: tuple[tuple[Rule, ...], ...] = ()
    """What single rows obey besides, all of it in the box; empty, or one entry per row."""
    places: np.ndarray | None = None
    """[q] where each row's carried columns are, if the model takes any."""
    demands: tuple[Demand, ...] = ()
    """What answers must meet besides."""

    @cached_property
    def moves(self) -> Moves:
        """Where each row may go; made where it is asked for."""
        return Moves.of(self.box, self.grid.fine)

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
        result = self.result(points)
        asked = tagged(result, self.places)
        if not inside or self.causes is not None:
            allowed = self._possible(points, result)
        else:
            allowed = self._obey(points)
            allowed &= among is None or self.changed(points).any(axis=-1)
        allowed &= among is None or among
        if allowed.all() or (among is None and isinstance(self.model.route, Lookup)):
            # A table is read faster for all points than for some.
            scores = self.model.scores(asked.reshape(-1, asked.shape[-1]))
            margin = self.goal.margin(scores.reshape(*points.shape[:2], scores.shape[-1]))
            margin = margin if allowed.all() else np.where(allowed, margin, -np.inf)
        else:
            margin = np.full(allowed.shape, -np.inf)
            rows, _ = np.nonzero(allowed)
            scores = self.model.scores(asked[allowed])
            margin[allowed] = self.goal.take(rows).margin(scores[:, None, :])[:, 0]
        unknown = np.isnan(margin)  # what a budget leaves unasked, or the model fails for
        if self.early != self.relations:
            unknown |= self.late(result, margin > 0)
        margin = np.where(unknown, -np.inf, margin) if unknown.any() else margin
        return self.demanded(result, margin) if self.demands else margin

    def demanded(self, result: np.ndarray, margin: np.ndarray, *, by: str = "") -> np.ndarray:
        """[q, m] margins of results [q, m, d], or what demands, `by` themselves, leave of them."""
        demands = [getattr(one, by, one) for one in self.demands]
        return least_margin(demands, self.model, self.goal, self.x, result, margin)

    def clearly(self, margin: np.ndarray) -> np.ndarray:
        """bool [...]: margins that stay above 0 if a network is asked in place of its table."""
        route = self.model.route
        return margin > (route.slack if isinstance(route, Lookup) else 0.0)

    def ask(self, points: np.ndarray) -> Pool:
        """The points, moved to where the rules hold, with their margins."""
        points = self.repaired(points)
        return Pool(points, self.margin(points))

    def repaired(self, points: np.ndarray) -> np.ndarray:
        """[q, m, d] points moved to where the rules hold that no box can express, or near it."""
        if not self.tied.any():
            return points
        if self.limits is None:
            return repaired(self.early, self.box, points)
        result = self.result(points)
        moved = repaired(self.early, self.box, result)
        # A consequence that may not be is acted on, where it can be.
        moved = np.where(self.bounded[:, None, None], self.limits.clip(moved), moved)
        return np.where((moved != result) & self.box.contains(moved), moved, points)

    def violation(self, points: np.ndarray) -> np.ndarray:
        """[q, m] by how much points [q, m, d] break the rules that no box can express.

        No box of actions can express what rules say of the consequences.
        """
        result = self.result(points)
        broken = violation(self.early, self.box, result)
        if self.limits is None:
            return broken
        away = np.nan_to_num(np.abs(self.limits.clip(result) - result), nan=1.0)
        away = (away / self.metric.mad).sum(axis=-1)
        return np.asarray(broken + np.where(self.bounded[:, None], away, 0.0))

    def result(self, points: np.ndarray) -> np.ndarray:
        """[q, m, d] what points lead to: themselves, or what follows from them as actions."""
        return points if self.causes is None else self.causes.follow(self.x, points)

    @property
    def tied(self) -> np.ndarray:
        """bool [q]: the rows of which rules say more than the box does."""
        return self.bounded | bool(self.early)

    @property
    def bounded(self) -> np.ndarray:
        """bool [q]: the rows with a rule on a single feature that follows from others."""
        if self.causes is None or self.limits is None:
            return np.zeros(len(self.x), dtype=bool)
        effects = list(self.causes.effects)
        low, high = self.limits.low[:, effects], self.limits.high[:, effects]
        narrow = (low > self.space.low[effects]) | (high < self.space.high[effects])
        return np.asarray((narrow | ~self.limits.keep[:, effects]).any(axis=1))

    @cached_property
    def relations(self) -> tuple[Rule, ...]:
        """The rules that the box does not say all of."""
        return tuple(rule for rule in self.rules if not rule.boxed)

    @cached_property
    def early(self) -> tuple[Rule, ...]:
        """Those of them that every point is asked about; the others are `late`."""
        return tuple(rule for rule in self.relations if not rule.late)

    @property
    def eased(self) -> Problem:
        """The problem without the rules that take long to ask; itself, where there are none."""
        eased = tuple(rule for rule in self.rules if not rule.late)
        return self if len(eased) == len(self.rules) else replace(self, rules=eased)

    def late(self, result: np.ndarray, among: np.ndarray) -> np.ndarray:
        """bool [q, m]: which of some results [q, m, d] a rule that takes long to ask forbids."""
        forbidden = np.zeros(among.shape, dtype=bool)
        rows, slots = np.nonzero(among)
        for rule in (rule for rule in self.rules if rule.late):
            held = rule.holds(self.space, self.x[rows], result[rows, slots][:, None])
            forbidden[rows, slots] |= ~held[:, 0]
        return forbidden

    def rules_of(self, row: int) -> tuple[Rule, ...]:
        """All rules that a row obeys."""
        return self.rules + (self.own_rules[row] if self.own_rules else ())

    def _possible(self, points: np.ndarray, result: np.ndarray) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] that change something and that the rules allow."""
        allowed = self._lie_inside(points, result) & self.changed(points).any(axis=-1)
        return np.asarray(allowed & self._obey(result))

    def _lie_inside(self, points: np.ndarray, result: np.ndarray) -> np.ndarray:
        inside = self.box.contains(points).all(axis=-1)
        if self.limits is not None:
            inside &= self.limits.contains(result).all(axis=-1)
        return np.asarray(inside)

    def _obey(self, result: np.ndarray) -> np.ndarray:
        """bool [q, m]: the results that the relations allow."""
        allowed = np.ones(result.shape[:2], dtype=bool)
        for rule in self.early:
            allowed &= rule.holds(self.space, self.x, result)
        return allowed

    def accepts(self, points: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
        """bool [q, m]: the points [q, m, d] that are answers, without their scores."""
        return self.judge(points, among, score=False)[0]

    def judge(
        self, points: np.ndarray, among: np.ndarray | None = None, *, score: bool = True
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which points [q, m, d] are answers, bool [q, m]; scores [q, m, c] and classes [q, m].

        This is the only definition. A point is an answer where it changes something, is a row that
        can be written (every value the row's own, or on the value grid), every rule holds, the
        user's own model decides as wanted, and every demand is met. Scores are NaN and classes -1
        where a rule forbids, or `among` [q, m] leaves out; without `score`, they may all be.
        """
        result = self.result(points)
        accepted = self.lawful(points, result) & self.changed(points).any(axis=-1)
        if among is not None:
            accepted &= among
        rows, _ = np.nonzero(accepted)
        asked, by_scores = tagged(result, self.places)[accepted], self.goal.by_scores
        score |= self.goal.beyond is not None
        decided, own = self.model.own(asked, decide=not by_scores, score=score)
        met = self.goal.take(rows).reached(own, decided)
        if score:
            met &= np.isfinite(own).all(axis=1)  # asked about in full, within the budget
        scores = np.full((*accepted.shape, own.shape[1]), np.nan)
        reached = np.full(accepted.shape, -1)
        scores[accepted] = own
        reached[accepted] = np.nan_to_num(own).argmax(axis=1) if decided is None else decided
        accepted[accepted] = met
        if self.demands:
            accepted = self.demanded(result, np.where(accepted, 1.0, -np.inf), by="itself") > 0
        return accepted, scores, reached

    def lawful(self, points: np.ndarray, result: np.ndarray | None = None) -> np.ndarray:
        """bool [q, m]: the part of the judgement that needs no model."""
        result = self.result(points) if result is None else result
        own = ~self.changed(result)
        written = (self.space.round(result) == result) | np.isnan(result)
        lawful = (own | written).all(axis=-1) & self._lie_inside(points, result)
        for rule in self.rules:
            lawful &= rule.holds(self.space, self.x, result)
        return np.asarray(lawful)

    def distance(self, points: np.ndarray) -> np.ndarray:
        """[q, m] how far points [q, m, d] are from their rows."""
        return np.asarray(self.metric.cost(points, self.x[:, None]))

    def price(self, points: np.ndarray) -> np.ndarray:
        """[q, m] the price of points [q, m, d]: the nearest is the one of the least."""
        return np.asarray(self.metric.price(points, self.x[:, None]))

    def changed(self, points: np.ndarray) -> np.ndarray:
        """bool [q, m, d]: the features in which points differ from their rows."""
        different = differs if self.metric.missing else np.not_equal
        return np.asarray(different(points, self.x[:, None]))

    def ways(self, points: np.ndarray) -> np.ndarray:
        """[q, m, d] what points do to each feature: 0 where they keep it.

        A number goes up (1) or down (-1), a category to a level (its code and 1). To a missing
        value, and of a number from one, it is 0.5.
        """
        way = np.sign(points - self.x[:, None])
        way = np.where(self.space.continuous, way, points + 1.0)
        return np.where(self.changed(points), np.where(np.isnan(way), 0.5, way), 0.0)

    def kept(self, points: np.ndarray) -> np.ndarray:
        """[q, m, d] points with the row's own value (also a negative zero) where none differs."""
        return np.where(self.changed(points), points + 0.0, self.x[:, None])

    def take(self, rows: np.ndarray) -> Problem:
        """The problem of some rows; itself, if these are all in their order."""
        if len(rows) == len(self.x) and (rows == np.arange(len(rows))).all():
            return self
        return replace(
            self,
            goal=self.goal.take(rows),
            x=self.x[rows],
            box=self.box.take(rows),
            limits=None if self.limits is None else self.limits.take(rows),
            stream=self.stream[rows],
            places=None if self.places is None else self.places[rows],
            own_rules=tuple(self.own_rules[row] for row in rows) if self.own_rules else (),
        )
