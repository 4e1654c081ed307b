"""Columns that answers carry along untouched: identifiers, free text, lists, fixed dates.

A carried column is no feature: it has no code, no distance and no rule. The model is still asked
with it, each point with the values of its own row. So that a point's row is known where the model
is asked, `tagged` codes have one more number at their end: the place of the row among those whose
columns are `Carried`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, OptionError, nearest
from ifonly.space.description import from_column, is_text, to_column
from ifonly.space.feature import Column
from ifonly.space.marks import decode, encode
from ifonly.space.table.frame import column_of
from ifonly.space.table.values import pandas_dtype, series_of

LEAST_ROWS = 20
"""From how many rows on a column of texts that all differ is taken for identifiers."""


@dataclass(frozen=True)
class Carry:
    """A column that answers carry along, its place among the columns of the data, and why.

    Parameters
    ----------
    name
        The name of the column.
    place
        Its position among the columns of the data.
    why
        What was found; empty where a user has stated it.
    empty
        Whether the data have no value there, so that rows may lack the column.

    Examples
    --------
    >>> Carry("customer", 0, "all its values differ").name
    'customer'
    """

    name: str
    place: int
    why: str = ""
    empty: bool = False


def find_carried(
    frame: nw.DataFrame[Any], stated: Iterable[str], features: Iterable[str]
) -> tuple[Carry, ...]:
    """The columns to carry: those stated, and those found among all but the stated `features`."""
    names = [stated] if isinstance(stated, str) else list(stated)
    taken = set(features)
    for name in names:
        if name not in frame.columns:
            raise OptionError(f"`data` has no column {name!r}.", nearest(name, frame.columns))
        if name in taken:
            raise OptionError(
                f"{name!r} is to be carried, and another option says what its values are.",
                "A carried column is no feature: state one of the two.",
            )
    found = []
    for place, name in enumerate(frame.columns):
        empty = _is_empty(frame[name])
        why = "" if name in names or name in taken else _reason(frame[name], empty=empty)
        if why or name in names:
            found.append(Carry(name, place, why, empty))
    return tuple(found)


def _is_empty(series: nw.Series[Any]) -> bool:
    """Whether a series has no value."""
    if not series.head(1).is_null().all() and not series.dtype.is_float():
        return False
    missing = series.is_null()
    return bool((missing | series.is_nan() if series.dtype.is_float() else missing).all())


def _reason(series: nw.Series[Any], *, empty: bool) -> str:
    """Why a column cannot be a feature; empty where it can."""
    if empty:
        return "it has no value in the data"
    if series.dtype.is_nested():
        return "its values are lists or records"
    if series.dtype == nw.Object:
        (first,) = series.drop_nulls().head(1).to_list()
        try:
            hash(first)
        except TypeError:
            return f"its values are of the type {type(first).__name__}"
    text = series.dtype == nw.String or (
        series.dtype == nw.Object
        and isinstance(series.to_native(), pd.Series)
        and pd.api.types.infer_dtype(series.to_native(), skipna=False) == "string"
    )
    if not text or len(series) < LEAST_ROWS or series.head(LEAST_ROWS).n_unique() < LEAST_ROWS:
        return ""
    differ = not series.is_null().any() and series.n_unique() == len(series)
    return "all its values differ" if differ else ""


def carry_of(plain: Any) -> tuple[Carry, ...]:
    """The carried columns as JSON holds them."""
    try:
        made = tuple(Carry(**one) for one in plain)
        fits = all(
            is_text(one.name) and is_text(one.why) and type(one.place) is int and one.place >= 0
            for one in made
        )
    except TypeError:
        fits = False
    if not fits:
        raise DataError("These are not carried columns.", "Write them by to_json().")
    return made


def column_order(space: Any) -> tuple[str, ...]:
    """The names of the features and carried columns of a space, as the data have them.

    >>> from ifonly import Continuous, Space
    >>> column_order(Space((Continuous("age", 18, 90),), carry=(Carry("customer", 0),)))
    ('customer', 'age')
    """
    order = list(space.names)
    for one in sorted(space.carry, key=lambda one: one.place):
        order.insert(one.place, one.name)
    return tuple(order)


def tagged(codes: np.ndarray, places: np.ndarray | None) -> np.ndarray:
    """Codes [n, ..., d] with the place [n] of each row at their end; as they are without places."""
    if places is None:
        return codes
    ends = places.reshape(-1, *[1] * (codes.ndim - 1))
    return np.concatenate([codes, np.broadcast_to(ends, (*codes.shape[:-1], 1))], axis=-1)


@dataclass(frozen=True, eq=False)
class Carried:
    """The carried columns of some rows."""

    frame: nw.DataFrame[Any]

    @classmethod
    def of(
        cls, frame: nw.DataFrame[Any], carry: Sequence[Carry], known: Carried | None, what: str
    ) -> Carried:
        """The carried columns of a frame; an empty one that it lacks is as in the `known` rows."""
        lacking = [one for one in carry if one.name not in frame.columns]
        for one in lacking:
            if not one.empty:
                raise DataError(
                    f"`{what}` lacks the column {one.name!r}, which is carried along.",
                    "Give every column that the data have.",
                )
        own = frame.select(*(one.name for one in carry if one not in lacking))
        columns = {name: own[name] for name in own.columns}
        for one in lacking:
            gap = None if known is None else known.frame[one.name]
            gap = _missing(one.name, frame) if gap is None else gap
            columns[one.name] = gap[[0] * len(frame)]
        return cls(_beside([columns[one.name] for one in carry]))

    def take(self, rows: np.ndarray) -> Carried:
        """The columns of some rows, by position."""
        native = self.frame.to_native()
        if isinstance(native, pd.DataFrame):
            part = native.iloc[rows].reset_index(drop=True)
            return Carried(nw.from_native(part, eager_only=True))
        return Carried(self.frame[rows.tolist()])

    def to(self, library: str, like: Carried | None = None) -> Carried:
        """The columns in another library, with the dtypes of others where these hold the values."""
        if str(self.frame.implementation.name).lower() == library:
            return self
        series = []
        for name in self.frame.columns:
            made = series_of(name, self.frame[name].to_list(), library)
            with suppress(Exception):  # whatever a library says of values that do not fit a dtype
                made = made if like is None else _as_dtype(made, like.frame[name])
            series.append(made)
        return Carried(_beside(series))

    def beside(self, frame: Any, rows: np.ndarray, order: Sequence[str]) -> Any:
        """A frame of points with the columns of their `rows` [n], in an order."""
        taken = self.take(rows).frame
        if isinstance(frame, pd.DataFrame):
            return pd.concat([frame, taken.to_native()], axis=1)[list(order)]
        points = nw.from_native(frame, eager_only=True)
        return nw.concat([points, taken], how="horizontal").select(*order).to_native()

    def columns(self, rows: np.ndarray) -> dict[str, Any]:
        """The columns of some rows by name, as `table` takes them."""
        taken = self.take(rows).frame
        pandas = isinstance(taken.to_native(), pd.DataFrame)
        return {name: taken.to_native()[name] if pandas else taken[name] for name in taken.columns}

    def to_plain(self) -> dict[str, Any]:
        """The columns as JSON holds them, each with how it stands in its frame."""
        plain = {}
        for name in self.frame.columns:
            series = self.frame[name]
            values = [encode(value) for value in series.to_list()]
            plain[name] = {"column": to_column(_column(series)), "values": values}
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], library: str) -> Carried:
        """The columns that `to_plain` wrote."""
        series = []
        for name, one in plain.items():
            column, values = from_column(one["column"]), [decode(value) for value in one["values"]]
            if library == "pandas":
                dtype = pandas_dtype(column)
                if getattr(dtype, "kind", "O") in "SUV":  # one value could fill the memory
                    raise DataError(f"The carried column {name!r} has the dtype {dtype}.")
                made = pd.Series(values, dtype=dtype, name=name)
                series.append(nw.from_native(made, series_only=True))
            else:
                series.append(series_of(name, values, library, column))
        return cls(_beside(series))


def _column(series: nw.Series[Any]) -> Column:
    """How a series stands in its frame; where that has no name, the values choose."""
    pandas = isinstance(series.to_native(), pd.Series)
    if not pandas and (series.dtype.is_nested() or series.dtype == nw.Unknown):
        return Column()
    try:
        return column_of(series)
    except DataError:
        return Column("object" if pandas else "")


def _as_dtype(series: nw.Series[Any], like: nw.Series[Any]) -> nw.Series[Any]:
    native = like.to_native()
    if not isinstance(native, pd.Series):
        return series.cast(like.dtype)
    return nw.from_native(series.to_native().astype(native.dtype), series_only=True)


def _missing(name: str, frame: nw.DataFrame[Any]) -> nw.Series[Any]:
    return nw.new_series(name, [None], backend=frame.implementation)


def _beside(series: Sequence[nw.Series[Any]]) -> nw.DataFrame[Any]:
    """The series as a frame, with their dtypes."""
    if isinstance(series[0].to_native(), pd.Series):
        columns = [one.to_native().reset_index(drop=True) for one in series]
        return nw.from_native(pd.concat(columns, axis=1), eager_only=True)
    return nw.concat([one.to_frame() for one in series], how="horizontal")
