"""Columns of every dtype that users have, made from a seed.

Each maker gives a column of n values whose scale, decimals and gaps are drawn; what it makes is
kept by a space bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Maker = Callable[[np.random.Generator, int], Any]


def _numbers(rng: np.random.Generator, n: int) -> np.ndarray:
    """Numbers of a random scale, written with few decimals or measured in full precision."""
    values = rng.normal(rng.choice([0, 1, 300]), 1, n) * 10.0 ** rng.integers(-2, 3)
    decimals = rng.choice([0, 1, 2, 3, 20])
    return values if decimals == 20 else np.round(values, decimals)


def _gaps(values: list[Any], rng: np.random.Generator, gap: object) -> list[Any]:
    lost = rng.random(len(values)) < 0.2
    return [gap if gone else value for value, gone in zip(values, lost, strict=True)]


def _floats(dtype: Any) -> Maker:
    def make(rng: np.random.Generator, n: int) -> Any:
        return pd.Series(_numbers(rng, n).astype("float64")).astype(dtype)

    return make


def _large(dtype: str, most: float) -> Maker:
    return lambda rng, n: pd.Series((rng.random(n) * most).astype(dtype))


def _whole(dtype: Any) -> Maker:
    def make(rng: np.random.Generator, n: int) -> Any:
        return pd.Series(rng.integers(0, 100, n)).astype(dtype)

    return make


def _objects(pool: list[Any], *gaps: object) -> Maker:
    def make(rng: np.random.Generator, n: int) -> Any:
        values = [pool[place] for place in rng.integers(len(pool), size=n)]
        return pd.Series(_gaps(values, rng, *gaps) if gaps else values, dtype=object)

    return make


def _texts(dtype: Any, then: Any = None) -> Maker:
    """Text of a dtype, with gaps; `then` is a dtype that it becomes."""

    def make(rng: np.random.Generator, n: int) -> Any:
        made = pd.Series(_gaps(rng.choice(["a", "b", "c"], n).tolist(), rng, None), dtype=dtype)
        return made if then is None else made.astype(then)

    return make


def _decimals(rng: np.random.Generator, n: int) -> list[Decimal]:
    scale = int(rng.integers(0, 5))
    return [Decimal(int(value)).scaleb(-scale) for value in rng.integers(-999, 10**6, n)]


def _sparse(fill: float, dtype: str) -> Maker:
    def make(rng: np.random.Generator, n: int) -> Any:
        values = np.where(rng.random(n) < 0.5, fill, rng.integers(1, 40, n) / 4)
        kind = np.dtype(dtype)
        filled = pd.SparseDtype(kind, np.asarray(fill, dtype=kind).item())
        return pd.Series(pd.arrays.SparseArray(values.astype(kind), dtype=filled))

    return make


PANDAS: dict[str, Maker] = {
    **{
        name: _floats(name)
        for name in ("float16", "float32", "float64", "Float32", "Float64", "float[pyarrow]")
    },
    "float16 large": _large("float16", 60000),
    "float32 large": _large("float32", 1e9),
    "float32 uneven": lambda rng, n: pd.Series((10 ** rng.uniform(-3, 6, n)).astype("float32")),
    "float64 large": _large("float64", 1e19),
    "negative zero": lambda rng, n: pd.Series(rng.choice([-0.0, 0.0, 1.5, -1.5], n)),
    **{name: _whole(name) for name in ("int8", "uint16", "int64", "Int16", "int64[pyarrow]")},
    "Int64 gaps": lambda rng, n: pd.Series(
        _gaps(rng.integers(0, 9, n).tolist(), rng, None), dtype="Int64"
    ),
    "float64 gaps": lambda rng, n: pd.Series(_gaps(_numbers(rng, n).tolist(), rng, np.nan)),
    "near 2**53": lambda rng, n: pd.Series(2**53 - 1 - rng.integers(0, 10**6, n)),
    "whole objects": _objects([1, 2, 30], None),
    "float objects": _objects([1.0, 2.0, 30.0], np.nan),
    "text": _objects(["a", "b", "1"], None),
    "mixed": _objects([1, "1", 2.5, False], np.nan),
    "str": lambda rng, n: pd.Series(rng.choice(["a", "b"], n)),
    "arrow text": lambda rng, n: pd.Series(
        rng.choice(["a", "b"], n), dtype=pd.ArrowDtype(pa.string())
    ),
    "boolean": lambda rng, n: pd.Series(
        _gaps([True, False] * (n // 2), rng, None), dtype="boolean"
    ),
    "category": lambda rng, n: pd.Series(rng.choice(["x", "y"], n), dtype="category"),
    **{name: _texts(name) for name in ("string[python]", "string[pyarrow]")},
    "large arrow text": _texts(pd.ArrowDtype(pa.large_string())),
    "arrow dictionary": _texts(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "category of text": _texts("string[python]", "category"),
    "category of arrow text": _texts("string[pyarrow]", "category"),
    "category of objects": _texts(
        object, pd.CategoricalDtype(pd.Index(["c", "a", "b"], dtype=object), ordered=True)
    ),
    **{
        f"category of {dtype}": lambda rng, n, dtype=dtype: pd.Series(  # type: ignore[misc]
            rng.integers(0, 4, n), dtype=dtype
        ).astype("category")
        for dtype in ("int8", "Int64", "float32", "int64[pyarrow]")
    },
    "decimals": lambda rng, n: pd.Series(_decimals(rng, n), dtype=object),
    "decimals gaps": lambda rng, n: pd.Series(_gaps(_decimals(rng, n), rng, None), dtype=object),
    "arrow decimals": lambda rng, n: pd.Series(
        _gaps(_decimals(rng, n), rng, None), dtype=pd.ArrowDtype(pa.decimal128(12, 5))
    ),
    "Sparse int": _sparse(0, "int64"),
    "Sparse int8 of 1": _sparse(1, "int8"),
    "Sparse float": _sparse(np.nan, "float64"),
    "Sparse float of 0": _sparse(0, "float32"),
    "Sparse bool": lambda rng, n: pd.Series(pd.arrays.SparseArray(rng.random(n) < 0.3)),
}
POLARS: dict[str, Maker] = {
    "Float32": lambda rng, n: pl.Series(_numbers(rng, n)).cast(pl.Float32),
    "nan": lambda rng, n: pl.Series(np.array(_gaps(_numbers(rng, n).tolist(), rng, np.nan))),
    "null": lambda rng, n: pl.Series(_gaps(_numbers(rng, n).tolist(), rng, None), dtype=pl.Float64),
    "negative zero": lambda rng, n: pl.Series(rng.choice([-0.0, 0.0, 1.0, -1.0], n)),
    "UInt8": lambda rng, n: pl.Series(rng.integers(0, 99, n)).cast(pl.UInt8),
    "Int64 gaps": lambda rng, n: pl.Series(_gaps(rng.integers(0, 9, n).tolist(), rng, None)),
    "String": lambda rng, n: pl.Series(_gaps(rng.choice(["a", "b"], n).tolist(), rng, None)),
    "Boolean": lambda rng, n: pl.Series(rng.random(n) < 0.5),
    "Enum": lambda rng, n: pl.Series(
        rng.choice(["lo", "hi"], n).tolist(), dtype=pl.Enum(["lo", "hi"])
    ),
    "Categorical": lambda rng, n: pl.Series(
        _gaps(rng.choice(["lo", "hi"], n).tolist(), rng, None), dtype=pl.Categorical
    ),
    "Decimal": lambda rng, n: pl.Series(
        _gaps(_decimals(rng, n), rng, None), dtype=pl.Decimal(12, 5)
    ),
}


def exact(values: Any) -> list[tuple[str, str]]:
    """What tells two values apart to the last bit: the type, and the text, of each of a series.

    >>> exact(pd.Series([0.0])) == exact(pd.Series([-0.0]))
    False
    """
    return [(type(value).__name__, repr(value)) for value in list(values)]
