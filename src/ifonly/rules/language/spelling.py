"""Names, levels and numbers as the text of rules writes them.

What could be read as something else stands in quotes: then whoever reads the text in any space gets
the same rule back. A *plain* text needs none: words of letters and digits, none of them a word that
can follow a name or begin a rule, and nothing that looks like a number or a truth value.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

KEYWORDS = (
    *("fixed", "only", "between", "at", "in", "is", "not", "increases", "decreases", "change"),
    *("changes", "causes", "takes", "of", "and", "or", "if", "then", "forbid"),
)
_WORD = r"\w+(?:[.\-]\w+)*"
_PLAIN = re.compile(rf"(?!\d){_WORD}(?: {_WORD})*")
_TAKEN = re.compile(rf"(?<![\w.\-])(?:{'|'.join(KEYWORDS)})(?![\w.\-])")
_VALUES = ("True", "False", "nan", "inf")


def number_text(value: float) -> str:
    """A number as a person writes it.

    >>> number_text(30.0), number_text(0.25), number_text(1234567.0), number_text(1e20)
    ('30', '0.25', '1234567', '1e+20')
    """
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
