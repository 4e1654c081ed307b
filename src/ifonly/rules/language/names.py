"""Names, levels and numbers in the text of rules: how they are written, and where one stands.

What stands in quotes is meant before all else. Plain texts come before those that ought to stand
in quotes, and longer ones before shorter. So 'age only increases' names 'age', even where 'age
only' is a feature; 'age at start fixed' names 'age at start', since 'at start' is no verb.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
NUMBER = re.compile(r"[+-]?(?:inf|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])")


@dataclass(frozen=True)
class Found:
    """A known name or level that stands in a line, and where it ends."""

    value: Any
    end: int
    plain: bool = True


def names_at(line: str, at: int, known: Sequence[str]) -> list[Found]:
    """The known names that stand at a place."""

    def minus(end: int) -> bool:
        rest = line[end + 1 :].lstrip()
        names = (name for name in known if name.strip())
        return bool(re.match(r"[0-9.\"']", rest)) or any(_pattern(n).match(rest) for n in names)

    texts = [(name, name, is_plain(name) or bool(_GLUED.search(name))) for name in known]
    return [*_in_quotes(line, at, known), *_without(line, at, texts, minus)]


def levels_at(line: str, at: int, levels: tuple[Any, ...]) -> list[Found]:
    """The levels that stand at a place; of two that are written alike, quotes mean the text."""
    texts = [(level, str(level), is_bare(level) or is_plain(str(level))) for level in levels]
    found = _without(line, at, texts, lambda end: line.startswith("->", end))
    number = NUMBER.match(line, at)
    if number and not any(is_bare(one.value) for one in found):
        flags = all(str(level) in ("True", "False") for level in levels)  # of which 1 is True
        numbers = (x for x in levels if is_bare(x) and (flags or str(x) not in ("True", "False")))
        equal = [Found(x, number.end()) for x in numbers if x == float(number[0])]
        found = [*equal, *found]
    return [*_in_quotes(line, at, levels), *found]


def _in_quotes(line: str, at: int, known: Iterable[Any]) -> list[Found]:
    match = QUOTED.match(line, at)
    if not match:
        return []
    alike = [one for one in known if str(one) == unquoted(match[0])]
    alike.sort(key=lambda one: not isinstance(one, str))
    return [Found(one, match.end()) for one in alike[:1]]


def _without(
    line: str, at: int, texts: Iterable[tuple[Any, str, bool]], ended: Callable[[int], bool]
) -> list[Found]:
    """What stands there of (value, text, plain).

    A hyphen right after it belongs to a longer word, unless `ended` says that the text ends there.
    """
    found = []
    for value, text, plain in texts:
        words = text.split()
        if not words or not line.startswith(words[0], at):  # a pattern is slower to make
            continue
        match = _pattern(text).match(line, at)
        if match and (not line.startswith("-", match.end()) or ended(match.end())):
            found.append(Found(value, match.end(), plain))
    return sorted(found, key=lambda one: (not one.plain, -one.end))


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    """What finds a text that ends where a word does; any spaces will do between its words."""
    spaced = r"\s+".join(map(re.escape, text.split()))
    return re.compile(spaced + (r"(?!\w|\.\w)" if re.search(r"\w\s*$", text) else ""))


KEYWORDS = (
    *("fixed", "only", "between", "at", "in", "is", "not", "increases", "decreases", "change"),
    *("changes", "causes", "takes", "of", "and", "or", "if", "then", "forbid"),
    "determines",
)
_WORD = r"\w+(?:[.\-]\w+)*"
_PLAIN = re.compile(rf"(?!\d){_WORD}(?: {_WORD})*")
_TAKEN = re.compile(rf"(?<![\w.\-])(?:{'|'.join(KEYWORDS)})(?![\w.\-])")
_GLUED = re.compile(r"\S[*/]|[*/]\S")
"""What stands in a name such as 'debt/income', and in no ratio as rules are written."""
_VALUES = ("True", "False", "nan", "inf", "missing")


def number_text(value: float) -> str:
    """A number as a person writes it.

    >>> number_text(30.0), number_text(0.25), number_text(1234567.0), number_text(1e20)
    ('30', '0.25', '1234567', '1e+20')
    """
    if hasattr(value, "said"):  # a date, or a duration
        return str(value.said)
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def name_text(name: str) -> str:
    """A feature's name, in quotes where it could be read as something else.

    >>> name_text("hours per week"), name_text("at risk"), name_text("debt/income")
    ('hours per week', '"at risk"', '"debt/income"')
    """
    return name if is_plain(name) else quoted(name)


def level_text(level: Any) -> str:
    """A level, in quotes where it could be read as something else.

    >>> level_text("HS-grad"), level_text("none, yet"), level_text(3), level_text("3")
    ('HS-grad', '"none, yet"', '3', '"3"')
    """
    return name_text(str(level)) if not is_bare(level) else str(level)


def is_plain(text: str) -> bool:
    """Whether a text needs no quotes."""
    plain = _PLAIN.fullmatch(text) and not _TAKEN.search(text)
    return bool(plain) and text not in _VALUES


def is_bare(level: Any) -> bool:
    """Whether a level is a number or a truth value, which is written without quotes."""
    return isinstance(level, bool | int | float | np.bool_ | np.number)


def quoted(text: str) -> str:
    """A text in double quotes, with backslashes where it holds some itself, in one line.

    >>> print(quoted('say "no"'), quoted("two\\nlines"))
    "say \\"no\\"" "two\\nlines"
    """
    written = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in written)


def unquoted(written: str) -> str:
    """The text that stands in double or single quotes."""
    body = written[1:-1]
    if written.startswith("'"):
        body = re.sub(r"\\'|(\\.)|(\")", lambda m: m[1] or (m[2] and '\\"') or "'", body)
    try:
        return str(json.loads(f'"{body}"', strict=False))
    except ValueError:
        return written[1:-1]
