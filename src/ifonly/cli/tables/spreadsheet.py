"""CSV for spreadsheets, which run a text cell that looks like a formula.

A cell is text to them where it begins with an apostrophe, which they do not show. Numbers are no
danger and stay numbers.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

# What begins a formula, also in full width; or hides where the cell begins.
_RUN = re.compile("[=+\\-@＝＋－＠\\x00-\\x1f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?", re.IGNORECASE)


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with an apostrophe before every text, also in the header, that could be run.

    >>> guarded(pd.DataFrame({"=a": ["=1+1", "-5", "b"], "n": [-5, 1, 2]})).to_dict("list")
    {"'=a": ["'=1+1", '-5', 'b'], 'n': [-5, 1, 2]}
    """
    text = {
        name: frame[name].astype(object).map(_guarded)
        for name in frame.columns
        if not pd.api.types.is_numeric_dtype(frame[name].dtype)
    }
    return frame.assign(**text).rename(columns=_guarded)


def _guarded(value: Any) -> Any:
    runs = isinstance(value, str) and _RUN.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if runs else value
