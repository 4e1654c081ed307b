"""From codes to a frame, and to single values.

pandas columns are taken from a small array of the levels in their own dtype, so that a model never
sees a frame unlike the one it was trained on; other libraries go through Narwhals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.space.feature import Categorical, Column, Continuous, Feature
from ifonly.space.table.dates import clock_of, date_column, date_value, undated
from ifonly.space.table.dtypes import (
    arrow_type,
    column_in,
    digits_of,
    named_dtype,
    number_dtype,
)
from ifonly.space.table.frame import Frame
from ifonly.space.table.unseen import (
    fractional,
    is_held,
    pandas_unseen,
    unseen_places,
)


def build_columns(
    features: Sequence[Feature],
    codes: np.ndarray,
    library: str,
    arrays: Sequence[Any] | None = None,
    *,
    native: bool = True,
) -> dict[str, Any]:
    """The columns of codes [n, d]; in a library that is not the data's, of the nearest dtypes."""
    if not native:
        features = [_in_library(f, library) for f in features]
    if library == "pandas":
        arrays = arrays or level_arrays(features)
        return {f.name: pandas_column(f, codes[:, j], arrays[j]) for j, f in enumerate(features)}
    return {f.name: _other_column(f, codes[:, j], library) for j, f in enumerate(features)}


def _other_column(feature: Feature, codes: np.ndarray, library: str) -> nw.Series[Any]:
    """The column of codes [n] in a library other than pandas."""
    if feature.column.unit:
        dates: nw.Series[Any] = date_column(feature.column, codes, library)
        return dates.alias(feature.name)
    values, column = _values(feature, codes), _written_as(feature, codes)
    own = [column.unseen[place - 1] for place in np.unique(unseen_places(codes)) if place]
    if column.dtype == "Enum":
        more = [value for value in own if value is not None]
        column = replace(column, categories=(*column.categories, *more))
    return series_of(feature.name, values, library, column)


def series_of(name: str, values: Any, library: str, column: Column | None = None) -> nw.Series[Any]:
    """Values as a series of a library, with the dtype of a column where one is given."""
    if column is not None and column.dtype.endswith("[pyarrow]"):
        import pyarrow

        array = pyarrow.array(values, type=arrow_type(column.dtype))
        made: nw.Series[Any] = nw.from_native(pyarrow.chunked_array([array]), series_only=True)
        return made.alias(name)
    dtype = None if column is None else _narwhals_dtype(column)
    return nw.new_series(name, values, dtype, backend=library)  # type: ignore[arg-type]


def _in_library(feature: Feature, library: str) -> Feature:
    """The feature with the column that it has in a library that is not the data's."""
    column = feature.column
    if not column.unit:
        column = column_in(feature, library)
    elif library == "pandas":
        column = undated(column)
    return replace(feature, column=replace(column, unseen=feature.column.unseen))


def build_rows(columns: dict[str, Any], library: str) -> Frame:
    """The frame of columns of the library."""
    if library == "pandas":
        return pd.DataFrame(columns, copy=False)
    if library == "pyarrow":  # from a dictionary, values would choose the dtypes
        return nw.concat([one.to_frame() for one in columns.values()], how="horizontal").to_native()
    return nw.from_dict(columns, backend=library).to_native()  # type: ignore[arg-type]


def _values(feature: Feature, codes: np.ndarray) -> Any:
    """The values of codes [n], for a library other than pandas."""
    dtype = number_dtype(_written_as(feature, codes).dtype)
    digits = digits_of(feature.column.dtype)
    if digits is not None and isinstance(feature, Continuous) and not unseen_places(codes).any():
        return digits.written(codes)
    if isinstance(feature, Continuous) and dtype and not np.isnan(codes).any():
        return codes.astype(dtype)
    gap = np.nan if dtype and dtype.kind == "f" and not feature.column.none else None
    values = [value_of(feature, code) for code in codes]
    return [gap if value is None else value for value in values]


def level_arrays(features: Sequence[Feature]) -> tuple[Any, ...]:
    """Each category's levels as a pandas array of its dtype, the missing value last."""
    return tuple(
        pd.Series(_with_missing(f), dtype=pandas_dtype(f.column)).array
        if isinstance(f, Categorical)
        else None
        for f in features
    )


