"""What there is to show of a row and its answers, as plain values.

Every rendering (text, terminal, HTML, plot) reads this and nothing else.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ifonly.space.table.dates import date_text

# What a terminal or an editor would obey and not show: control characters and line separators,
# halves of characters, and what turns the direction of text.
_OBEYED = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)


@dataclass(frozen=True)
class Change:
    """One feature that an answer changes."""

    feature: str
    before: Any
    after: Any
    numeric: bool = True
    """Whether the feature is a number, not a level that happens to be one."""
    follows: bool = False
    """Whether it changes because others do, and not by itself."""


@dataclass(frozen=True)
class AnswerView:
    """One answer: what it changes, and what the model then says."""

    changes: tuple[Change, ...]
    prediction: Any
    score: float
    distance: float
    scores: str = "probability"
    """What the score is: a 'probability', a 'margin', a predicted 'number', or only a 'label'."""
    extra: bool = False
    """Whether it resembles another answer or changes more than needed, and fills a place."""
    resembles: bool = False
    """Which of the two: whether another answer moves the same features, that way."""
    odd: bool = False
    """Whether fewer than one in a hundred real rows are as unusual."""
    odd_by: tuple[tuple[str, Any], ...] = ()
    """The feature and the value, or the two of them, that hardly any real row has."""
    tolerated: float | None = None
    """Where a tolerance was demanded: 1 where it is proved, else the share that a sample shows."""

    agreeing: float | None = None
    """The share of other models that agree, where they were asked."""

    @property
    def actions(self) -> tuple[Change, ...]:
        """What the answer changes itself."""
        return tuple(change for change in self.changes if not change.follows)

    @property
    def consequences(self) -> tuple[Change, ...]:
        """What then changes by itself."""
        return tuple(change for change in self.changes if change.follows)


@dataclass(frozen=True)
class RowView:
    """One row: its values, what the model says of it, what is wanted, and its answers."""

    query: int
    name: Any
    values: dict[str, Any]
    prediction: Any
    score: float
    wanted: Any
    status: str
    note: str
    answers: tuple[AnswerView, ...]
    others: bool = False
    """Whether any class but the row's own is wanted."""
    scores: str = "probability"
    """What the scores are, as for `AnswerView`."""
    threshold: float | None = None
    """The score from which the wanted class is decided for, where there is one."""
    thousands: str = ","
    """What stands between the thousands of numbers."""

    def show(self, value: Any) -> str:
        """A value or a name as text."""
        return value_text(value, self.thousands)


def value_text(value: Any, thousands: str = ",") -> str:
    """A value as a person writes it; text without control characters, see `visible`.

    From five digits on, `thousands` stands between each three of them.

    >>> value_text(52000.0), value_text(0.1 + 0.2), value_text("Sales"), value_text(float("nan"))
    ('52,000', '0.3', 'Sales', 'missing')
    >>> value_text(1234.5), value_text(52000.25, " "), value_text(52000, "")
    ('1234.5', '52 000.25', '52000')
    """
    if value is None or value != value:
        return "missing"
    if isinstance(value, date | timedelta):
        return date_text(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple) and len(value) == 2:
        return f"{value_text(value[0], thousands)} to {value_text(value[1], thousands)}"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | float):
        text = f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"
        return text.replace(",", thousands if abs(value) >= 10_000 else "")
    return visible(str(value))


def rounded(value: float) -> float:
    """A predicted number with four digits, or all those before the point.

    >>> rounded(218734.4), rounded(21.87344), rounded(0.00021873), rounded(0.0)
    (218734.0, 21.87, 0.0002187, 0.0)
    """
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, max(0, 3 - math.floor(math.log10(abs(value)))))


def visible(text: str, *, keep: str = "") -> str:
    r"""Text whose control characters are escaped, as Python writes them; `keep` names exceptions.

    Bidirectional controls are escaped too: they would show other characters in a wrong order.

    >>> visible("\x1b[31mred\n\u202e")
    '\\x1b[31mred\\n\\u202e'
    """
    return _OBEYED.sub(lambda one: one[0] if one[0] in keep else _escaped(one[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
