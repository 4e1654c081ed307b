"""Diverse answers of a linear model by a mixed encoding: none makes a move of those before it.

Written from the description of Russell's method ('Efficient Search for Diverse Coherent
Explanations', 2019). A category moves to a level. A number takes one of its special levels, or it
moves within its range, which is one move wherever it ends. The nearest answer of all comes first;
its moves are forbidden, the nearest answer without them comes next, and so on until none is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ifonly.errors import ModelError, OptionError, nearest
from ifonly.models.reading import Layers, Reading
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.rules.formula import Affine
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.exclusions import Unlike
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.row_by_row import solve_rows
from ifonly.space import Continuous, Metric, Space
from ifonly.space.distance import differs

Levels = Mapping[str, Sequence[float]]
"""The special levels of numbers, by the feature's name."""


@dataclass(frozen=True)
class MixedInteger:
    """k answers of a linear model, each the nearest that makes no move of those before it.

    `special` are values of numbers that stand for something of their own, such as -9 for 'never'.
    `limit` is the most seconds for an answer.
    """

    special: Levels = field(default_factory=dict)
    limit: float | None = 60.0
    needs: ClassVar[frozenset[str]] = frozenset({"reading"})

    def __post_init__(self) -> None:
        if self.limit is not None and not self.limit > 0:
            raise OptionError(f"limit is {self.limit!r}.", "It is a number above 0, or None.")

    def search(self, problem: Problem, k: int) -> Pool:
        """The answers of each row, nearest first; fewer where none is left."""
        return self.prove(problem, k)[0]

    def prove(self, problem: Problem, k: int) -> tuple[Pool, Proof]:
        """The same answers, and the bound of the first."""
        check_special(problem.space, self.special)
        if problem.reading is not None:
            check_linear(problem.reading)
        nothing = [problem.x[:0]] * len(problem.x)
        return solve_rows(problem, k, nothing, self.limit, [OtherMoves(special=self.special)])


@dataclass(frozen=True, eq=False)
class OtherMoves(Unlike):
    """It makes no move that a point taken makes."""

    special: Levels = field(default_factory=dict)

    def _resembles(self, problem: Problem, codes: np.ndarray, point: np.ndarray) -> np.ndarray:
        shared = problem.changed(codes[None])[0] & problem.changed(point[None, None])[0]
        for j, name in enumerate(problem.space.names):
            both = np.append(codes[:, j], point[j])
            free = ~np.isin(both, self.special.get(name, ())) & ~np.isnan(both)
            free &= problem.space.continuous[j]
            shared[:, j] &= ~differs(both[:-1], both[-1]) | (free[:-1] & free[-1])
        return np.asarray(shared.any(axis=1))

    def _exclude(self, row: Row, metric: Metric, point: np.ndarray) -> None:
        for name, part, code in zip(row.space.names, row.parts, point, strict=True):
            if code != part.own and not (np.isnan(code) and np.isnan(part.own)):
                row.program.row(_move(part, float(code), self.special.get(name, ())), high=0.0)


def check_linear(reading: Reading) -> None:
    """Refuse a model that is not linear."""
    if isinstance(reading, Layers) and len(reading.layers) == 1:
        return
    kind = (
        f"a network of {len(reading.layers)} layers"
        if isinstance(reading, Layers)
        else f"a sum of {len(reading.trees)} trees"
    )
    raise ModelError(
        f"MixedInteger takes linear models, and this is {kind}.",
        "method='exact' takes networks and trees, too.",
    )


def check_special(space: Space, special: Levels) -> None:
    """Refuse special levels that no number of a space can take."""
    for name, levels in special.items():
        if name not in space.names:
            raise OptionError(
                f"special lists levels of {name!r}, which is no feature.",
                nearest(name, space.names),
            )
        feature = space.features[space.index(name)]
        if not isinstance(feature, Continuous):
            raise OptionError(
                f"special lists levels of {name!r}, which is a category.",
                "All levels of a category are moves of their own: leave it out.",
            )
        for level in levels:
            inside = feature.low <= level <= feature.high
            if not inside or round(level, feature.decimals) != level:
                raise OptionError(
                    f"special lists {level!r}, which {name!r} cannot be.",
                    f"It goes from {feature.low} to {feature.high} in steps of {feature.step}.",
                )


def _move(part: Number | Category, code: float, special: Sequence[float]) -> Affine:
    """1 where a feature makes the move that leads to a code."""
    if np.isnan(code):
        return part.missing
    if isinstance(part, Category):
        return part.levels[int(code)]
    places = {round(level * part.power) for level in special}
    own = {place: part.moves_to([(place, place)]) for place in sorted(places)}
    return own.get(round(code * part.power), part.moves - Affine.total(own.values()))
