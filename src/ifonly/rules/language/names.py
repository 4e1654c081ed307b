"""The features and levels whose names stand at a place of a line, those that are meant first.

What stands in quotes is meant before all else. Plain texts come before those that ought to stand
in quotes, and longer ones before shorter. So 'age only increases' speaks of 'age', even where 'age
only' is a feature; 'age at start fixed' speaks of 'age at start', since 'at start' is no verb.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ifonly.rules.language.spelling import is_bare, is_plain, unquoted
from ifonly.space import Space

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
NUMBER = re.compile(r"[+-]?(?:inf|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])")


@dataclass(frozen=True)
class Found:
    """A known name or level that stands in a line, and where it ends."""

    value: Any
    end: int
    plain: bool = True


def names_at(line: str, at: int, space: Space) -> list[Found]:
    """The features whose names stand at a place."""

    def minus(end: int) -> bool:
        rest = line[end + 1 :].lstrip()
        names = (name for name in space.names if name.strip())
        return bool(re.match(r"[0-9.\"']", rest)) or any(_pattern(n).match(rest) for n in names)

    texts = [(name, name, is_plain(name)) for name in space.names]
    return [*_in_quotes(line, at, space.names), *_without(line, at, texts, minus)]


def levels_at(line: str, at: int, levels: tuple[Any, ...]) -> list[Found]:
    """The levels that stand at a place; of two that are written alike, quotes mean the text."""
    texts = [(level, str(level), is_bare(level) or is_plain(str(level))) for level in levels]
    found = _without(line, at, texts, lambda end: line.startswith("->", end))
    number = NUMBER.match(line, at)
    if number and not any(is_bare(one.value) for one in found):
        numbers = (x for x in levels if is_bare(x) and str(x) not in ("True", "False"))
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
