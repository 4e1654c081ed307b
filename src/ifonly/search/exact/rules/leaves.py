"""The leaves of the language of rules as formulas over one row's answer.

Each says that a rule is not false or, where it is not wanted, that it is not true; what is unknown,
for want of a value, is both. Nodes are asked themselves wherever they can be: how one treats a
level or the row's own value is its own affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from operator import le, lt

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules import Rule
from ifonly.rules.box import CLOSE
from ifonly.rules.change_rules import Steps
from ifonly.rules.intervals import OPPOSITE, Bounded
from ifonly.rules.levels import OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.scene import Scene
from ifonly.rules.transitions import Takes
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.expression import NO, YES, Affine
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.part import Part
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.rules.formula import Formula, all_of, any_of, bound

LARGEST = 1e6
"""What multiplies a column in the row of a relation, at the most: solvers want moderate numbers."""


def counted(most: int, parts: Sequence[Part], wanted: bool) -> Formula:
    """That at most so many features change, or that more do."""
    count = Affine.total(part.changes for part in parts)
    return bound(count, high=float(most)) if wanted else bound(count, low=float(most + 1))


def valued(rule: Bounded | OneOf, row: Row, wanted: bool) -> Formula:
    """A rule on the value of one feature."""
    j = row.space.index(rule.name)
    part = row.parts[j]
    if isinstance(part, Category):
        return _levelled(rule, row, j, wanted)
    assert isinstance(rule, Bounded)
    if rule.relative and np.isnan(part.own):
        return YES
    step = _step(row, j)
    pieces = []
    for low, high in rule.intervals(np.asarray(part.own), step):
        least, most = float(low - CLOSE * step), float(high + CLOSE * step)
        pieces.append((part.place(partial(le, least)), part.place(partial(lt, most)) - 1))
    inside = part.between(pieces)
    own = _not_refuted(rule, row, j, [part.own], wanted)[0]
    return part.moved_or_own(inside if wanted else part.moves - inside, own)


def stepped(rule: Steps, row: Row, wanted: bool) -> Formula:
    """A number that moves to multiples of a size."""
    j = row.space.index(rule.name)
    part = row.parts[j]
    assert isinstance(part, Number)
    own = _not_refuted(rule, row, j, [part.own], wanted)[0]
    on = _on_multiples(rule, row, part, j)
    return part.moved_or_own(on if wanted else (part.moves - on).within(0.0, 1.0), own)


def timed(rule: Takes, row: Row, wanted: bool) -> Formula:
    """A category that moves only where a way leads, or where there is time for it."""
    j = row.space.index(rule.name)
    part = row.parts[j]
    assert isinstance(part, Category)
    if np.isnan(part.own):
        return YES
    if not rule.of:
        return _levelled(rule, row, j, wanted)
    need = rule.times(row.space)[int(part.own)]
    need = need if rule.only else np.where(np.isinf(need), 0.0, need)
    ways = [(need == time, _enough(row, rule.of, time, wanted)) for time in np.unique(need)]
    # At the level of a way there is time for it; or, for the opposite, some level lacks its time.
    if wanted:
        return all_of(any_of([_at(part, ~at), enough]) for at, enough in ways)
    return any_of(all_of([_at(part, at), lacking]) for at, lacking in ways)


def related(rule: Linear, row: Row, wanted: bool) -> Formula:
    """A linear relation between numbers."""
    columns = {row.space.index(name): times for name, times in rule.factors.items()}
    unknown = [row.parts[j].stays for j in columns if np.isnan(row.x[j])]
    resolution = rule.resolution(row.space)
    largest = max(abs(times) * _step(row, j) for j, times in columns.items())
    scale = min(1.0 / resolution, LARGEST / largest)
    excess = Affine.total(row.parts[j].value * (times * scale) for j, times in columns.items())
    excess = _tidied(excess - rule.bound * scale)
    # Where all is whole, so is the excess; else the row's own values lie between those of the grid.
    whole = all(number.is_integer() for number in (*excess.terms.values(), excess.constant))
    close, more = (0.0, 1.0) if whole else (CLOSE * 1000 * resolution * scale,) * 2
    formulas = {
        "<": bound(excess, high=-more),
        "<=": bound(excess, high=close),
        "=": bound(excess, -close, close),
        ">=": bound(excess, low=-close),
        ">": bound(excess, low=more),
    }
    if wanted:
        return any_of([*unknown, formulas[rule.sign]])
    opposite = [OPPOSITE[rule.sign]] if rule.sign != "=" else ["<", ">"]
    return any_of([*unknown, *(formulas[sign] for sign in opposite)])


def _levelled(rule: Rule, row: Row, j: int, wanted: bool) -> Affine:
    """A rule on the level of a category alone."""
    part = row.parts[j]
    assert isinstance(part, Category)
    levels = list(range(row.space.offsets[j + 1] - row.space.offsets[j]))
    *allowed, own = _not_refuted(rule, row, j, [*levels, part.own], wanted)
    return part.moved_or_own(part.among(np.array(allowed)), bool(own))


def _not_refuted(rule: Rule, row: Row, j: int, codes: Sequence[float], wanted: bool) -> list[bool]:
    """Whether a rule is not false, or not true, of the row with each code of feature j."""
    points = np.repeat(row.x[None], len(codes), axis=0)
    points[:, j] = codes
    truth = rule.truth(Scene(row.space, row.x[None], points[None]))[0]
    return list((truth if wanted else -truth) >= 0)


def _at(part: Category, levels: np.ndarray) -> Affine:
    """1 where a category is at one of some levels, bool [L]."""
    return part.moved_or_own(part.among(levels), bool(levels[int(part.own)]))


def _enough(row: Row, name: str, time: float, wanted: bool) -> Affine:
    """1 where a number has grown by a time, or has not; it is unknown where no value is."""
    if not 0 < time < np.inf:
        return YES if (time <= 0) == wanted else NO
    j = row.space.index(name)
    part = row.parts[j]
    assert isinstance(part, Number)
    if np.isnan(part.own):
        return YES
    least = float(time - CLOSE * _step(row, j))
    start = part.place(lambda value: value - part.own >= least)
    inside = part.between([(start, part.last)])
    return part.moved_or_own(inside if wanted else part.moves - inside, (least <= 0.0) == wanted)


def _on_multiples(rule: Steps, row: Row, part: Number, j: int) -> Affine:
    """1 where a number moves to a multiple of the rule's size."""
    if part.first > part.last:
        return NO
    size = Fraction(rule.size * part.power).limit_denominator(10**6)
    every = max(size.numerator, 1)  # the places of multiples are the multiples of this place
    _check_multiples(rule, row, part, j, every)
    if every == 1:
        return part.moves
    rest = part.first % every
    left = part.program.whole(0.0, float(every - 1))
    turns = part.program.whole(0.0, float((rest + part.last - part.first) // every))
    part.program.row(part.moves * float(rest) + part.steps - turns * float(every) - left, 0.0, 0.0)
    on = part.program.binary()
    part.program.row(part.moves - on, low=0.0)
    part.program.row(left + on * float(every - 1), high=float(every - 1))
    part.program.row(left + on - part.moves, low=0.0)
    return on


def _check_multiples(rule: Steps, row: Row, part: Number, j: int, every: int) -> None:
    """Refuse a size whose multiples meet the grid at no regular places."""
    places = np.unique(np.linspace(part.first, part.last, 1000).round() // every * every)
    places = np.concatenate([places, places + 1])
    places = places[(places >= part.first) & (places <= part.last)]
    values = places / part.power
    values, places = values[values != part.own], places[values != part.own]
    on = _not_refuted(rule, row, j, list(values), True)
    if not np.array_equal(on, places % every == 0):
        raise RuleError(
            f"The rule '{rule}' has a step that meets the values of {rule.name!r} irregularly.",
            f"Give a step that {int(row.space.decimals[j])} decimals can write.",
        )


def _tidied(sums: Affine) -> Affine:
    """A sum whose numbers are whole where they are but for rounding."""

    def tidy(number: float) -> float:
        near = float(round(number))
        return near if abs(number - near) <= 1e-9 + 1e-13 * abs(number) else number

    terms = {column: tidy(times) for column, times in sums.terms.items()}
    return Affine(terms, tidy(sums.constant), tidy(sums.least), tidy(sums.most))


def _step(row: Row, j: int) -> float:
    return float(10.0 ** -row.space.decimals[j])
