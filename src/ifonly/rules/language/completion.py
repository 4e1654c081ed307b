"""What can follow where somebody is typing a rule: the language's own words, names and levels.

The line up to the caret is read as always. Whatever the reader looks for at its end could stand
there, so that completions know the grammar without a second copy of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from ifonly.errors import RuleError
from ifonly.rules.language.cursor import Reader, Trouble
from ifonly.rules.language.grammar import read_line
from ifonly.rules.language.names import level_text, name_text
from ifonly.space import Space

ATTEMPTS = 50
"""How many ways to cut a line are tried."""
WORDS = 8
"""How many words a name or phrase may have that is being typed."""
SIGNS = frozenset("(){},:")
"""Signs that need no completion."""
_BEGIN = re.compile(r"[^\s,(){}<>=!+*:]+")


@dataclass(frozen=True)
class Completion:
    """A text that can stand in a line, in place of what is typed from `start` on."""

    start: int
    text: str
    kind: Literal["feature", "level", "word"]
    label: str = ""
    """The user's own label, where there is one."""


def completions(line: str, space: Space) -> list[Completion]:
    """What can stand at the end of a line, in place of its last letters.

    Parameters
    ----------
    line
        A rule up to the caret.
    space
        The features.

    Returns
    -------
    list of Completion
        Features first, then levels, then words and signs.

    Examples
    --------
    >>> space = Space.describe(
    ...     {"name": "age", "low": 17, "high": 90, "mad": 10},
    ...     {"name": "job", "levels": ["clerk", "cook"]},
    ... )
    >>> [one.text for one in completions("job in c", space)]
    ['clerk', 'cook']
    >>> [one.text for one in completions("age in", space)]
    ['in steps of', 'increases']
    """
    starts = [match.start() for match in _BEGIN.finditer(line)][-WORDS:]
    if not _BEGIN.search(line[-1:]):
        starts.append(len(line))
    found: dict[Completion, None] = {}
    for start in starts:
        # What is typed so far may begin a name or phrase of several words.
        typed = " ".join(line[start:].casefold().split())
        for one in _expected(line[:start], start, space):
            texts = (one.text.casefold(), one.text.strip('"').casefold(), one.label.casefold())
            if any(text.startswith(typed) for text in texts) and typed != texts[0]:
                found[one] = None
    kinds = ("feature", "level", "word")

    def place(one: Completion) -> tuple[int, bool, str]:
        return kinds.index(one.kind), not one.text[0].isalpha(), one.text.casefold()

    return sorted(found, key=place)


def _expected(line: str, start: int, space: Space) -> Iterable[Completion]:
    """All that can stand after a line."""
    turns: tuple[int, ...] | None = ()
    expected: set[Completion] = set()
    for _ in range(ATTEMPTS):
        if turns is None:
            break
        reader = _Listening(line or "(", space, turns)  # a bracket opens a whole rule
        reader.start, reader.expected_here = start, expected
        with suppress(Trouble, RuleError, RecursionError):
            read_line(reader)
        turns = reader.next_turns()
    return expected


class _Listening(Reader):
    """A reader that notes what it looks for at the end of the line."""

    start: int
    expected_here: set[Completion]

    def stands(self, *phrases: str) -> str:
        self._note(phrases, "word")
        return super().stands(*phrases)

    def take(self, *phrases: str) -> str:
        self._note(phrases, "word")
        return super().take(*phrases)

    def names_here(self) -> Any:
        self._note(self._names, "feature")
        return super().names_here()

    def name(self) -> str:
        self._note(self.space.names, "feature")
        return super().name()

    def level(self, name: str) -> Any:
        self._note(self._levels(name), "level", name)
        return super().level(name)

    def _note(self, found: Iterable[Any], kind: Any, name: str = "") -> None:
        if self.at < len(self.line):
            return
        for one in (one for one in found if kind != "word" or one not in SIGNS):
            text = level_text(one) if kind == "level" else name_text(one)
            text = str(one) if kind == "word" else text
            key = (name, one) if kind == "level" else one
            label = self.space.labels.get(key, "") if kind != "word" else ""
            self.expected_here.add(Completion(self.start, text, kind, label))
