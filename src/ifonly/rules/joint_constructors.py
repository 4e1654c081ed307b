"""The rules on several features, as Python makes them: each reads as its line of text does."""

from __future__ import annotations

from typing import Any

from ifonly.rules.change_rules import AtMost, Fixed, OnlyChange
from ifonly.rules.intervals import Compare
from ifonly.rules.joint.pairs import Determines
from ifonly.rules.joint.products import Product, Products
from ifonly.rules.language.dates import to_number
from ifonly.rules.levels import Missing
from ifonly.rules.linear import Linear
from ifonly.rules.logic import And
from ifonly.rules.rule import Rule
from ifonly.rules.shorthands import Causes, Forbid, Together
from ifonly.rules.transitions import Takes


def fixed(*names: str) -> Rule:
    """The rule that features do not change.

    Parameters
    ----------
    *names
        The features.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(fixed("race"))
    race fixed
    """
    return Fixed(names[0]) if len(names) == 1 else And(tuple(map(Fixed, names)))


def only_change(*names: str) -> Rule:
    """The rule that no other feature changes.

    Parameters
    ----------
    *names
        The features that may change.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(only_change("income", "debt"))
    only income, debt change
    """
    return OnlyChange(names)


def at_most_change(count: int, *names: str) -> Rule:
    """The rule that at most so many features change.

    Parameters
    ----------
    count
        The largest number of changed features.
    *names
        The features that are counted; all, if none is named.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        The count is not a whole number of 0 or more.

    Examples
    --------
    >>> print(at_most_change(2))
    at most 2 features change
    """
    return AtMost(count, names)


def together(*names: str) -> Rule:
    """The rule that features change together or not at all.

    Parameters
    ----------
    *names
        The features.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(together("city", "rent"))
    city and rent change together or not at all
    """
    return Together(names)


def causes(cause: str, effect: str) -> Rule:
    """The rule that an answer that changes the cause changes the effect too.

    Parameters
    ----------
    cause
        The feature that causes the change.
    effect
        The feature that changes with it.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(causes("job", "income"))
    job causes income
    """
    return Causes(cause, effect)


def takes(name: str, moves: Any, of: str = "", *, only: bool = False) -> Rule:
    """The rule on which levels can follow which, and how long each move takes.

    Parameters
    ----------
    name
        The feature, a category.
    moves
        The time of each move: {(before, after): time}.
    of
        The number that the time is taken of, such as 'age'.
    only
        Whether every move that is not listed is excluded.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        A time is not a number of 0 or more.

    Examples
    --------
    >>> print(takes("education", {("Bachelors", "Masters"): 2}, of="age"))
    education: Bachelors -> Masters takes 2 of age
    """
    return Takes(name, tuple((*pair, time) for pair, time in dict(moves).items()), of, only)


def determines(name: str, effect: str, pairs: Any) -> Rule:
    """The rule that each level of a category goes with one value of another feature.

    Parameters
    ----------
    name
        The category.
    effect
        The other feature.
    pairs
        The value of the other feature for each level: {level: value}.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        There is no pair, or both features are one.

    Examples
    --------
    >>> print(determines("garage", "cars", {"none": 0, "single": 1}))
    garage determines cars: none -> 0, single -> 1
    """
    return Determines(name, effect, tuple(dict(pairs).items()))


def missing(name: str) -> Rule:
    """The condition that a feature has no value, for use in other rules.

    Parameters
    ----------
    name
        The feature.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from ifonly import one_of
    >>> print(one_of("garage", "none").equivalent(missing("garage_year")))
    garage is none <=> garage_year is missing
    """
    return Missing(name)


def forbid(*conditions: Rule) -> Rule:
    """The rule that the conditions never hold all at once.

    Parameters
    ----------
    *conditions
        The conditions: rules.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from ifonly import at_least, at_most
    >>> print(forbid(at_least("debt", 900), at_most("income", 500)))
    forbid debt at least 900, income at most 500
    """
    return Forbid(conditions)


def relation(left: Any, sign: str, right: Any) -> Rule:
    """The rule that two sums of numbers, or of products of numbers, compare in a stated way.

    Parameters
    ----------
    left
        One side: a dictionary {feature: factor}, a number or the name of a feature. Several
        features as a tuple are multiplied: {("rate", "loan"): 1}.
    sign
        The comparison, such as '<='.
    right
        The other side, in the same forms.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(relation({"debt": 1, "loan": 1}, "<=", {"income": 0.4}))
    debt + loan <= 0.4 * income
    >>> print(relation({("rate", "loan"): 1}, "<=", 1000))
    rate * loan <= 1000
    """
    if isinstance(left, str) and isinstance(right, int | float):
        return Compare(left, sign, right)
    sides = _terms(left), _terms(right)
    if all(len(over) < 2 for side in sides for _, over, _ in side):
        linear = (tuple((n, over[0] if over else "") for n, over, _ in side) for side in sides)
        return Linear(next(linear), sign, next(linear))
    return Products(sides[0], sign, sides[1])


def ratio(over: str, under: str, sign: str, bound: float) -> Rule:
    """The rule that the ratio of two numbers compares with a bound in a stated way.

    Parameters
    ----------
    over
        The feature that is divided, a number.
    under
        The feature that it is divided by, a number.
    sign
        The comparison, such as '<='.
    bound
        What the ratio is compared with.

    Returns
    -------
    Rule

    Examples
    --------
    >>> print(ratio("loan", "income", "<=", 0.5))
    loan / income <= 0.5
    """
    return Products(((1.0, (over,), (under,)),), sign, ((bound, (), ()),))


def _terms(side: Any) -> tuple[Product, ...]:
    if isinstance(side, str):
        return ((1.0, (side,), ()),)
    if isinstance(side, int | float):
        return ((to_number(side), (), ()),)
    named = (
        (n, (over,) if isinstance(over, str) else tuple(over)) for over, n in dict(side).items()
    )
    return tuple((float(times), over, ()) for times, over in named)
