"""What the words of a CSV file mean: numbers, truth values, dates or text, and which are missing.

A CSV file does not say what its columns hold. The model does, where its encoders know the levels of
a column; then the training file, for every other file; then the words themselves. An empty field is
missing. NA, NaN and null are missing among numbers, and levels among text. Dates are words such as
2024-03-01 or 2024-03-01 10:30.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd

NO_NUMBER = frozenset({"na", "nan", "null"})
"""What stands for a missing number, in any case of letters."""
PANDAS = frozenset(
    {"NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NaN", "nan", "-NaN", "-nan"}
    | {"None", "NULL", "null", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
)
"""What pandas reads as missing wherever it stands."""
TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
TEXT_DTYPE = pd.Series(["text"]).dtype

_NUMBER = re.compile(
    r"\s*[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?)\s*", re.IGNORECASE
)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9:]+)?)?"
)
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")
_PADDED = re.compile(r"\s*[+-]?0[0-9]")


class Kind(Enum):
    """What a column holds."""

    NUMBER = "number"
    TRUTH = "truth"
    DATE = "date"
    TEXT = "text"


_KINDS = {
    "string": Kind.TEXT,
    "boolean": Kind.TRUTH,
    "integer": Kind.NUMBER,
    "floating": Kind.NUMBER,
    "mixed-integer-float": Kind.NUMBER,
    "datetime64": Kind.DATE,
    "datetime": Kind.DATE,
}


@dataclass(frozen=True)
class Words:
    """How a command reads the words of its files."""

    missing: Collection[str] = ()
    """The user's own words for a missing value."""
    levels: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The levels that the model's encoders know, by column."""

    def read(
        self, words: pd.Series[Any], like: pd.Series[Any] | None
    ) -> tuple[pd.Series[Any], dict[str, int]]:
        """The values of a column of words, and how often each word was read as missing.

        `like` is the column of the training file, for any other file.
        """
        places, unique = pd.factorize(words)
        distinct = [str(word) for word in unique]
        levels = self.levels.get(str(words.name), ())
        missing = {"", *self.missing, *_pandas_words(levels)}
        kind = _kind_of_values(levels) or (None if like is None else _kind_of_values(like))
        kind = kind or _kind_of_words([word for word in distinct if word not in missing])
        if kind is Kind.NUMBER:
            missing |= {word for word in distinct if _no_number(word)}
        known = [None if word in missing else word for word in distinct]
        values = _values(known, kind) if like is None else _own_values(known, kind)
        counts = np.bincount(places, minlength=len(distinct)).tolist()
        column = pd.Series(values.take(places).array, index=words.index, name=words.name)
        return column, {w: n for w, n in zip(distinct, counts, strict=True) if w in missing}

    def unknown(self, frame: pd.DataFrame) -> dict[str, list[Any]]:
        """The values of a frame that the model's encoders do not know, by column."""
        known = {name: set(levels) for name, levels in self.levels.items() if name in frame.columns}
        found = {
            name: [value for value in frame[name].dropna().unique() if value not in levels]
            for name, levels in known.items()
        }
        return {name: values for name, values in found.items() if values}


def _pandas_words(levels: Sequence[Any]) -> Iterable[str]:
    """What pandas had read as missing before the model was fitted on missing values."""
    return PANDAS - set(levels) if pd.isna(pd.Series(levels, dtype=object)).any() else ()


def _kind_of_values(values: Sequence[Any] | pd.Series[Any]) -> Kind | None:
    column = pd.Series(values, dtype=object) if not isinstance(values, pd.Series) else values
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.categories.to_series()
    if isinstance(column.dtype, pd.StringDtype):
        return Kind.TEXT
    return _KINDS.get(pd.api.types.infer_dtype(column, skipna=True))


def _kind_of_words(words: Sequence[str]) -> Kind:
    """What words without a missing one mean; a number that begins with 0, such as 01, is a code."""
    numbers = [word for word in words if not _no_number(word)]
    if all(map(_NUMBER.fullmatch, numbers)) and (numbers or not words):
        return Kind.TEXT if any(map(_PADDED.match, numbers)) else Kind.NUMBER
    if all(word in TRUTH for word in words):
        return Kind.TRUTH
    return (
        Kind.DATE if all(map(_DATE.fullmatch, words)) and _dates(words) is not None else Kind.TEXT
    )


def _no_number(word: str) -> bool:
    return word.strip().lower() in NO_NUMBER


def _own_values(words: Sequence[str | None], kind: Kind) -> pd.Series[Any]:
    """What words of rows mean; one that does not fit its column stays text, and the others do not.

    >>> [isinstance(value, str) for value in _own_values(["12", "much"], Kind.NUMBER)]
    [False, True]
    """
    values = _values(words, kind)
    if kind is Kind.TEXT or values.dtype != TEXT_DTYPE:
        return values
    return pd.Series([_values([word], kind)[0] for word in words], dtype=object)


def _values(words: Sequence[str | None], kind: Kind) -> pd.Series[Any]:
    """What words mean in a column of a kind; words that do not fit it stay text."""
    present = [word for word in words if word is not None]
    if kind is Kind.NUMBER and all(map(_NUMBER.fullmatch, present)):
        if len(present) == len(words) > 0 and all(map(_WHOLE.fullmatch, present)):
            return pd.Series([int(word) for word in present], dtype=np.int64)
        return pd.Series([np.nan if w is None else float(w) for w in words], dtype=np.float64)
    if kind is Kind.TRUTH and all(word in TRUTH for word in present):
        truth = [np.nan if word is None else TRUTH[word] for word in words]
        return pd.Series(truth, dtype=bool if len(present) == len(words) else object)
    if kind is Kind.DATE and all(map(_DATE.fullmatch, present)):
        dates = _dates(words)
        if dates is not None:
            return dates
    return pd.Series([np.nan if word is None else word for word in words], dtype=TEXT_DTYPE)


def _dates(words: Sequence[str | None]) -> pd.Series[Any] | None:
    """Words as dates; nothing where one is no day of the calendar, or offsets differ."""
    try:
        read = pd.to_datetime(pd.Series(np.array(words, dtype=object)), format="ISO8601")
    except ValueError:
        return None
    return read if isinstance(read.dtype, pd.DatetimeTZDtype) or read.dtype.kind == "M" else None
