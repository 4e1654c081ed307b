"""A place in a line of text that moves forward as a rule is read.

Names and levels may hold spaces, commas and words of the language, so that a line can sometimes be
cut in several ways. `choose` takes the first way; where that leads nowhere, the line is read again
with the next. Of all the ways that lead nowhere, the error tells of the one that came furthest.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from ifonly.errors import RuleError, close, nearest
from ifonly.rules.language.dates import UNCERTAIN, Written, date_at
from ifonly.rules.language.names import (
    KEYWORDS,
    NUMBER,
    QUOTED,
    Found,
    levels_at,
    names_at,
    unquoted,
)
from ifonly.space import OneHot, Space

T = TypeVar("T")

GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_TOKEN = re.compile(r"\w[\w.\-']*|<=>|[<>=!]=|[=-]>|\S")
_AFTER_NAME = re.compile(
    rf"\s*(?:[,():<>=!+*]|\s[-/]\s|(?<![\w.\-])(?:{'|'.join(KEYWORDS)})(?![\w.\-])|$)"
)
_AFTER_LEVEL = re.compile(r"\s*(?:[,)}]|<?[=-]>|(?<![\w.\-])(?:and|or|then|of|takes)(?![\w.\-])|$)")


class Trouble(Exception):
    """Why a line cannot be read: the message, the place, and how far the reader had come."""

    def __init__(self, message: str, hint: str, place: int, reached: int) -> None:
        super().__init__(message, hint)
        self.message, self.hint, self.place, self.reached = message, hint, place, reached

    def of(self, line: str) -> RuleError:
        """The error of a line, with a mark under the place."""
        shown = re.sub(r"\s", " ", line.strip())
        mark = f"\n    {shown}\n    {' ' * self.place}^" if shown else ""
        error = RuleError(f"{self.message}{mark}", self.hint)
        error.place = len(line) - len(line.lstrip()) + self.place
        return error


class Reader:
    """A line, the space whose features it names, and the place that has been reached."""

    def __init__(self, line: str, space: Space, turns: tuple[int, ...] = ()) -> None:
        self.line, self.space = line.strip(), space
        self.at = 0
        self.last = (0, 0)
        """Where the last part that was read begins and ends."""
        self.listing = False
        """Whether a comma may also begin the next condition of `forbid`."""
        self._turns, self._made = turns, list[tuple[int, int]]()

    def choose(self, options: list[T]) -> T:
        """The option whose turn it is: the first one, when the line is read for the first time."""
        if len(options) == 1:
            return options[0]
        made = len(self._made)
        turn = self._turns[made] if made < len(self._turns) else 0
        self._made.append((turn, len(options)))
        return options[turn]

    def next_turns(self) -> tuple[int, ...] | None:
        """The choices of the next way to read the line; None where all have been tried."""
        made = list(self._made)
        while made and made[-1][0] + 1 == made[-1][1]:
            made.pop()
        return (*(turn for turn, _ in made[:-1]), made[-1][0] + 1) if made else None

    def stands(self, *phrases: str) -> str:
        """The first of some phrases that stands here, or nothing."""
        return next((p for p in phrases if _phrase(p).match(self.line, self.at)), "")

    def take(self, *phrases: str) -> str:
        """The first of some phrases that stands here, which is then behind; or nothing."""
        for phrase in phrases:
            match = _phrase(phrase).match(self.line, self.at)
            if match:
                self.move(match.end())
                return phrase
        return ""

    def want(self, *phrases: str, hint: str) -> str:
        """The phrase that must stand here."""
        taken = self.take(*phrases)
        if not taken:
            *others, last = map(repr, phrases)
            listed = f"{', '.join(others)} or {last}" if others else last
            raise self.expected(listed, close(self.word(), phrases) or hint)
        return taken

    def move(self, end: int) -> None:
        """Go on after a part that ends there."""
        self.last = (self.at, end)
        self.at = len(self.line) - len(self.line[end:].lstrip())

    def number(self, hint: str) -> float:
        """The number, or in a space with dates the date or duration, that must stand here."""
        if found := self.date():
            self.move(found[1])
            return found[0]
        grouped = GROUPED.match(self.line, self.at)
        if grouped:
            plain = grouped[0].replace(",", "")
            raise self.trouble(f"{grouped[0]!r} has a comma in it.", f"Write {plain}.")
        match = NUMBER.match(self.line, self.at)
        if not match:
            raise self.expected("a number", hint)
        self.move(match.end())
        return float(match[0])

    def date(self) -> tuple[Written, int] | None:
        """The date or the duration that stands here, and where it ends."""
        if not any(feature.column.unit for feature in self.space.features):
            return None
        if found := UNCERTAIN.match(self.line, self.at):
            raise self.trouble(f"{found[2]} have no fixed length.", "Say it in days or weeks.")
        return date_at(self.line, self.at)

    def name(self) -> str:
        """The feature that must stand here."""
        found = names_at(self.line, self.at, self.space.names)
        if not found:
            raise self.no_feature()
        return str(self._over(found))

    def columns(self) -> tuple[str, ...]:
        """The feature that must stand here, or the columns of the group."""
        found = self.names_here()
        if not found:
            raise self.no_feature()
        name = str(self._over(found))
        return self.groups[name].columns if name in self.groups else (name,)

    def names_here(self) -> list[Found]:
        """The features and groups whose names stand here, those that are meant first."""
        return names_at(self.line, self.at, self._names)

    @cached_property
    def groups(self) -> dict[str, OneHot]:
        """The groups of columns that are one category, by the names that no feature has."""
        return {g.name: g for g in self.space.one_hot if g.name not in self.space.names}

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.space.names, *self.groups) if self.groups else self.space.names

    def level(self, name: str) -> Any:
        """The level of a feature, or of a group, that must stand here."""
        known = self._levels(name)
        found = levels_at(self.line, self.at, known)
        if found:
            return self._over(found)
        word = self._unknown(_AFTER_LEVEL)
        if not word:
            raise self.expected(f"a level of {name!r}", nearest("", known))
        raise self.trouble(f"{word!r} is not a level of {name!r}.", nearest(word, known))

    def levels(self, name: str) -> list[Any]:
        """The levels that must stand here, with commas between them, in braces or not."""
        braces = not levels_at(self.line, self.at, self._levels(name)) and bool(self.take("{"))
        listing, self.listing = self.listing, self.listing and not braces
        levels = [self.level(name)]
        while self.another(name):
            levels.append(self.level(name))
        if braces and not self.take("}"):
            raise self.expected("'}'", "Close the list of levels.")
        self.listing = listing
        return levels

    def another(self, name: str) -> bool:
        """Whether a comma and one more level follow; the comma is then behind."""
        before = self.at, self.last
        if not self.take(","):
            return False
        known = bool(levels_at(self.line, self.at, self._levels(name)))
        if self.listing and not (known and self.choose([True, False])):
            self.at, self.last = before
            return False
        return True

    def word(self) -> str:
        """The word or sign that stands here; nothing at the end of the line."""
        match = _TOKEN.match(self.line, self.at)
        return match[0] if match else ""

    def trouble(self, message: str, hint: str, place: int | None = None) -> Trouble:
        """The reason why the line cannot be understood."""
        said = f"The rule '{self.line}' cannot be understood: {message}"
        return Trouble(said, hint, self.at if place is None else place, self.at)

    def after(self) -> str:
        """The words 'after ...', of what was read last; nothing at the start of the line."""
        read = self.line[slice(*self.last)]
        return f"after {read!r}, " if read else ""

    def expected(self, what: str, hint: str) -> Trouble:
        """The trouble that something else should stand here."""
        word = self.word()
        found = f"not {word!r}" if word else "and the line ends"
        return self.trouble(f"{self.after()}{what} is expected, {found}.", hint)

    def no_feature(self, *others: str, what: str = "a feature") -> Trouble:
        """The trouble that no feature stands here; other words could have stood here, too."""
        word, names = self._unknown(_AFTER_NAME), self._names
        if not word:
            return self.expected(what, nearest("", names))
        first = word.partition(" ")[0]
        if {word, first} & {one.name for one in self.space.carry}:
            return self.trouble(
                f"{word!r} is carried along and never changes.", "Leave the rule out."
            )
        hint = close(word, names) or close(first, names) or close(first, others)
        return self.trouble(f"{word!r} is not a feature.", hint or nearest("", names))

    def _over(self, found: list[Found]) -> Any:
        one = self.choose(found)
        self.move(one.end)
        return one.value

    def _levels(self, name: str) -> tuple[Any, ...]:
        if name in self.groups:
            return tuple(map(self.groups[name].level, self.groups[name].columns))
        feature = self.space.features[self.space.index(name)]
        return feature.levels  # type: ignore[union-attr]

    def _unknown(self, end: re.Pattern[str]) -> str:
        """What stands here up to what can follow it, without its quotes."""
        quoted = QUOTED.match(self.line, self.at)
        if quoted:
            return unquoted(quoted[0])
        if self.line[self.at : self.at + 1] in ("'", '"'):
            raise self.trouble("the quote is not closed.", "Close it with the same sign.")
        stop = end.search(self.line, self.at)
        return self.line[self.at : stop.start() if stop else None]


@lru_cache(maxsize=256)
def _phrase(phrase: str) -> re.Pattern[str]:
    """What finds words of the language, or a sign that is not a part of a longer one."""
    if phrase[0].isalpha():
        return re.compile(r"\s+".join(phrase.split()) + r"(?![\w.\-])")
    return re.compile(re.escape(phrase) + ("(?![=>])" if phrase in "<=>-" else ""))
