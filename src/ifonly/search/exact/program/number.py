"""The columns of a program for one number of an answer, which moves on the grid of its values.

Values of the grid are known by their place, a whole number: place / power is the value. What a rule
asks of a single number is between which places it lies. A *cut* is a binary that is 1 where the
number moves to a place or above, and every such condition is a sum of cuts. By how many steps it
moves is a column of its own, made where it is asked for, as relations of numbers do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import pairwise
from operator import le, lt

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules import Box
from ifonly.rules.formula import NO, Affine, NumberVariable, is_multiple
from ifonly.search.exact.program.solver import Program

Piece = tuple[int, int]
"""The first and the last of neighbouring places."""


@dataclass(eq=False)
class Number(NumberVariable):
    """The columns of one number."""

    program: Program
    power: float
    first: int
    """The lowest place that the number may move to."""
    last: int
    hole: int | None
    """The place of the row's own value where that lies among the others: to be there is no move."""
    cuts: dict[int, Affine] = field(default_factory=dict)
    _steps: Affine | None = None
    _links: tuple[int, ...] = ()

    @classmethod
    def of(cls, program: Program, box: Box, j: int, *, keep: bool) -> Number:
        """The columns of feature j of a box of one row; `keep` says whether it may stay."""
        own, power = float(box.x[0, j]), 10.0 ** int(box.space.decimals[j])
        first, last = _places(float(box.low[0, j]), float(box.high[0, j]), power)
        place = None if np.isnan(own) or round(own * power) / power != own else round(own * power)
        first, last = first + (place == first), last - (place == last)
        hole = place if place is not None and first < place < last else None
        move, erase = first <= last, bool(box.erase[0, j]) and not np.isnan(own)
        options = program.choice(move + erase, optional=keep)
        moves, missing = options[0] if move else NO, options[-1] if erase else NO
        return cls(own, moves, missing, program, power, first, last, hole)

    @property
    def value(self) -> Affine:
        own = 0.0 if np.isnan(self.own) else self.own
        value = own - self.missing * own
        ends = [own, *([0.0] if self.missing.most else [])]
        if self.first <= self.last:
            low, high = self.first / self.power, self.last / self.power
            value = value + self.moves * (low - own) + self.steps * (1.0 / self.power)
            ends += [low, high]
        return value.within(min(ends), max(ends))

    @property
    def placed(self) -> bool:
        """Whether a column says where the number is, beside the cuts."""
        return self._steps is not None

    @property
    def steps(self) -> Affine:
        """By how many places the number moves to above the lowest; 0 where it does not move."""
        if self._steps is None:
            if self.first >= self.last:
                return Affine.number(0.0)
            self._steps = self.program.whole(0.0, float(self.last - self.first))
            self._links = self.program.row(self._steps), self.program.row(self._steps)
            if self.hole is not None:
                self.cut(self.hole)
            self._link()
        return self._steps

    def code(self, values: np.ndarray) -> float:
        """The code of a point; where the program left it open, the value nearest to the row's."""
        if self.missing.at(values) > 0.5:
            return np.nan
        if self.moves.at(values) < 0.5:
            return self.own
        if self._steps is not None:
            return (self.first + round(self._steps.at(values))) / self.power
        above = [place for place, cut in self.cuts.items() if cut.at(values) > 0.5]
        below = [self.top(place) for place, cut in self.cuts.items() if cut.at(values) < 0.5]
        low, high = max(above, default=self.first), min(below, default=self.last)
        near = low if np.isnan(self.own) else min(max(round(self.own * self.power), low), high)
        if near == self.hole:
            near += 1 if near < high else -1
        return near / self.power

    def place(self, test: Callable[[float], bool]) -> int:
        """The first place whose value passes a test that all values above then pass, too."""
        places = range(self.first, self.last + 1)
        return self.first + bisect_left(places, True, key=lambda place: test(place / self.power))

    def moves_between(self, intervals: Iterable[tuple[float, float]]) -> Affine:
        return self.moves_to(
            (self.place(partial(le, low)), self.place(partial(lt, high)) - 1)
            for low, high in intervals
        )

    def moves_to_multiples(self, size: float) -> Affine:
        if self.first > self.last:
            return NO
        every = Fraction(size * self.power).limit_denominator(10**6).numerator
        every = max(every, 1)  # the places of multiples are the multiples of this place
        self._check_multiples(size, every)
        if every == 1:
            return self.moves
        rest = self.first % every
        left = self.program.whole(0.0, float(every - 1))
        turns = self.program.whole(0.0, float((rest + self.last - self.first) // every))
        offset = self.moves * float(rest) + self.steps
        self.program.row(offset - turns * float(every) - left, 0.0, 0.0)
        on = self.program.binary()
        self.program.row(self.moves - on, low=0.0)
        self.program.row(left + on * float(every - 1), high=float(every - 1))
        self.program.row(left + on - self.moves, low=0.0)
        return on

    def _check_multiples(self, size: float, every: int) -> None:
        """Refuse a size whose multiples meet the grid at no regular places."""
        places = np.unique(np.linspace(self.first, self.last, 1000).round() // every * every)
        places = np.concatenate([places, places + 1])
        places = places[(places >= self.first) & (places <= self.last)]
        on = is_multiple(places / self.power, size, 1.0 / self.power)
        if not np.array_equal(on, places % every == 0):
            raise RuleError(
                f"The multiples of {size} meet the grid of a number irregularly.",
                f"Give a step that {round(np.log10(self.power))} decimals can write.",
            )

    def moves_to(self, pieces: Iterable[Piece]) -> Affine:
        """1 where the number moves to a place in one of some pieces."""
        inside, end = NO, self.first
        for low, high in sorted(pieces):
            low = max(low, end)  # pieces may overlap
            if low <= high:
                inside = inside + self.cut(low) - self.cut(high + 1)
                end = high + 1
        return inside.within(0.0, 1.0)

    def cut(self, place: int) -> Affine:
        """1 where the number moves to a place or above."""
        place += place == self.hole
        if place <= self.first:
            return self.moves
        if place > self.last:
            return NO
        if place not in self.cuts:
            cut = self.program.binary()
            lower = max((p for p in self.cuts if p < place), default=None)
            upper = min((p for p in self.cuts if p > place), default=None)
            self.program.row((self.moves if lower is None else self.cuts[lower]) - cut, low=0.0)
            if upper is not None:
                self.program.row(cut - self.cuts[upper], low=0.0)
            self.cuts[place] = cut
            self._link()
        return self.cuts[place]

    def _link(self) -> None:
        """Tie the steps to the cuts: at least those of the highest cut below, fewer than the next.

        Each cut adds what its stretch of the grid is long, which is tighter than a row for each.
        """
        if self._steps is None:
            return
        places = sorted(self.cuts)
        bottoms, tops = [self.first, *places], [*map(self.top, places), self.last]
        low, high = self._summed(places, bottoms), self._summed(places, tops)
        high = high + self.moves * float(tops[0] - self.first)
        self.program.revise(self._links[0], self._steps - low, low=0.0)
        self.program.revise(self._links[1], high - self._steps, low=0.0)

    def _summed(self, places: list[int], ends: list[int]) -> Affine:
        """What the stretches between ends come to whose cuts are passed; a cut is one column."""
        columns = [next(iter(self.cuts[place].terms)) for place in places]
        widths = [float(end - start) for start, end in pairwise(ends)]
        terms = {column: width for column, width in zip(columns, widths, strict=True) if width}
        return Affine(terms, 0.0, 0.0, sum(widths))

    def top(self, place: int) -> int:
        """The last place below a cut."""
        return place - 2 if place - 1 == self.hole else place - 1


def _places(low: float, high: float, power: float) -> Piece:
    """The first and the last place between two values; with none, the last is below the first."""
    if low > high:
        return 0, -1
    near = range(round(low * power) - 2, round(low * power) + 3)
    first = near[0] + bisect_left(near, True, key=lambda place: place / power >= low)
    near = range(round(high * power) - 2, round(high * power) + 3)
    last = near[0] + bisect_left(near, True, key=lambda place: place / power > high) - 1
    return first, last
