"""What keeps an answer away from points already known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ifonly.problem.problem import Problem
from ifonly.rules.formula import NO, Affine
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.row import Row
from ifonly.space import Metric
from ifonly.space.distance import differs

ROUNDING = 1e-9
"""The share of a distance by which one that a solver takes for enough may be short of it."""


@dataclass(frozen=True, eq=False)
class Unlike(ABC):
    """How a further answer differs from those taken."""

    taken: tuple[np.ndarray, ...] = ()
    """Points [d]."""

    def like(self, problem: Problem, codes: np.ndarray) -> np.ndarray:
        """bool [n]: which of codes [n, d] of one row are like a point taken."""
        found = np.zeros(len(codes), dtype=bool)
        for point in self.taken:
            found |= self._resembles(problem, codes, point)
        return found

    def state(self, row: Row, metric: Metric) -> None:
        """State that the answer is like no point taken."""
        for point in self.taken:
            self._exclude(row, metric, point)

    @abstractmethod
    def _resembles(self, problem: Problem, codes: np.ndarray, point: np.ndarray) -> np.ndarray:
        """bool [n]: which of codes [n, d] are like one point [d]."""

    @abstractmethod
    def _exclude(self, row: Row, metric: Metric, point: np.ndarray) -> None:
        """State that the answer is not like one point [d]."""


class OtherWay(Unlike):
    """It does not make all changes that a point taken makes.

    A change is a number that goes up or down, or another level. With fewer changes it is still
    another way, so that the nearest such answer needs all of its changes.
    """

    def _resembles(self, problem: Problem, codes: np.ndarray, point: np.ndarray) -> np.ndarray:
        made, way = problem.ways(codes[None])[0], problem.ways(point[None, None])[0, 0]
        return np.asarray(((made == way) | (way == 0)).all(axis=1))

    def _exclude(self, row: Row, metric: Metric, point: np.ndarray) -> None:
        pairs = zip(row.parts, point, _changed(row, point), strict=True)
        made = [_change(part, code) for part, code, changed in pairs if changed]
        row.program.row(Affine.total(made), high=len(made) - 1.0)


class OtherFeatures(Unlike):
    """It does not change exactly the features that a point taken changes."""

    def _resembles(self, problem: Problem, codes: np.ndarray, point: np.ndarray) -> np.ndarray:
        changed = problem.changed(codes[None])[0]
        return np.asarray((changed == problem.changed(point[None, None])[0]).all(axis=1))

    def _exclude(self, row: Row, metric: Metric, point: np.ndarray) -> None:
        pairs = zip(row.parts, _changed(row, point), strict=True)
        alike = [part.changes if changed else part.stays for part, changed in pairs]
        row.program.row(Affine.total(alike), high=len(alike) - 1.0)


class OtherPoint(Unlike):
    """It is not a point taken."""

    def _resembles(self, problem: Problem, codes: np.ndarray, point: np.ndarray) -> np.ndarray:
        return np.asarray(~differs(codes, point).any(axis=1))

    def _exclude(self, row: Row, metric: Metric, point: np.ndarray) -> None:
        other_point(row, point)


@dataclass(frozen=True, eq=False)
class ThisFar(Unlike):
    """It lies at least a distance from each point taken, whatever the way there costs."""

    distance: float = 0.0

    def _resembles(self, problem: Problem, codes: np.ndarray, point: np.ndarray) -> np.ndarray:
        away = problem.metric.distance(codes, point[None])
        return np.asarray(away < self.distance * (1 - ROUNDING))

    def _exclude(self, row: Row, metric: Metric, point: np.ndarray) -> None:
        away = []
        for j, (part, code) in enumerate(zip(row.parts, point, strict=True)):
            scale = float(metric.scale[j])
            if isinstance(part, Category) or np.isnan(code):
                away.append((1.0 - _same(part, code)) * scale)
            else:
                gap = _gap(part, code) * (scale / float(metric.mad[j]))
                away.append(gap + part.absent * scale)
        row.program.row(Affine.total(away), low=self.distance)


def other_point(row: Row, point: np.ndarray) -> None:
    """The answer is not this point [d]."""
    same = [_same(part, code) for part, code in zip(row.parts, point, strict=True)]
    row.program.row(Affine.total(same), high=len(same) - 1.0)


def _changed(row: Row, point: np.ndarray) -> np.ndarray:
    """bool [d]: the features in which a point [d] differs from the row."""
    return np.asarray((point != row.x) & ~(np.isnan(point) & np.isnan(row.x)))


def _change(part: Number | Category, code: float) -> Affine:
    """1 where a feature makes the change that leads to a code: that way, or to that level."""
    if isinstance(part, Category) or np.isnan(code):
        return _same(part, code)
    if np.isnan(part.own):
        return part.moves
    rises = part.cut(part.place(lambda value: value > part.own))
    return rises if code > part.own else (part.moves - rises).within(0.0, 1.0)


def _same(part: Number | Category, code: float) -> Affine:
    """1 where a feature has this code."""
    if np.isnan(code):
        return part.absent
    if code == part.own:
        return part.stays
    if isinstance(part, Category):
        return part.levels.get(int(code), NO)
    place = round(code * part.power)
    return part.moves_to([(place, place)])


def _gap(part: Number, code: float) -> Affine:
    """At most how far a number is from a code; 0 where it is missing."""
    program, value = part.program, part.value
    most = max(value.most - code, code - value.least, 0.0)
    gap, over = program.column(0.0, most), program.binary()
    lost = part.absent * most
    # On one side of the code or the other, the gap is at most the way to it.
    program.row(value - code - gap + (1.0 - over) * (2 * most) + lost, low=0.0)
    program.row(code - value - gap + over * (2 * most) + lost, low=0.0)
    if lost.terms or lost.constant:
        program.row(gap + lost, high=most)
    return gap
