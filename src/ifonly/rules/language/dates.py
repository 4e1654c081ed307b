"""Dates and durations in rules: 'since >= 2024-01-01', 'since changes by at most 30 days'.

A rule holds them as numbers that remember their text. What number that is depends on the unit of
the column, so that a rule is brought `in_units` of a space before it is asked.
"""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from datetime import date, timedelta
from typing import Any, cast

import pandas as pd

from ifonly.errors import RuleError
from ifonly.rules.language.names import QUOTED, number_text, unquoted
from ifonly.rules.rule import Rule
from ifonly.space import Column, Space
from ifonly.space.table.dates import UNITS, WORDS, clock_of, code_of, date_text

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"(?![\w.])"
)
_LENGTH = re.compile(
    rf"({_NUMBER})\s*(weeks?|days?|hours?|minutes?|seconds?|milliseconds?|microseconds?)(?![\w.])"
)
UNCERTAIN = re.compile(rf"({_NUMBER})\s*(months?|years?)(?![\w.])")
"""Amounts of no fixed length."""


class Written(float):
    """A date or a duration: seconds (since 1970), or the code in a column's unit, and its text."""

    said: str

    def __new__(cls, value: float, said: str) -> Written:
        made = super().__new__(cls, value)
        made.said = said
        return made

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        return float(self), self.said

    def __neg__(self) -> Written:
        said = self.said[1:] if self.said.startswith("-") else f"-{self.said}"
        return Written(-float(self), said)

    def __abs__(self) -> Written:
        return -self if is_negative(self) else self

    @property
    def meaning(self) -> pd.Timestamp | pd.Timedelta:
        """The moment, or the duration, without its minus."""
        text = self.said.removeprefix("-")
        return pd.Timestamp(text) if _MOMENT.fullmatch(text) else _span(text)


def is_negative(number: float) -> bool:
    """Whether a number has a minus; a date before 1970 has none.

    >>> is_negative(-2.0), is_negative(to_number("1960-01-01")), is_negative(-to_number("1 day"))
    (True, False, True)
    """
    return number.said.startswith("-") if isinstance(number, Written) else number < 0


def to_number(value: Any) -> float:
    """A number of a rule; a date or a duration, also as text, keeps its text.

    >>> to_number(30), to_number("2024-01-01").said, to_number(timedelta(hours=36)).said
    (30.0, '2024-01-01', '129600.0 seconds')
    """
    if isinstance(value, Written):
        return value
    if isinstance(value, timedelta):
        days = value / timedelta(days=1)
        return _length(
            f"{days:g} days" if days.is_integer() else f"{value.total_seconds()} seconds"
        )
    if isinstance(value, date):
        return _moment(date_text(pd.Timestamp(value)))
    if isinstance(value, str) and _MOMENT.fullmatch(value.strip()):
        return _moment(value.strip())
    if isinstance(value, str) and _LENGTH.fullmatch(value.strip()):
        return _length(value.strip())
    return float(value)


def date_at(line: str, at: int) -> tuple[Written, int] | None:
    """The date or the duration that stands at a place of a line, and where it ends."""
    quoted = QUOTED.match(line, at)
    if quoted and _MOMENT.fullmatch(unquoted(quoted[0])):
        return _moment(unquoted(quoted[0])), quoted.end()
    if found := _MOMENT.match(line, at):
        return _moment(found[0]), found.end()
    if found := _LENGTH.match(line, at):
        return _length(" ".join(found.groups())), found.end()
    return None


def limit_text(column: Column, code: float) -> str:
    """A code as the value of a column is written in a rule."""
    if not column.unit:
        return number_text(code)
    clock, unit = clock_of(column.dtype), pd.Timedelta(UNITS[column.unit], unit="ns")
    if clock.length:
        return str(to_number((code * unit).to_pytimedelta()).said)  # type: ignore[attr-defined]
    return date_text(pd.Timestamp(0) + code * unit)


def in_units(rule: Rule, space: Space) -> Rule:
    """The rule with its dates and durations in the units of the columns that it is about."""
    if not hasattr(rule, "__dataclass_fields__"):
        return rule
    frozen: Any = rule
    values = {one.name: getattr(rule, one.name) for one in fields(frozen)}
    columns = {
        name: space.features[space.index(name)].column for name in rule.names if name in space.names
    }
    dates = {name: column for name, column in columns.items() if column.unit}
    if not dates:
        new = {name: _each(value, space, rule, None) for name, value in values.items()}
    elif hasattr(rule, "sums"):
        raise RuleError(
            f"The rule '{rule}' multiplies or divides {next(iter(dates))!r}, which has dates or "
            "durations.",
            "They are only added and compared, as in 'end - start <= 30 days'.",
        )
    elif hasattr(rule, "factors"):
        _check_sum(rule, columns)
        column = next(iter(dates.values()))
        new = {name: _each(value, space, rule, column) for name, value in values.items()}
    else:
        *_, (name, column) = dates.items()
        new = {one: _each(value, space, rule, column) for one, value in values.items()}
        if rule.kind:  # a rule of one's own knows what its numbers mean
            _check_kind(rule, name, column, values)
    same = all(new[name] is values[name] for name in new)
    return rule if same else cast(Rule, replace(frozen, **new))


