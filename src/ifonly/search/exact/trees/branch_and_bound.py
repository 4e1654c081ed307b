"""The nearest answer of trees by branch and bound over boxes of points.

A box costs at least what its cheapest point costs, and of each tree it reaches at most the best
leaf that it meets. Boxes are looked at in the order of cost: one that cannot reach the goal is
dropped, one whose cheapest point is an answer has the nearest, and any other is split beside the
leaf that promises most over what its cheapest point comes to.

Where relations between features or earlier answers forbid the cheapest point, a small program says
what is cheapest instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ifonly.search.exact.program.exclusions import OtherPoint, OtherWay, ThisFar, Unlike
from ifonly.search.exact.result import Clock, NearestAnswer
from ifonly.search.exact.trees.choices import Boxes, Choices
from ifonly.search.exact.trees.constrained import forbidden, with_cheapest
from ifonly.search.exact.trees.formulation import TreeFormulation
from ifonly.search.exact.trees.halves import beside_leaves, beside_own, beside_way
from ifonly.search.exact.trees.leaf_boxes import Leaves

BATCH = 64
"""The most boxes that are looked at together."""
CELLS = 2**21
"""The most pairs of a box and a leaf that are looked at together."""
ROOM = 1e-9
"""The share by which a cost may be off for rounding."""


def nearest(
    formulation: TreeFormulation, unlike: Unlike, known: float, clock: Clock
) -> NearestAnswer:
    """The nearest answer unlike those taken and cheaper than a known one, and its bound."""
    search = _Search(formulation, formulation.leaves.below(known), unlike, clock, known)
    if not search.leaves.complete:
        return NearestAnswer(None, known)
    waiting = formulation.choices.whole()
    batch = max(1, min(BATCH, CELLS // len(search.leaves.tree)))
    while len(waiting):
        order = np.argsort(waiting.cost, kind="stable")
        cheapest = float(waiting.cost[order[0]])
        if clock.over:
            return NearestAnswer(search.best, min(cheapest, search.known))
        now, later = waiting[order[:batch]], waiting[order[batch:]]
        clock.spend(len(now))
        waiting = later.join(*search.look_at(now))
        waiting = waiting[waiting.cost < search.known * (1 - ROOM)]
    return NearestAnswer(search.best, search.known)


@dataclass(eq=False)
class _Search:
    """What is known by now of one search."""

    asked: TreeFormulation
    leaves: Leaves
    unlike: Unlike
    clock: Clock
    known: float
    """What is no longer of interest, for an answer costs it, or what costs it is left open."""
    best: np.ndarray | None = None

    def look_at(self, boxes: Boxes) -> list[Boxes]:
        """What is left of boxes, in parts: where there may be a nearer answer."""
        boxes, beside = self._beside_ways(boxes)
        met = self.leaves.met_below(boxes, self.known)
        alive = np.ones(len(boxes), dtype=bool)
        for side in self.leaves.sides:
            alive &= self.leaves.best(side, met).sum(axis=1) >= side.least
        boxes, met = boxes[alive], met[alive]
        unsettled = ~boxes.settled & forbidden(self.asked.problem, boxes.codes, self.unlike)
        beside.append(with_cheapest(self.asked, boxes[unsettled], self.unlike, self.clock))
        boxes, met = boxes[~unsettled], met[~unsettled]
        if not len(boxes):
            return beside
        added = self._added(boxes)
        least = np.array([[side.least] for side in self.leaves.sides])
        short = least - np.stack([one.sum(axis=1) for one in added])
        done, alike = self._judge(boxes, (short <= 0).all(axis=0))
        promise = self._promise(met, added, short)
        leaf = promise.argmax(axis=1)
        # Where no leaf differs, all points are to the model what the cheapest is.
        split = ~done & ~alike & (promise[np.arange(len(boxes)), leaf] > 0)
        return [
            *beside,
            *beside_leaves(self.choices, boxes[split], self.leaves.boxes[leaf[split]]),
            *beside_own(self.choices, boxes[alike]),
        ]

    def _beside_ways(self, boxes: Boxes) -> tuple[Boxes, list[Boxes]]:
        """The boxes whose cheapest points are of no way taken, and what else others have, in parts.

        No model is asked about a way that is taken.
        """
        parts: list[Boxes] = []
        for way in self._ways:
            inside = np.asarray(self.choices.hold(way, boxes.place).all(axis=1))
            if inside.any():
                parts += beside_way(self.choices, boxes[inside], way)
                boxes = boxes[~inside]
        return boxes, parts

    @cached_property
    def _ways(self) -> list[Boxes]:
        """The ways or points that are taken, where an answer must be another."""
        if isinstance(self.unlike, OtherPoint):
            places = [self.choices.places(point[None]) for point in self.unlike.taken]
            return list(map(self.choices.points, places))
        taken = self.unlike.taken if isinstance(self.unlike, OtherWay) else ()
        return [self.choices.way(point) for point in taken]

    @property
    def choices(self) -> Choices:
        return self.asked.choices

    def _added(self, boxes: Boxes) -> list[np.ndarray]:
        """For each side [n, t] what each tree adds for the cheapest point of each box."""
        at = self.leaves.met_by(self.choices.points(boxes.place))
        return [
            np.add.reduceat(np.where(at, side.values, 0.0), self.leaves.starts, axis=1)
            for side in self.leaves.sides
        ]

    def _judge(self, boxes: Boxes, reached: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """bool [n] twice: whose cheapest point is an answer, or left open; and like one taken.

        Left open is what a solver had no time for, or could not tell for rounding.
        """
        done, alike = np.zeros((2, len(boxes)), dtype=bool)
        if not reached.any():
            return done, alike
        problem, codes = self.asked.problem, boxes.codes[reached]
        accepted = problem.accepts(codes[None])[0]
        near = accepted & self.unlike.like(problem, codes)
        left_open = ~problem.lawful(codes[None])[0]
        if isinstance(self.unlike, ThisFar):
            left_open |= near
        answers = np.where(accepted & ~near, problem.price(codes[None])[0], np.inf)
        nearest = int(answers.argmin())
        if answers[nearest] < self.known:
            self.best, self.known = codes[nearest], float(answers[nearest])
        done[reached], alike[reached] = (answers < np.inf) | left_open, near & ~left_open
        self.known = min(self.known, float(boxes.cost[done].min(initial=np.inf)))
        return done, alike

    def _promise(self, met: np.ndarray, added: list[np.ndarray], short: np.ndarray) -> np.ndarray:
        """[n, L] what each leaf met adds over what the cheapest point comes to.

        Of the side on which that falls short most. Where it does not, and the model rejects it
        nevertheless, rounding tells points apart: any leaf that adds something else counts.
        """
        reached, worst = short.max(axis=0) <= 0, short.argmax(axis=0)
        promise = np.full(met.shape, -np.inf)
        for i, side in enumerate(self.leaves.sides):
            gain = side.values - added[i][:, self.leaves.tree]
            gain = np.where(reached[:, None], np.abs(gain), gain)
            counts = reached | (worst == i)
            promise = np.where(counts[:, None], np.maximum(promise, gain), promise)
        return np.where(met, promise, -np.inf)
