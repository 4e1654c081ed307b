"""How a column's dtype is named, and how exactly it holds numbers.

A name gives its dtype again, and survives JSON. Codes are double precision. A column holds its
numbers in a dtype of its own, so a value grid is no finer than that dtype: else two codes would be
written as one value. And what codes cannot hold, a whole number beyond 2**53 or a decimal with as
many digits, is refused: it would be written as another one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space.feature import Column, Continuous, Feature

LEAST_DECIMALS = -4
"""Up to this power of ten, the step of a grid is exact in either direction."""
WHOLE = 2**53
"""Below it, double precision holds every whole number."""
MOST_DIGITS = 300
"""The largest power of ten that is counted; double precision ends soon after it."""
NUMBERS = {
    np.dtype(name.lower()): name
    for name in (
        *("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"),
        *("Float16", "Float32", "Float64"),
    )
}
"""What Polars and Narwhals call NumPy's dtypes of numbers."""
_SPARSE = re.compile(r"Sparse\[(bool|u?int\d+|float\d+), ([-+.\w]+)\]")
_DECIMAL = re.compile(r"decimal(?:32|64|128|256)?\((?:(\d+), )?(-?\d+)\)(?:\[pyarrow\])?", re.I)
_ARROW_DECIMAL = re.compile(r"(decimal(?:32|64|128|256))\((\d+), (-?\d+)\)")
_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(\w+), ordered=([01])>")


def dtype_name(dtype: Any) -> str | None:
    """The name that gives a dtype of pandas again; None where it has none.

    >>> dtype_name(pd.SparseDtype(float, 0.0)), dtype_name(np.dtype("float16"))
    ('Sparse[float64, 0.0]', 'float16')
    """
    # Arrow's own text has the name of another dtype, and an alias that is its alone.
    name = str(dtype).replace("string[pyarrow]", "utf8[pyarrow]")
    if isinstance(dtype, pd.StringDtype) and dtype.na_value is pd.NA:
        name = f"string[{dtype.storage}]"
    elif isinstance(dtype, pd.StringDtype) and named_dtype("str") != dtype:
        name = f"str[{dtype.storage}]"
    elif isinstance(dtype, pd.SparseDtype):
        name = f"Sparse[{dtype.subtype}, {np.asarray(dtype.fill_value).item()}]"
    try:
        return name if named_dtype(name) == dtype else None
    except (TypeError, ValueError, NotImplementedError):
        return None


@cache
def named_dtype(name: str) -> Any:
    """The dtype of pandas that a name stands for.

    >>> named_dtype("Sparse[float64, 0.0]"), named_dtype("decimal(2)")
    (Sparse[float64, 0.0], dtype('O'))
    """
    if sparse := _SPARSE.fullmatch(name):
        kind = np.dtype(sparse[1])
        value = {"nan": np.nan, "True": True, "False": False}.get(sparse[2])
        return pd.SparseDtype(kind, kind.type(sparse[2]).item() if value is None else value)
    if text := re.fullmatch(r"str\[(\w+)\]", name):
        return pd.StringDtype(text[1], na_value=np.nan)
    if name.startswith(("decimal", "dictionary")) and name.endswith("[pyarrow]"):
        return pd.ArrowDtype(arrow_type(name))
    if _DECIMAL.fullmatch(name):
        return np.dtype(object)
    return pd.api.types.pandas_dtype(name)


def arrow_type(name: str) -> Any:
    """The type of PyArrow that a name stands for.

    >>> arrow_type("decimal128(10, 2)[pyarrow]")
    Decimal128Type(decimal128(10, 2))
    """
    import pyarrow

    name = name.removesuffix("[pyarrow]")
    if decimal := _ARROW_DECIMAL.fullmatch(name):
        return getattr(pyarrow, decimal[1])(int(decimal[2]), int(decimal[3]))
    if entry := _DICTIONARY.fullmatch(name):
        return pyarrow.dictionary(arrow_type(entry[2]), arrow_type(entry[1]), entry[3] == "1")
    if moment := re.fullmatch(r"timestamp\[(\w+), tz=(.+)\]", name):
        return pyarrow.timestamp(moment[1], moment[2])
    return pyarrow.type_for_alias(name)


@dataclass(frozen=True)
class Digits:
    """How a column holds decimals: digits in all, those after the point, and below what it is."""

    precision: int
    scale: int
    limit: float

    def written(self, codes: np.ndarray, gap: object = None) -> list[Any]:
        """Codes [n] as Python's decimals; one with more decimals than the column has keeps them."""
        texts = [f"{code:.{max(self.scale, 0)}f}" for code in codes.tolist()]
        return [
            gap if code != code else Decimal(text if float(text) == code else repr(code))
            for code, text in zip(codes.tolist(), texts, strict=True)
        ]


@cache
def digits_of(name: str) -> Digits | None:
    """How a column of decimals holds them, by the name of its dtype; None for any other.

    >>> digits_of("decimal(2)"), digits_of("float64")
    (Digits(precision=38, scale=2, limit=90071992547409.92), None)
    """
    found = _DECIMAL.fullmatch(name)
    if found is None:
        return None
    precision, scale = min(MOST_DIGITS, int(found[1] or 38)), min(MOST_DIGITS, int(found[2]))
    return Digits(precision, scale, min(WHOLE / 10.0**scale, 10.0 ** (precision - scale)))