def _each(value: Any, space: Space, rule: Any, column: Column | None) -> Any:
    """A field of a rule in units; itself where there is nothing to do."""
    if isinstance(value, tuple):
        new = tuple(_each(one, space, rule, column) for one in value)
        return value if all(a is b for a, b in zip(value, new, strict=True)) else new
    if isinstance(value, Written):
        if column is None:
            raise RuleError(
                f"The rule '{rule}' has {value.said}, and none of its features is a date.",
                "Compare numbers with numbers.",
            )
        code = code_of(column, abs(value).meaning)
        return Written(-code if is_negative(value) else code, value.said)
    return in_units(value, space) if isinstance(value, Rule) else value


def _check_kind(rule: Any, name: str, column: Column, values: dict[str, Any]) -> None:
    """Refuse a plain number where a date or a duration is meant, and one in place of the other."""
    relative = not {"number", "low", "high"} & values.keys()
    length = relative or clock_of(column.dtype).length
    if getattr(rule, "unit", ""):  # percent
        written = any(isinstance(value, Written) for value in values.values())
        if written or not clock_of(column.dtype).length:
            raise RuleError(
                f"The rule '{rule}' has a share of a date or a duration.",
                "Write a duration, such as 30 days; a column of durations changes by percent.",
            )
        return
    for value in values.values():
        if isinstance(value, Written):
            wrong = isinstance(value.meaning, pd.Timedelta) != length
        else:
            wrong = type(value) is float and value != 0 and math.isfinite(value)
        if wrong:
            what, example = ("a duration", "30 days") if length else ("a date", "2024-01-01")
            raise RuleError(
                f"The rule '{rule}' has {number_text(value)}, and {name!r} wants {what}.",
                f"Write it as {example}.",
            )


def _check_sum(rule: Any, columns: dict[str, Column]) -> None:
    """Refuse a comparison of dates with numbers, of two units, or of moments with durations."""
    units = {name: column.unit for name, column in columns.items()}
    if len(set(units.values())) > 1:
        listed = ", ".join(
            f"{name} ({WORDS.get(unit, 'a number')})" for name, unit in units.items()
        )
        raise RuleError(
            f"The rule '{rule}' adds or compares columns in different units: {listed}.",
            "Dates are compared with dates of the same unit: round both alike, as in "
            "data['seen'].dt.floor('D').",
        )
    moments = sum(
        times for name, times in rule.factors.items() if not clock_of(columns[name].dtype).length
    )
    for way, side in ((1, rule.left), (-1, rule.right)):
        for times, name in side:
            if name:
                continue
            if not isinstance(times, Written) and times != 0:
                raise RuleError(
                    f"The rule '{rule}' has {number_text(times)} among dates.",
                    "Say of what, as in '30 days'.",
                )
            if isinstance(times, Written) and isinstance(times.meaning, pd.Timestamp):
                moments += way * (-1 if is_negative(times) else 1)
    if moments:
        raise RuleError(
            f"The rule '{rule}' compares dates with durations.",
            "Write it as 'start <= end' or 'end - start <= 30 days'.",
        )


def _moment(text: str) -> Written:
    try:
        moment = pd.Timestamp(text)
    except ValueError:
        raise RuleError(f"There is no date {text}.", "Write it as 2024-03-01.") from None
    seconds = moment.tz_localize(None) if moment.tzinfo is None else moment.tz_convert(None)
    return Written((seconds - pd.Timestamp(0)) / pd.Timedelta("1s"), date_text(moment))


def _length(text: str) -> Written:
    return Written(_span(text) / pd.Timedelta("1s"), text)


def _span(text: str) -> pd.Timedelta:
    """The duration that a text such as '3 weeks' is."""
    found = _LENGTH.fullmatch(text)
    assert found is not None, text
    if found[2].startswith("week"):
        return pd.Timedelta(7 * float(found[1]), unit="D")
    return pd.Timedelta(f"{found[1]} {found[2]}")
