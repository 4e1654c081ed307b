"""Rules as plain dictionaries, which JSON holds: {"rule": "between", "name": "age", "low": 30, …}.

Every field of a rule is an entry of its own name. An open end is null, a rule inside a rule is a
dictionary, several things are a list. What a field holds is read off its type.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.language.dates import Written, date_at, to_number
from ifonly.rules.rule import Rule


def kinds() -> dict[str, type[Rule]]:
    """The rules that JSON can hold, by their kind; one of one's own is there once it is defined.

    >>> from ifonly.rules import Rule, between
    >>> kinds()["between"] is type(between("age", 30, 60))
    True
    """
    found: dict[str, type[Rule]] = {}
    waiting = Rule.__subclasses__()
    while waiting:
        rule = waiting.pop(0)
        waiting += rule.__subclasses__()
        if kind := _kind(rule):
            found[kind] = rule
    return found


def _kind(rule: type[Rule]) -> str:
    """What a class itself, not one that it inherits from, is called."""
    return str(vars(rule).get("kind", ""))


def to_plain(rule: Rule) -> dict[str, Any]:
    """A rule as a dictionary of texts, numbers, lists and dictionaries.

    Parameters
    ----------
    rule
        The rule.

    Returns
    -------
    dict
        It has the kind of the rule as 'rule', and an entry for each of its fields.

    Raises
    ------
    RuleError
        The rule is of a class that JSON has no name for, or has a level that JSON cannot hold.

    Examples
    --------
    >>> from ifonly.rules import at_least
    >>> to_plain(at_least("age", 30))
    {'rule': 'between', 'name': 'age', 'low': 30.0, 'high': None}
    """
    kind = _kind(type(rule))
    if not kind:
        raise RuleError(
            f"{type(rule).__name__} has no kind, and JSON cannot hold it: '{rule}'.",
            f"Give its class a `kind`, or build it from these: {', '.join(kinds())}.",
        )
    written = {e: _written(getattr(rule, f.name), f) for e, f in _entries(type(rule)).items()}
    return {"rule": kind, **written}


def from_plain(plain: Any) -> Rule:
    """The rule that a dictionary describes; what has a default may be left out.

    Parameters
    ----------
    plain
        What `to_plain` returns.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        It describes no rule; the hint names the nearest kind or field.

    Examples
    --------
    >>> print(from_plain({"rule": "between", "name": "age", "low": 30}))
    age at least 30
    """
    if not isinstance(plain, Mapping) or "rule" not in plain:
        raise RuleError(
            f"{plain!r} does not describe a rule.",
            'Give a dictionary, such as {"rule": "fixed", "name": "race"}.',
        )
    kind = kinds().get(plain["rule"]) if isinstance(plain["rule"], str) else None
    if kind is None:
        raise RuleError(
            f"There is no rule {plain['rule']!r}.", nearest(plain["rule"], sorted(kinds()))
        )
    known = _entries(kind)
    given = {name: value for name, value in plain.items() if name != "rule"}
    for name in given:
        if name not in known:
            raise RuleError(f"The rule {plain['rule']!r} has no {name!r}.", nearest(name, known))
    for name, field in known.items():
        if name not in given and field.default is MISSING:
            raise RuleError(f"The rule {plain['rule']!r} lacks its {name!r}.", f"Given: {plain}.")
    values = {
        known[n].name: _read(value, _types(kind)[known[n].name], f"{n!r} of {plain['rule']!r}")
        for n, value in given.items()
        if value is not None or known[n].default is MISSING
    }
    return kind(**values)


def _written(value: Any, field: Field[Any]) -> Any:
    """A field's value as JSON holds it."""
    if isinstance(value, Rule):
        return to_plain(value)
    if isinstance(value, tuple):
        return [_written(one, field) for one in value]
    if isinstance(value, Written):
        return value.said
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isinf(value) and field.type == "float":
        return None if value == field.default else str(value)
    if not isinstance(value, str | int | float) or value != value or value in (math.inf, -math.inf):
        raise RuleError(f"JSON cannot hold the level {value!r}.", "Turn such levels into text.")
    return value


def _read(value: Any, wanted: Any, what: str) -> Any:
    """What JSON held, as a field of the wanted type."""
    if wanted is Rule:
        return from_plain(value)
    if get_origin(wanted) is tuple:
        types, many = get_args(wanted), get_args(wanted)[-1] is Ellipsis
        if not isinstance(value, list | tuple) or (not many and len(value) != len(types)):
            hint = "Give a list." if many else f"Give a list of {len(types)}."
            raise RuleError(f"The {what} is {value!r}.", hint)
        types = types[:1] * len(value) if many else types
        return tuple(_read(v, kind, what) for v, kind in zip(value, types, strict=True))
    if wanted is float and value in ("inf", "-inf"):
        return float(value)
    if wanted is float and isinstance(value, str) and date_at(value, 0):
        return to_number(value)
    allowed = _ALLOWED[wanted]
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        raise RuleError(f"The {what} is {value!r}.", f"Give {_WANTED[wanted]}.")
    return value


_ALLOWED: dict[Any, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (int, float),
    Any: (str, bool, int, float),
}
_WANTED = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number, or null for an open end",
    Any: "a level: a text, a number, true or false",
}


@cache
def _entries(kind: Any) -> dict[str, Field[Any]]:
    """The fields of a kind of rule by their entries; 'rule' itself is taken by the kind."""
    return {"part" if field.name == "rule" else field.name: field for field in fields(kind)}


@cache
def _types(kind: type[Rule]) -> dict[str, Any]:
    return get_type_hints(kind)
