"""Reading the columns of a user's DataFrame, and building frames of the same kind.

pandas is handled natively, because its dtypes have no exact name elsewhere; every other library
goes through Narwhals. Nothing here changes a frame that it is given.
"""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space.feature import Column
from ifonly.space.table.dtypes import WHOLE, decimal_column, digits_of, dtype_name

Frame: TypeAlias = Any
"""A DataFrame of the user's library: pandas, Polars or pyarrow."""
LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")
"""The libraries whose frames Narwhals holds whole."""
FEW = 64
ALIKE = ("string", "integer", "boolean")
"""Objects of one type, of which equal ones are the same."""


def as_frame(rows: Frame, what: str = "rows", *, empty: bool = False) -> nw.DataFrame[Any]:
    """The frame in Narwhals' clothes; one row may also be a dictionary or a pandas Series."""
    if isinstance(rows, dict):
        rows = pd.DataFrame([rows])
    elif isinstance(rows, pd.Series):
        rows = rows.to_frame().T.infer_objects()
    try:
        frame: nw.DataFrame[Any] = nw.from_native(rows, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise _duplicates(rows, what) from None
    except TypeError:
        kind = type(rows).__name__
        raise DataError(
            f"`{what}` is a {kind}, not a DataFrame.",
            "Give a pandas or Polars DataFrame with the columns that the model was trained on.",
        ) from None
    if len(set(frame.columns)) < len(frame.columns):
        raise _duplicates(rows, what)
    columns: list[Any] = frame.columns
    unnamed = [name for name in columns if not isinstance(name, str)]
    if unnamed:
        several = isinstance(unnamed[0], tuple)
        names = f"{what}.columns" if several else f"{what}.columns.astype(str)"
        names = f"['_'.join(map(str, name)) for name in {names}]" if several else names
        raise DataError(
            f"`{what}` has a column named {unnamed[0]!r}, which is not text.",
            f"Name the columns first: {what}.columns = {names}.",
        )
    if not len(frame) and not empty:
        raise DataError(f"`{what}` has no rows.", "Give at least one.")
    return frame


def library_of(rows: Frame) -> str:
    """The name of the frame's own library; that of a dictionary or a Series is pandas."""
    if isinstance(rows, pd.DataFrame | pd.Series | dict):
        return "pandas"
    return str(nw.from_native(rows, eager_only=True).implementation.name).lower()


def column_of(series: nw.Series[Any]) -> Column:
    """How the series stands in its frame, in words that survive JSON."""
    native = series.to_native()
    if isinstance(native, pd.Series):
        return _pandas_column_of(native)
    dtype = series.dtype
    name = type(dtype).__name__
    if isinstance(dtype, nw.Decimal):
        name = f"Decimal({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, nw.Datetime | nw.Duration):
        zone = getattr(dtype, "time_zone", None)
        zone = f", {zone}" if zone else ""
        kind = "datetime64" if isinstance(dtype, nw.Datetime) else "timedelta64"
        name = f"{kind}[{dtype.time_unit}{zone}]"
    if series.implementation.is_pyarrow():
        name = f"{native.type}[pyarrow]"
    categories = tuple(dtype.categories) if isinstance(dtype, nw.Enum) else ()
    nan = dtype.is_float() and bool(series.is_nan().any())
    if nan and series.is_null().any():
        raise _missing_twice(series.name, "null and NaN")
    return Column(name, categories, none=dtype.is_float() and not nan)


def _pandas_column_of(series: pd.Series[Any]) -> Column:
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        levels = _plain(dtype.categories.tolist())
        inner = dtype.categories.dtype
        plain = pd.Index(levels).dtype == inner
        name = "category" if plain else f"category[{dtype_name(inner)}]"
        return Column(name, tuple(levels), bool(dtype.ordered))
    if dtype == np.dtype(object):
        gaps = {"nan" if isinstance(v, float) else repr(v) for v in series[series.isna()]}
        kind = pd.api.types.infer_dtype(series)
        if not gaps <= {"NaT" if kind == "date" else "nan"} and gaps != {"None"}:
            raise _missing_twice(series.name, " and ".join(sorted(gaps)))
        if kind == "decimal":
            return decimal_column(series.dropna().tolist(), none=gaps == {"None"})
        return Column("object", none=gaps == {"None"}, floats="float" in kind)
    known = dtype_name(dtype)
    if known is None:
        raise DataError(
            f"The column {series.name!r} of `data` has the dtype {dtype}, which is not supported.",
            "Turn it into floats, or into text where it is a category.",
        )
    return Column(known)


def numbers(series: Any, what: str) -> np.ndarray:
    """A series of pandas or Narwhals as float64 [n], NaN where a value is missing.

    Text is refused, and whole numbers that double precision cannot hold.
    """
    if isinstance(series, nw.Series) and isinstance(series.to_native(), pd.Series):
        series = series.to_native()
    if isinstance(series, pd.Series):
        dtype = series.dtype
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            values = series.to_numpy(dtype=np.float64)
            limit = WHOLE if dtype.kind in "iu" else np.inf
        else:
            values, limit = _pandas_numbers(series, what)
    elif not (series.dtype.is_numeric() or series.dtype == nw.Boolean):
        raise _not_numbers(series, what)
    else:
        values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
        limit = WHOLE if series.dtype.is_integer() else np.inf
        if digits := digits_of(column_of(series).dtype) if series.dtype.is_decimal() else None:
            # PyArrow's own cast is off by a bit now and then.
            values, limit = np.round(values, digits.scale), digits.limit
    if limit < np.inf and (np.abs(values) >= limit).any():
        raise _too_large(series, what, int(np.flatnonzero(np.abs(values) >= limit)[0]))
    return values


def _pandas_numbers(series: pd.Series[Any], what: str) -> tuple[np.ndarray, float]:
    """The numbers of a column that NumPy has no dtype for, and where they stop being exact."""
    limit = WHOLE if pd.api.types.is_integer_dtype(series.dtype) else np.inf
    digits = digits_of(str(series.dtype))
    if not pd.api.types.is_numeric_dtype(series.dtype):  # objects may be numbers
        kinds = {type(value) for value in series.dropna()}
        if kinds == {Decimal}:
            digits = digits_of(decimal_column(series.dropna().tolist()).dtype)
        elif not all(issubclass(kind, (int, float, np.number)) for kind in kinds):
            raise _not_numbers(series, what)
        if any(issubclass(kind, (int, np.integer)) for kind in kinds):
            limit = WHOLE
    try:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
    except OverflowError:
        raise _too_large(series, what, 0) from None
    if (np.isnan(values) & ~series.isna()).any():
        raise _missing_twice(series.name, "NaN and its own missing value", what)
    return values, limit if digits is None else digits.limit


def levels_and_positions(series: Any, what: str) -> tuple[list[Any], np.ndarray]:
    """The distinct values, and for each entry the position of its own, -1 if missing."""
    native = series.to_native() if isinstance(series, nw.Series) else series
    try:
        if len(series) <= FEW:
            levels, positions = _few_levels(series.to_list())
        else:
            pandas = isinstance(native, pd.Series)
            many = native if pandas else pd.Series(series.to_list(), dtype=object)
            positions, uniques = pd.factorize(many, use_na_sentinel=True)
            levels = _plain(uniques.tolist())
    except TypeError:
        raise DataError(
            f"The column {series.name!r} of `{what}` holds {series.to_list()[0]!r}, which cannot "
            "be the level of a category.",
            "Spread it over columns of single values, or turn it into text.",
        ) from None
    if any(level != level for level in levels):
        raise _missing_twice(series.name, "NaN and its own missing value", what)
    zero = any(isinstance(level, float) and level == 0 for level in levels)
    objects = isinstance(native, pd.Series) and native.dtype == np.dtype(object)
    if zero or (objects and pd.api.types.infer_dtype(native) not in ALIKE):
        _check_apart(series, levels, positions, what)
    return levels, positions


def _check_apart(series: Any, levels: list[Any], positions: np.ndarray, what: str) -> None:
    """Refuse values that Python calls equal, and that are not the same: 1, 1.0 and True."""
    for value, place in zip(_plain(series.to_list()), positions, strict=True):
        if place >= 0 and repr(value) != repr(levels[place]):
            raise DataError(
                f"The column {series.name!r} of `{what}` holds {levels[place]!r} and {value!r}, "
                "which are equal in Python and would become one level.",
                "Turn its values into text, or into values of one type.",
            )


def _few_levels(values: list[Any]) -> tuple[list[Any], np.ndarray]:
    """The same by a dictionary, which for a few values is quicker than pandas."""
    seen: dict[Any, int] = {}
    missing = [value is None or value is pd.NA or value != value for value in values]
    positions = [
        -1 if gap else seen.setdefault(value, len(seen))
        for value, gap in zip(values, missing, strict=True)
    ]
    return _plain(list(seen)), np.array(positions, dtype=np.intp)


def table(columns: dict[str, Any], library: str) -> Frame:
    """A frame of the library with columns that are lists, arrays or series of its own.

    A masked array holds booleans, some of them unknown.
    """
    if library == "pandas":
        arrays = {name: _pandas_values(values) for name, values in columns.items()}
        return pd.DataFrame(arrays, copy=False)
    series = [
        values if isinstance(values, nw.Series) else _series(name, values, library)
        for name, values in columns.items()
    ]
    # Side by side and not from a dictionary, which would let the values choose the dtypes.
    return nw.concat([one.to_frame() for one in series], how="horizontal").to_native()


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with as many underscores before it as set it apart from those taken.

    >>> free_name("score", ["score", "_score"])
    '__score'
    """
    while name in taken:
        name = f"_{name}"
    return name


def _pandas_values(values: Any) -> Any:
    """What pandas makes a column of, with the dtype that the values have."""
    if isinstance(values, np.ma.MaskedArray):
        return pd.array(values.tolist(), dtype="boolean")
    if isinstance(values, pd.Series):
        # An array of objects would be read again, and become text where it is all text.
        return values if values.dtype == object else values.array
    if isinstance(values, list) and len({type(value) for value in values}) > 1:
        return pd.Series(values, dtype=object)
    return values


def _series(name: str, values: Any, library: str) -> nw.Series[Any]:
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()
    elif isinstance(values, list) and len({type(value) for value in values}) > 1:
        # Values of several types: such libraries have no objects, so they become text.
        values = [None if value is None else str(value) for value in values]
    return nw.new_series(name, values, backend=library)  # type: ignore[arg-type]


def _plain(values: list[Any]) -> list[Any]:
    """Python's own scalars in place of NumPy's."""
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _duplicates(rows: Any, what: str) -> DataError:
    names = [str(name) for name in rows.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    return DataError(
        f"`{what}` has more than one column named {', '.join(map(repr, twice))}.",
        "Give every column a name of its own.",
    )


def _not_numbers(series: Any, what: str) -> DataError:
    example = next((value for value in series.to_list() if isinstance(value, str)), None)
    example = series.to_list()[0] if example is None else example
    return DataError(
        f"The column {series.name!r} of `{what}` holds {example!r}; numbers are expected.",
        f"Convert it first, for example with pandas.to_numeric({what}[{series.name!r}]).",
    )


def _too_large(series: Any, what: str, place: int) -> DataError:
    name = series.name
    return DataError(
        f"The column {name!r} of `{what}` holds {series.to_list()[place]!r}: whole numbers of "
        "2**53 or more, and decimals of as many digits, cannot be represented exactly.",
        f"If it is an identifier, leave it out of the features or say "
        f"categorical=[{name!r}]; if it is a quantity, turn it into floats.",
    )


def _missing_twice(name: Any, markers: str, what: str = "data") -> DataError:
    return DataError(
        f"The column {name!r} of `{what}` marks a missing value as {markers}.",
        "Use one of None and NaN for every missing value of a column.",
    )
