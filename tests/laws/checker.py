"""What rules mean, once more: in the plainest Python, on the values that users see.

Nothing here comes from `ifonly.rules`. A rule is its JSON, a row is a dictionary of values, numbers
are decimals so that 0.1 + 0.2 is 0.3, and a missing value is None. A condition is true, false, or
None where a missing value leaves it open; a rule is broken where it is false, or where a value that
it speaks of has gone missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from operator import eq, ge, gt, le, lt
from typing import Any

import numpy as np
import pandas as pd

Plain = Mapping[str, Any]
"""A rule as JSON holds it."""
Levels = Mapping[str, Sequence[Any]]
"""The levels of each category, in order where they have one; what is not listed is a number."""
COMPARED: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}


@dataclass(frozen=True)
class Case:
    """A row, what it became, and what the levels of its categories are."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    levels: Levels

    def changed(self, name: str) -> bool:
        """Whether a value is another; missing is the same as missing."""
        return not same(self.before[name], self.after[name])

    def lacks(self, *names: str) -> bool:
        """Whether one of the values is missing now."""
        return any(self.after[name] is None for name in names)

    def rise(self, name: str) -> Decimal | None:
        """By how much a number has gone up, or by how many places a level."""
        before, after = self.before[name], self.after[name]
        if before is None or after is None:
            return None
        if name in self.levels:
            return Decimal(self.place(name, after) - self.place(name, before))
        return Decimal(after - before)

    def place(self, name: str, level: Any) -> int:
        """The place of a level among those of its category."""
        return next(i for i, known in enumerate(self.levels[name]) if same(known, level))


def broken(rule: Plain, case: Case) -> bool:
    """Whether what a row became breaks a rule."""
    gone = [n for n in speaks_of(rule) if case.after[n] is None and case.before[n] is not None]
    with localcontext(prec=80):  # in which products of decimals are exact
        return bool(gone) or truth(rule, case) is False


def values_of(frame: pd.DataFrame, levels: Levels) -> list[dict[str, Any]]:
    """The rows of a frame as dictionaries: decimals, levels, None where a value is missing."""
    columns = {}
    for name in frame.columns:
        read = _level if name in levels else _number
        columns[name] = [None if pd.isna(value) else read(value) for value in frame[name].array]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _number(value: Any) -> Decimal:
    return Decimal(str(value))  # as it is written: 0.1 in single precision, too


