"""Values that JSON does not have, each written with a mark: (1, 2) is {"tuple": [1, 2]}.

What is written is read back as it was; what cannot be is refused when it is written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space.cost import Cost
from ifonly.space.description import is_text, to_plain
from ifonly.space.feature import Feature

DEEPEST = 20
"""How many values may lie inside each other."""
EXACT = 2**53
"""From here on, not every reader of JSON has every whole number."""


def plain(value: Any) -> Any:
    """A value of a feature, a level or a class as JSON has it, without a mark.

    >>> plain(pd.Timestamp("2024-03-01 10:30")), plain(pd.Timedelta("30D")), plain(float("nan"))
    ('2024-03-01T10:30:00', 'P30DT0H0M0S', None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NaT or isinstance(value, bool):
        return None if value is pd.NaT else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) < EXACT:
        return value
    if isinstance(value, timedelta):
        return pd.Timedelta(value).isoformat()
    text = value.isoformat() if isinstance(value, date) else str(value)
    return text.encode("utf-8", "backslashreplace").decode()


def encode(value: Any) -> Any:
    """A value as JSON holds it.

    >>> encode((1, float("inf")))
    {'tuple': [1, {'float': 'inf'}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float) or is_text(value):
        return value
    if isinstance(value, tuple):
        return {"tuple": [encode(one) for one in value]}
    if isinstance(value, list):
        return [encode(one) for one in value]
    if isinstance(value, dict):
        return {"pairs": [[encode(key), encode(one)] for key, one in value.items()]}
    if isinstance(value, Cost):
        return {"cost": encode(astuple(value))}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if value is pd.NaT:
        return {"timestamp": "NaT"}
    if isinstance(value, timedelta):
        return {"timedelta": pd.Timedelta(value).isoformat()}
    if isinstance(value, datetime):
        return {"timestamp": pd.Timestamp(value).isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, pd.Interval):
        return {"interval": encode((value.left, value.right, value.closed))}
    raise DataError(f"JSON cannot hold {value!r}.", "Turn such values into text first.")


def encode_feature(feature: Feature) -> dict[str, Any]:
    """A feature as JSON holds it, with a mark on what JSON does not have."""
    plain, unseen = to_plain(feature), feature.column.unseen
    column = {**plain["column"], "unseen": unseen} if unseen else plain["column"]
    return {**_marked(plain), "column": _marked(column)}


def _marked(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with their values marked, each of a list by itself."""
    return {
        name: [encode(one) for one in value] if isinstance(value, tuple) else encode(value)
        for name, value in plain.items()
        if name != "column"
    }


def decode_feature(plain: Any) -> Any:
    """Fields as they were before they were marked; what are no fields, as they are."""
    if not isinstance(plain, dict):
        return plain
    return {
        name: decode_feature(one) if name == "column" else decode(one)
        for name, one in plain.items()
    }


def decode(plain: Any, depth: int = 0) -> Any:
    """The value that `encode` wrote; anything else is refused."""
    if depth > DEEPEST:
        raise DataError(f"Values are nested more than {DEEPEST} deep.")
    if isinstance(plain, list):
        return [decode(one, depth + 1) for one in plain]
    if isinstance(plain, dict) and len(plain) == 1:
        ((mark, inner),) = plain.items()
        if mark in _READERS:
            try:
                return _READERS[mark](inner, depth + 1)
            except (TypeError, ValueError, ArithmeticError):
                raise DataError(f"{inner!r:.60} is not a {mark}.") from None
    if plain is None or isinstance(plain, bool | int | float) or is_text(plain):
        return plain
    raise DataError(f"{plain!r:.60} is not a saved value.")


def _float(inner: Any, _: int) -> float:
    if inner not in ("nan", "inf", "-inf"):
        raise ValueError
    return float(inner)


def _timestamp(inner: Any, _: int) -> pd.Timestamp:
    read = pd.Timestamp(inner)
    if read.isoformat() != inner:
        raise ValueError
    return read


def _timedelta(inner: Any, _: int) -> pd.Timedelta:
    read = pd.Timedelta(inner)
    if read.isoformat() != inner:
        raise ValueError
    return read


def _date(inner: Any, _: int) -> date:
    return date.fromisoformat(inner)


def _decimal(inner: Any, _: int) -> Decimal:
    read = Decimal(inner) if isinstance(inner, str) and len(inner) < 100 else None
    if read is None or not read.is_finite():
        raise ValueError
    return read


def _tuple(inner: Any, depth: int) -> tuple[Any, ...]:
    if not isinstance(inner, list):
        raise TypeError
    return tuple(decode(one, depth) for one in inner)


def _pairs(inner: Any, depth: int) -> dict[Any, Any]:
    return {decode(key, depth): decode(one, depth) for key, one in inner}


def _interval(inner: Any, depth: int) -> pd.Interval[Any]:
    return pd.Interval(*decode(inner, depth))


def _cost(inner: Any, depth: int) -> Cost:
    up, down, moves, other = decode(inner, depth)
    return Cost(up, down, tuple((before, after, factor) for before, after, factor in moves), other)


_READERS = {
    "float": _float,
    "decimal": _decimal,
    "timestamp": _timestamp,
    "timedelta": _timedelta,
    "date": _date,
    "interval": _interval,
    "tuple": _tuple,
    "pairs": _pairs,
    "cost": _cost,
}
