"""A table of reason codes: for each feature, the code and the sentence that people read."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import narwhals as nw

from ifonly.answers.views import shown_features
from ifonly.errors import DataError, FileError, OptionError, listed, nearest
from ifonly.render.text import Show
from ifonly.render.view import value_text
from ifonly.space import Space

FIELDS = ("feature", "when", "code", "sentence")
KNOWN = ("feature", "value", "better")
"""What a sentence may hold in braces."""
_HOLE = re.compile(r"\{(\w*)\}")

Codes: TypeAlias = Any
"""A table of reasons: a path of a CSV file, a DataFrame, or a list of dictionaries."""


@dataclass(frozen=True)
class ReasonCodes:
    """The lines of a table, by feature and case.

    A line is for a `feature` and for a case, `when`: 'low' and 'high' of numbers and ordered
    levels, 'missing', a level, or nothing: any case. Of several lines that fit, that of a level
    counts first, then that of a direction, then that of any case.
    """

    lines: Mapping[tuple[str, str], tuple[str, str]]

    @classmethod
    def of(cls, table: Codes) -> ReasonCodes:
        """The codes of a table: a path of a CSV file, a DataFrame, or a list of dictionaries."""
        if isinstance(table, ReasonCodes):
            return table
        if isinstance(table, str | PathLike):
            return cls._of(_read(Path(table)), f"The table {str(table)!r}")
        frame = nw.from_native(table, eager_only=True, pass_through=True)
        found = frame.rows(named=True) if isinstance(frame, nw.DataFrame) else table
        if not isinstance(found, Iterable) or isinstance(found, Mapping):
            hint = "Give a path of a CSV file, a DataFrame, or a list of dictionaries."
            raise OptionError(f"codes is a {type(table).__name__}.", hint)
        return cls._of(list(found), "The table of reasons")

    @classmethod
    def _of(cls, found: list[Any], what: str) -> ReasonCodes:
        lines: dict[tuple[str, str], tuple[str, str]] = {}
        for number, line in enumerate(found, 1):
            if not isinstance(line, Mapping) or not {"feature", "code", "sentence"} <= set(line):
                raise DataError(
                    f"{what} has no feature, code and sentence in line {number}.",
                    f"Its columns are {', '.join(FIELDS)}; `when` may be left out.",
                )
            feature, when, code, sentence = (_text(line.get(name)) for name in FIELDS)
            for hole in _HOLE.findall(sentence):
                if hole not in KNOWN:
                    raise DataError(
                        f"{what} has {{{hole}}} in the sentence of {feature!r}.",
                        f"{nearest(hole, KNOWN)} Known: {listed(KNOWN)}.",
                    )
            if (feature, when) in lines:
                twice = f"{feature!r}{f' when {when!r}' if when else ''}"
                raise DataError(f"{what} has two lines for {twice}.", "Leave one of them.")
            lines[feature, when] = code, sentence
        return cls(lines)

    def check(self, space: Space, ignored: Iterable[str]) -> None:
        """Refuse a table without a line for a feature that the model reads."""
        known, unread = {feature for feature, _ in self.lines}, set(ignored)
        shown = shown_features(replace(space, labels={}))
        read = [one.name for one in shown if {f.name for f in one.features} - unread]
        lacking = [name for name in read if name not in known]
        if lacking:
            raise OptionError(
                f"The table of reasons has no line for {listed(lacking)}.",
                "Add one: any feature that the model reads can be a reason.",
            )

    def find(self, feature: str, level: Any, direction: str) -> tuple[str, str]:
        """The code and the sentence for a feature with a value; braces are not filled."""
        own = [] if level is None else [value_text(level, "")]
        for when in (*own, direction, ""):
            if (feature, when) in self.lines:
                return self.lines[feature, when]
        raise OptionError(
            f"The table of reasons has no line for {feature!r} when it is {direction!r}.",
            "Add one, or one without `when`, which is for any case.",
        )


def filled(sentence: str, values: Mapping[str, Any], show: Show, escape: Show) -> str:
    """A sentence with its braces filled; `escape` is for what stands between them."""
    parts = _HOLE.split(sentence)  # text and names by turns
    return "".join(
        show(values[part]) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def _text(value: Any) -> str:
    """A cell as text; an empty one is nothing."""
    return "" if value is None or value != value else str(value)


def _read(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = getattr(error, "strerror", None) or "it is no CSV in UTF-8"
        raise FileError(f"The table of reasons {str(path)!r} cannot be read: {why}.") from None