def _level(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def same(one: Any, other: Any) -> bool:
    """Whether two values are one; 1 and True are not."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def truth(rule: Plain, case: Case) -> bool | None:
    """Whether a rule is true of a case; None where that cannot be known."""
    return MEANINGS[rule["rule"]](rule, case)


def speaks_of(rule: Plain) -> set[str]:
    """The features that a rule names; one that counts changes names none."""
    if rule["rule"] in ("only change", "at most change"):
        return set()
    names = {rule[key] for key in ("name", "of", "cause", "effect") if rule.get(key)}
    names |= set(rule.get("features", ()))
    for side in ("left", "right"):
        for _, *parts in rule.get(side, ()):
            names |= {n for part in parts for n in ([part] if isinstance(part, str) else part) if n}
    for part in parts_of(rule):
        names |= speaks_of(part)
    return names


def parts_of(rule: Plain) -> list[Plain]:
    """The rules that a rule is made of."""
    one = [rule[key] for key in ("part", "condition", "consequence") if key in rule]
    return [*one, *rule.get("parts", ()), *rule.get("conditions", ())]


def _between(rule: Plain, case: Case) -> bool | None:
    if case.lacks(rule["name"]):
        return None
    low, high = _end(rule["low"], -math.inf), _end(rule["high"], math.inf)
    return bool(low <= case.after[rule["name"]] <= high)


def _compare(rule: Plain, case: Case) -> bool | None:
    if case.lacks(rule["name"]):
        return None
    return COMPARED[rule["sign"]](case.after[rule["name"]], _number(rule["number"]))


def _monotone(rule: Plain, case: Case) -> bool | None:
    rise = case.rise(rule["name"])
    if rise is None:
        return None
    return rise >= 0 if rule["up"] else rise <= 0


def _shift(rule: Plain, case: Case) -> bool | None:
    rise = case.rise(rule["name"])
    if rise is None:
        return None
    if rule["way"] != "changes":
        rise = rise if rule["way"] == "increases" else -rise
        if rise <= 0:
            return False
    share = abs(case.before[rule["name"]]) / 100 if "percent" in rule["rule"] else Decimal(1)
    enough = abs(rise) >= _end(rule["least"], 0) * share
    return enough and (rule["most"] is None or abs(rise) <= _number(rule["most"]) * share)


def _one_of(rule: Plain, case: Case) -> bool | None:
    if case.lacks(rule["name"]):
        return None
    listed = any(same(level, case.after[rule["name"]]) for level in rule["levels"])
    return listed is not bool(rule["other"])


def _only_change(rule: Plain, case: Case) -> bool:
    return not any(case.changed(name) for name in case.after if name not in rule["features"])


def _at_most(rule: Plain, case: Case) -> bool:
    among = rule["among"] or case.after
    return sum(case.changed(name) for name in among) <= int(rule["count"])


def _steps(rule: Plain, case: Case) -> bool | None:
    if case.lacks(rule["name"]):
        return None
    value = case.after[rule["name"]]
    return not case.changed(rule["name"]) or value % _number(rule["size"]) == 0


def _linear(rule: Plain, case: Case) -> bool | None:
    if case.lacks(*speaks_of(rule)):
        return None
    left, right = (
        sum((_number(n) * (case.after[name] if name else 1) for n, name in rule[side]), Decimal(0))
        for side in ("left", "right")
    )
    return COMPARED[rule["sign"]](left, right)


def _products(rule: Plain, case: Case) -> bool | None:
    """In fractions; what is divided by 0 is divided by next to nothing, and grows very large."""
    if case.lacks(*speaks_of(rule)):
        return None
    zero, tiny, excess = False, Fraction(1, 10**60), Fraction(0)
    for way, side in ((1, "left"), (-1, "right")):
        for times, over, under in rule[side]:
            term = way * Fraction(_number(times))
            for name in over:
                term *= Fraction(case.after[name])
            for name in under:
                zero |= not case.after[name]
                term /= Fraction(case.after[name]) or tiny
            excess += term
    if zero and abs(excess) < 10**20:
        return None
    return COMPARED[rule["sign"]](excess, 0)


def _takes(rule: Plain, case: Case) -> bool | None:
    before, after = case.before[rule["name"]], case.after[rule["name"]]
    if before is None or after is None:
        return None
    time = _least_time(rule["moves"], before, after, (before,))
    if time is None:
        return not rule["only"]
    if time == 0:
        return True
    spent = case.rise(rule["of"])
    return None if spent is None else spent >= time


def _least_time(moves: Any, here: Any, there: Any, seen: tuple[Any, ...]) -> Decimal | None:
    """The time of the shortest chain of moves that visits no level twice."""
    if same(here, there):
        return Decimal(0)
    times = []
    for start, end, time in moves:
        if same(start, here) and not any(same(end, level) for level in seen):
            rest = _least_time(moves, end, there, (*seen, end))
            times += [] if rest is None else [_number(time) + rest]
    return min(times, default=None)


def _together(rule: Plain, case: Case) -> bool:
    return len({case.changed(name) for name in rule["features"]}) <= 1


def _causes(rule: Plain, case: Case) -> bool:
    return case.changed(rule["effect"]) or not case.changed(rule["cause"])


def _opposite(true: bool | None) -> bool | None:
    return None if true is None else not true


def _all(truths: Sequence[bool | None]) -> bool | None:
    if any(true is False for true in truths):
        return False
    return None if any(true is None for true in truths) else True


def _any(truths: Sequence[bool | None]) -> bool | None:
    return _opposite(_all([_opposite(true) for true in truths]))


def _implies(rule: Plain, case: Case) -> bool | None:
    return _any([_opposite(truth(rule["condition"], case)), truth(rule["consequence"], case)])


def _equivalent(rule: Plain, case: Case) -> bool | None:
    first, second = _parts(rule, case)
    return None if first is None or second is None else first is second


def _determines(rule: Plain, case: Case) -> bool | None:
    level, value = case.after[rule["name"]], case.after[rule["effect"]]
    if level is None:
        return None
    listed = [other for one, other in rule["pairs"] if same(one, level)]
    if not listed or value is None:
        return None if listed else True
    return same(value, listed[0] if rule["effect"] in case.levels else _number(listed[0]))


def _parts(rule: Plain, case: Case) -> list[bool | None]:
    return [truth(part, case) for part in parts_of(rule)]


def _end(number: float | None, default: float) -> Decimal:
    return _number(default if number is None else number)


MEANINGS: dict[str, Callable[[Plain, Case], bool | None]] = {
    "missing": lambda rule, case: case.lacks(rule["name"]),
    "determines": _determines,
    "equivalent": _equivalent,
    "between": _between,
    "compare": _compare,
    "monotone": _monotone,
    "shift": _shift,
    "shift in percent": _shift,
    "one of": _one_of,
    "fixed": lambda rule, case: not case.changed(rule["name"]),
    "changes": lambda rule, case: case.changed(rule["name"]),
    "only change": _only_change,
    "at most change": _at_most,
    "in steps": _steps,
    "relation": _linear,
    "products": _products,
    "takes": _takes,
    "together": _together,
    "causes": _causes,
    "and": lambda rule, case: _all(_parts(rule, case)),
    "or": lambda rule, case: _any(_parts(rule, case)),
    "not": lambda rule, case: _opposite(_all(_parts(rule, case))),
    "forbid": lambda rule, case: _opposite(_all(_parts(rule, case))),
    "implies": _implies,
}
