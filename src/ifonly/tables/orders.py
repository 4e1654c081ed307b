"""Orders of levels as lines of text, and the names and lists that such lines consist of.

    education: School, HS-grad, Bachelors

Names and levels that hold a comma, a colon or a sign stand in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from ifonly.errors import OptionError
from ifonly.rules.language.names import QUOTED, unquoted

_PART = re.compile(rf"\s*((?:{QUOTED.pattern})(?=\s*(?:,|$))|[^,]*)(?:,|$)")


def as_ordinal(texts: Iterable[str], frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The orders of levels, lowest first, each level as the frame holds it.

    >>> as_ordinal(["size: 2, 10"], pd.DataFrame({"size": [10, 2, 2]}))
    {'size': [2, 10]}
    """
    orders: dict[str, list[Any]] = {}
    for text in texts:
        name, rest = named(text, ":", frame.columns)
        each = parts(rest)
        if not name or not all(each):
            raise OptionError(
                f"--ordinal {text!r} does not state an order.",
                "Give a column and its levels, lowest first: --ordinal 'size: small, large'.",
            )
        known = frame[name].dropna().unique().tolist() if name in frame.columns else []
        levels = [_level(part, known) for part in each]
        twice = [part for part, level in zip(each, levels, strict=True) if levels.count(level) > 1]
        if twice:
            raise OptionError(f"--ordinal {text!r} names {twice[0]} twice.", "Name a level once.")
        orders[once(name, orders, "--ordinal")] = levels
    return orders


def named(text: str, sign: str, names: Iterable[str]) -> tuple[str, str]:
    """What stands before and after a sign; the first one after which a known name ends."""
    known = list(names)
    splits = [(text[: m.start()], text[m.end() :]) for m in re.finditer(re.escape(sign), text)]
    pairs = [(_bare(before.strip()), after.strip()) for before, after in splits]
    return next((pair for pair in pairs if pair[0] in known), pairs[0] if pairs else ("", ""))


def parts(text: str) -> list[str]:
    """What commas separate, quotes still on."""
    found, at = [], 0
    while True:
        match = _PART.match(text, at)
        assert match is not None, "anything up to a comma is a part"
        found.append(match[1].strip())
        at = match.end()
        if not match[0].endswith(","):
            return found


def once(name: str, stated: Iterable[str], option: str) -> str:
    """A name that was not stated before."""
    if name in stated:
        raise OptionError(f"{option} names {name!r} twice.", "State it once.")
    return name


def number_of(text: str) -> float | None:
    """The number that a text is, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def _level(part: str, known: list[Any]) -> Any:
    """The known level that a part means; the text itself where there is none."""
    text, number = _bare(part), number_of(part)
    alike = [level for level in known if str(level) == text]
    equal = [x for x in known if number is not None and not isinstance(x, str) and x == number]
    return next(iter((*alike, *equal)), text)


def _bare(text: str) -> str:
    return unquoted(text) if QUOTED.fullmatch(text) else text