def decimal_column(values: Sequence[Any], *, none: bool = False) -> Column:
    """The column of objects that are all decimals: as many decimals as the longest has."""
    scale = max([0, *(-int(one.as_tuple().exponent) for one in values if one.is_finite())])
    return Column(f"decimal({scale})", none=none)


@cache
def holds_whole(name: str) -> bool:
    """Whether a dtype holds whole numbers alone, by its name.

    >>> holds_whole("Sparse[int64, 0]"), holds_whole("Float32")
    (True, False)
    """
    dtype = number_dtype(name)
    return name.lower().startswith(("int", "uint")) if dtype is None else dtype.kind in "iu"


def column_in(feature: Feature, library: str) -> Column:
    """The column of a feature in a frame of another library than that of the data.

    >>> column_in(Continuous("age", 18, 90, missing=True, column=Column("Int8")), "pandas").dtype
    'Int8'
    """
    column, levels = feature.column, getattr(feature, "levels", ())
    family = _family(column, levels)
    if library != "pandas":
        enum = "Enum" if family == "Enum" and library == "polars" else "Categorical"
        name = enum if family in ("Enum", "Categorical") else family
        return Column(name, column.categories or levels, none=True, floats=column.floats)
    if family in ("Enum", "Categorical"):
        return Column("category", column.categories or levels, ordered=family == "Enum")
    if family == "Boolean":
        return Column("boolean" if feature.missing else "bool")
    if digits := digits_of(family):
        return Column(f"decimal({digits.scale})", none=True)
    if family in NUMBERS.values():
        whole = feature.missing and holds_whole(family)  # NumPy's integers cannot be missing
        return Column(family if whole else family.lower())
    return Column()


def _family(column: Column, levels: Sequence[Any]) -> str:
    """What Polars calls the dtype of a column, or nothing where the values choose it."""
    name, dtype = column.dtype, number_dtype(column.dtype)
    if levels and (name.startswith(("category", "dictionary")) or name in ("Categorical", "Enum")):
        text = all(isinstance(level, str) for level in levels)
        return ("Enum" if column.ordered or name == "Enum" else "Categorical") if text else ""
    if digits := digits_of(name):
        return f"Decimal(38, {max(digits.scale, 0)})"
    if dtype is not None:
        return NUMBERS[dtype]
    if name.lower() in ("bool", "boolean", "bool[pyarrow]") or name.startswith("Sparse[bool"):
        return "Boolean"
    return "String" if name.lower().startswith(("str", "utf8", "large_str", "large_utf")) else ""


@cache
def number_dtype(name: str) -> np.dtype | None:
    """NumPy's dtype for the numbers of a column, by the name of the column's own.

    >>> number_dtype("Int16"), number_dtype("float[pyarrow]"), number_dtype("object")
    (dtype('int16'), dtype('float32'), None)
    """
    try:
        dtype = np.dtype(np.float16) if name == "Float16" else named_dtype(name)  # not in pandas
    except (TypeError, ValueError, NotImplementedError):
        return None
    dtype = getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "iuf" else None


def finest(values: np.ndarray) -> int:
    """The most decimals with which the dtype of values tells neighbours on their grid apart.

    In double precision two bits are left for the rounding of codes.

    >>> finest(np.array([3.0], dtype=np.float32)), finest(np.array([3e7], dtype=np.float32))
    (6, -1)
    """
    double = values.dtype == np.float64
    largest, room = np.abs(values).max(), 4.0 if double else 1.0
    decimals = min(300, int(np.floor(-np.log10(room * float(np.spacing(largest))))))
    with np.errstate(over="ignore"):
        beyond = values.dtype.type(float(largest) + 10.0**-decimals)  # the end of a grid
    if 10.0**-decimals < room * np.spacing(beyond):
        decimals -= 1
    # From 2**53 on, every number in double precision is whole.
    return max(decimals, 0) if double else decimals


def held(values: np.ndarray, feature: Continuous, what: str) -> np.ndarray:
    """Numbers [n] as the feature's column holds them; what it cannot hold is refused.

    Of the codes that the column writes alike, a number gets the one on the value grid: 0.1 in
    single precision is the code 0.1.
    """
    dtype, digits = number_dtype(feature.column.dtype), digits_of(feature.column.dtype)
    if digits is not None:
        codes, fixed = values, not feature.column.dtype.startswith("decimal(")  # objects hold any
        lost = fixed & (np.round(values, digits.scale) != values) & ~np.isnan(values)
        lost |= np.abs(values) >= digits.limit
    elif dtype is None or dtype == np.float64:
        return values
    elif dtype.kind == "f":
        with np.errstate(over="ignore"):
            stored = values.astype(dtype)
            lost = np.isinf(stored) & np.isfinite(values)
        rounded = np.round(stored.astype(np.float64), feature.decimals)
        codes = np.where(rounded.astype(dtype) == stored, rounded, stored.astype(np.float64))
    else:
        limits, codes = np.iinfo(dtype), values
        lost = (values < limits.min) | (values > limits.max)
    if lost.any():
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds {values[lost][0]:g}, which the dtype "
            f"{feature.column.dtype} of the data cannot hold.",
            "Give `data` with a wider dtype there.",
        )
    return codes