def _with_missing(feature: Categorical) -> list[Any]:
    # Only among objects is NaN another value than None.
    dtype = pandas_dtype(feature.column)
    objects = (dtype is None or dtype == np.dtype(object)) and not feature.column.none
    missing = np.nan if objects else None
    return [*feature.levels, missing] if feature.missing else list(feature.levels)


def pandas_column(feature: Feature, codes: np.ndarray, array: Any) -> Any:
    places = unseen_places(codes) if feature.column.unseen else np.zeros(0)
    if places.any():
        known = np.where(places, feature.low if isinstance(feature, Continuous) else 0.0, codes)
        written: Any = pd.Series(pandas_column(feature, known, array), dtype=object)
        unseen: Any = pd.Series([None, *feature.column.unseen], dtype=object)
        written[places > 0] = unseen.array[places[places > 0]]
        used = unseen[np.unique(places[places > 0])].tolist()
        return pandas_unseen(written, pandas_dtype(_written_as(feature, known)), used)
    if isinstance(feature, Categorical):
        last = len(feature.levels)
        places = np.nan_to_num(codes, nan=last) if feature.missing else codes
        taken = array.take(places.astype(np.intp))
        # A bare array of objects would be read again, and text become a string dtype.
        plain = isinstance(taken, pd.arrays.NumpyExtensionArray)
        return pd.Series(taken, dtype=array.dtype, copy=False) if plain else taken
    if feature.column.unit:
        return date_column(feature.column, codes, "pandas")
    dtype = pandas_dtype(_written_as(feature, codes))
    if dtype is None:
        whole = feature.decimals <= 0 and not feature.missing
        return codes.astype(np.int64) if whole and np.all(codes == np.round(codes)) else codes
    gap = None if feature.column.none else np.nan
    if (digits := digits_of(feature.column.dtype)) and dtype == np.dtype(object):
        return pd.Series(digits.written(codes, gap), dtype=object)
    if feature.column.dtype == "object":
        values = [gap if np.isnan(code) else value_of(feature, code) for code in codes]
        return pd.Series(values, dtype=object)
    if isinstance(dtype, np.dtype):
        whole = dtype.kind in "iu" and np.isnan(codes).any()  # NumPy's integers cannot be missing
        return codes if whole else codes.astype(dtype)
    return pd.array(codes, dtype=dtype)


def _written_as(feature: Feature, codes: np.ndarray) -> Column:
    """The column that holds codes [n]: that of the data, or one for 46.5 among whole numbers."""
    column = feature.column
    if not column.unseen or isinstance(feature, Categorical) or is_held(feature, codes).all():
        return column
    return replace(column, dtype=fractional(column.dtype))


def value_of(feature: Feature, code: float) -> Any:
    """The value that a code stands for, as Python writes it; None where it is missing."""
    if np.isnan(code):
        place = int(unseen_places(np.asarray(code))) if feature.column.unseen else 0
        return feature.column.unseen[place - 1] if place else None
    if isinstance(feature, Categorical):
        return feature.levels[int(code)]
    if feature.column.unit:
        return date_value(feature.column, code)
    whole = feature.decimals <= 0 and code % 1 == 0 and not feature.column.floats
    whole = whole and abs(code) < 2**63
    return int(code) if whole else float(code)


def pandas_dtype(column: Column) -> Any:
    if not column.dtype:
        return None
    if column.dtype.startswith("category"):
        inner = column.dtype[len("category[") : -1]
        levels = pd.Index(list(column.categories), dtype=named_dtype(inner) if inner else None)
        return pd.CategoricalDtype(levels, ordered=column.ordered)
    return named_dtype(column.dtype)


def _narwhals_dtype(column: Column) -> Any:
    if not column.dtype:
        return None
    if "[" in column.dtype:
        return clock_of(column.dtype).narwhals
    if digits := digits_of(column.dtype):
        return nw.Decimal(digits.precision, digits.scale)
    dtype = getattr(nw, column.dtype)
    return dtype(column.categories) if column.dtype == "Enum" else dtype
