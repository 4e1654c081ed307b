"""The rules on one feature, as Python makes them: each verb reads as its line of text does."""

from __future__ import annotations

from typing import Any

from ifonly.rules.change_rules import Changes, Steps
from ifonly.rules.intervals import Between, Monotone
from ifonly.rules.levels import OneOf
from ifonly.rules.percent import Amount, shift
from ifonly.rules.rule import Rule


def changes(name: str, *, at_least: Amount = 0.0, at_most: Amount | None = None) -> Rule:
    """The condition that a feature changes, or that a number changes by so much.

    Parameters
    ----------
    name
        The feature.
    at_least
        The least change of a number, or in levels, in either direction.
    at_most
        The largest change of a number, or in levels; None: any. '10%' is a share of the row's
        own value, here and in `at_least`.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        An amount is negative, or the least exceeds the largest.

    Examples
    --------
    >>> print(changes("age", at_most=5))
    age changes by at most 5
    >>> print(changes("income", at_most="10%"))
    income changes by at most 10%
    """
    if not at_least and at_most is None:
        return Changes(name)
    return shift(name, "changes", at_least, at_most)


def between(name: str, low: float, high: float) -> Rule:
    """The rule that keeps a number within bounds, whether it changes or not.

    Parameters
    ----------
    name
        The feature, a number.
    low
        The least value.
    high
        The largest value.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        `low` exceeds `high`, or a bound is NaN.

    Examples
    --------
    >>> print(between("age", 30, 60))
    age between 30 and 60
    """
    return Between(name, low, high)


def at_most(name: str, high: float) -> Rule:
    """The rule that a number does not exceed a bound, whether it changes or not.

    Parameters
    ----------
    name
        The feature, a number.
    high
        The largest value.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(at_most("debt", 2000))
    debt at most 2000
    """
    return Between(name, high=high)


def at_least(name: str, low: float) -> Rule:
    """The rule that a number does not fall below a bound, whether it changes or not.

    Parameters
    ----------
    name
        The feature, a number.
    low
        The least value.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(at_least("income", 1000))
    income at least 1000
    """
    return Between(name, low=low)


def one_of(name: str, levels: Any) -> Rule:
    """The rule that keeps a category among some levels, whether it changes or not.

    Parameters
    ----------
    name
        The feature, a category.
    levels
        The allowed levels: one level as text, or several.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        There is no level.

    Examples
    --------
    >>> print(one_of("job", ["Sales", "Service"]))
    job in Sales, Service
    """
    return OneOf(name, (levels,) if isinstance(levels, str) else tuple(levels))


def none_of(name: str, levels: Any) -> Rule:
    """The rule that excludes some levels of a category, whether it changes or not.

    Parameters
    ----------
    name
        The feature, a category.
    levels
        The excluded levels: one level as text, or several.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        There is no level.

    Examples
    --------
    >>> print(none_of("job", ["Sales", "Service"]))
    job not in Sales, Service
    """
    return ~one_of(name, levels)


def only_increases(name: str) -> Rule:
    """The rule that a number, or an ordered category, never decreases.

    Parameters
    ----------
    name
        The feature, a number or an ordered category.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(only_increases("age"))
    age only increases
    """
    return Monotone(name, up=True)


def only_decreases(name: str) -> Rule:
    """The rule that a number, or an ordered category, never increases.

    Parameters
    ----------
    name
        The feature, a number or an ordered category.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(only_decreases("debt"))
    debt only decreases
    """
    return Monotone(name, up=False)


def increases(name: str, *, at_least: Amount = 0.0, at_most: Amount | None = None) -> Rule:
    """The condition that a number, or an ordered category, increases, or increases by so much.

    Parameters
    ----------
    name
        The feature, a number or an ordered category.
    at_least
        The least increase of a number; for an ordered category, in levels.
    at_most
        The largest increase of a number, or in levels; None: any. '10%' is a share of the row's
        own value, here and in `at_least`.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        An amount is negative, or the least exceeds the largest.

    Examples
    --------
    >>> print(increases("education").implies(increases("age", at_least=2)))
    education increases => age increases by at least 2
    """
    return shift(name, "increases", at_least, at_most)


def decreases(name: str, *, at_least: Amount = 0.0, at_most: Amount | None = None) -> Rule:
    """The condition that a number, or an ordered category, decreases, or decreases by so much.

    Parameters
    ----------
    name
        The feature, a number or an ordered category.
    at_least
        The least decrease of a number; for an ordered category, in levels.
    at_most
        The largest decrease of a number, or in levels; None: any. '10%' is a share of the row's
        own value, here and in `at_least`.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        An amount is negative, or the least exceeds the largest.

    Examples
    --------
    >>> print(decreases("debt", at_least=500))
    debt decreases by at least 500
    """
    return shift(name, "decreases", at_least, at_most)


def in_steps(name: str, size: float) -> Rule:
    """The rule that a number changes only to multiples of a step; a row's own value may stay.

    Parameters
    ----------
    name
        The feature, a number.
    size
        The step.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        The step is not above 0.

    Examples
    --------
    >>> print(in_steps("loan", 100))
    loan in steps of 100
    """
    return Steps(name, size)
