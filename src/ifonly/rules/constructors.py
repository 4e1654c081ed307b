"""The rules, as Python makes them: each verb reads as its line of text does."""

from __future__ import annotations

from typing import Any

from ifonly.rules.change_rules import AtMost, Changes, Fixed, OnlyChange, Steps
from ifonly.rules.intervals import Between, Compare, Monotone, Shift
from ifonly.rules.levels import OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.logic import And
from ifonly.rules.rule import Rule
from ifonly.rules.shorthands import Causes, Forbid, Together
from ifonly.rules.transitions import Takes


def fixed(*names: str) -> Rule:
    """The rule that keeps features as they are.

    >>> print(fixed("race"))
    race fixed
    """
    return Fixed(names[0]) if len(names) == 1 else And(tuple(map(Fixed, names)))


def changes(name: str, *, at_least: float = 0.0, at_most: float | None = None) -> Rule:
    """The condition that a feature changes, or that a number changes by so much.

    >>> print(changes("age", at_most=5))
    age changes by at most 5
    """
    if not at_least and at_most is None:
        return Changes(name)
    return Shift(name, "changes", at_least, at_most)  # type: ignore[arg-type]


def only_change(*names: str) -> Rule:
    """The rule that no other feature changes."""
    return OnlyChange(names)


def between(name: str, low: float, high: float) -> Rule:
    """The rule that keeps a number within bounds, a row's own value included.

    >>> print(between("age", 30, 60))
    age between 30 and 60
    """
    return Between(name, float(low), float(high))


def at_most(name: str, high: float) -> Rule:
    """The rule that a number is never more."""
    return Between(name, high=high)


def at_least(name: str, low: float) -> Rule:
    """The rule that a number is never less."""
    return Between(name, low=low)


def one_of(name: str, levels: Any) -> Rule:
    """The rule that keeps a category among some levels, a row's own level included.

    >>> print(one_of("job", ["Sales", "Service"]))
    job in Sales, Service
    """
    return OneOf(name, (levels,) if isinstance(levels, str) else tuple(levels))


def none_of(name: str, levels: Any) -> Rule:
    """The rule that keeps a category from some levels, a row's own level included."""
    return ~one_of(name, levels)


def only_increases(name: str) -> Rule:
    """The rule that a number, or an ordered category, never goes down."""
    return Monotone(name, up=True)


def only_decreases(name: str) -> Rule:
    """The rule that a number, or an ordered category, never goes up."""
    return Monotone(name, up=False)


def increases(name: str, *, at_least: float = 0.0, at_most: float | None = None) -> Rule:
    """The condition that a number, or an ordered category, goes up, or up by so much.

    >>> print(increases("education").implies(increases("age", at_least=2)))
    education increases => age increases by at least 2
    """
    return Shift(name, "increases", at_least, at_most)  # type: ignore[arg-type]


def decreases(name: str, *, at_least: float = 0.0, at_most: float | None = None) -> Rule:
    """The condition that a number, or an ordered category, goes down, or down by so much."""
    return Shift(name, "decreases", at_least, at_most)  # type: ignore[arg-type]


def in_steps(name: str, size: float) -> Rule:
    """The rule that a number changes to multiples of a step."""
    return Steps(name, size)


def at_most_change(count: int, *names: str) -> Rule:
    """The rule that at most so many features change, of all or of those named."""
    return AtMost(count, names)


def together(*names: str) -> Rule:
    """The rule that features change together or not at all."""
    return Together(names)


def causes(cause: str, effect: str) -> Rule:
    """The rule that whoever changes the cause changes the effect."""
    return Causes(cause, effect)


def takes(name: str, moves: Any, of: str = "", *, only: bool = False) -> Rule:
    """The rule on how levels become others: {(before, after): time}, the time spent `of` a number.

    >>> print(takes("education", {("Bachelors", "Masters"): 2}, of="age"))
    education: Bachelors -> Masters takes 2 of age
    """
    return Takes(name, tuple((*pair, time) for pair, time in dict(moves).items()), of, only)


def forbid(*conditions: Rule) -> Rule:
    """The rule that the conditions never hold all at once."""
    return Forbid(conditions)


def relation(left: Any, sign: str, right: Any) -> Rule:
    """The rule that two sums of numbers compare so: {feature: times}, a number, or a feature.

    >>> print(relation({"debt": 1, "loan": 1}, "<=", {"income": 0.4}))
    debt + loan <= 0.4 * income
    """
    if isinstance(left, str) and isinstance(right, int | float):
        return Compare(left, sign, right)
    return Linear(_terms(left), sign, _terms(right))


def _terms(side: Any) -> tuple[tuple[float, str], ...]:
    if isinstance(side, str):
        return ((1.0, side),)
    if isinstance(side, int | float):
        return ((float(side), ""),)
    return tuple((float(times), name) for name, times in dict(side).items())
