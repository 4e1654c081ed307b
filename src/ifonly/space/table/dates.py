"""Dates, times and durations as numbers, and back.

The code of a date is the time since 1970 in the coarsest unit in which every value of its column is
whole: days where all are midnights (of the column's own time zone), else hours, minutes, seconds or
less. Values pass through NumPy's `datetime64` and `timedelta64` in the column's own resolution, in
UTC, so that what is read is written again exactly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space.feature import Column, Continuous
from ifonly.space.table.dtypes import arrow_type

UNITS = {
    "D": 86_400 * 10**9,
    "h": 3600 * 10**9,
    "min": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
"""The units of codes, the coarsest first, in nanoseconds."""
WORDS = dict(
    zip(
        UNITS,
        ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"),
        strict=True,
    )
)
"""What the units are called."""
_NAMED = re.compile(
    r"(datetime64|timestamp|timedelta64|duration)\[(s|ms|us|ns)(?:, (?:tz=)?([^\]]+))?\]"
    r"(?:\[pyarrow\])?"
)
_DAYS = ("Date", "object", "date32[day][pyarrow]", "date64[ms][pyarrow]")


@dataclass(frozen=True)
class Clock:
    """What a column's dtype says of its dates: points in time or durations, resolution, zone."""

    length: bool
    """Whether values are durations."""
    tick: str
    """The resolution: 'D', 's', 'ms', 'us' or 'ns'."""
    zone: str | None = None

    @property
    def numpy(self) -> str:
        """NumPy's dtype, in UTC."""
        return f"{'timedelta64' if self.length else 'datetime64'}[{self.tick}]"

    @property
    def name(self) -> str:
        """The dtype as pandas calls it."""
        if self.tick == "D":
            return "datetime64[s]"
        return f"datetime64[{self.tick}, {self.zone}]" if self.zone else self.numpy

    @property
    def narwhals(self) -> Any:
        """The dtype as Narwhals calls it."""
        if self.tick == "D":
            return nw.Date()
        if self.length:
            return nw.Duration(self.tick)  # type: ignore[arg-type]
        return nw.Datetime(self.tick, self.zone)  # type: ignore[arg-type]


@cache
def clock_of(dtype: str) -> Clock:
    """The clock of a column's dtype, by its name.

    >>> clock_of("datetime64[us, Europe/Berlin]").zone, clock_of("duration[s][pyarrow]").length
    ('Europe/Berlin', True)
    """
    if dtype in _DAYS:
        return Clock(False, "D")
    named = _NAMED.fullmatch(dtype)
    if named is None:
        raise DataError(f"The dtype {dtype!r:.60} has no dates.")
    return Clock(named[1] in ("timedelta64", "duration"), named[2], named[3])


def is_moment(column: Column) -> bool:
    """Whether a column holds points in time, of which none is round."""
    return bool(column.unit) and not clock_of(column.dtype).length


def is_dates(series: nw.Series[Any]) -> bool:
    """Whether a series holds dates, times with a date, or durations."""
    if series.dtype in (nw.Object, nw.Unknown) and isinstance(series.to_native(), pd.Series):
        return pd.api.types.infer_dtype(series.to_native(), skipna=True) == "date"
    return isinstance(series.dtype, nw.Datetime | nw.Date | nw.Duration)


def dated(column: Column, series: nw.Series[Any]) -> tuple[Column, np.ndarray]:
    """The column with the unit of its codes, and the codes [n] of its series."""
    clock = clock_of(column.dtype)
    values = _instants(series, clock, "data")
    for unit in UNITS:
        if UNITS[unit] < UNITS[clock.tick]:
            break
        codes = _codes(values, clock, unit)
        known = codes[~np.isnan(codes)]
        if (known % 1 == 0).all() and _same(_values(codes, clock, unit), values):
            return replace(column, unit=unit), codes
    raise DataError(
        f"The column {series.name!r} of `data` has times too fine for its range: numbers cannot "
        "represent them exactly.",
        f"Round them, data[{series.name!r}].dt.round('us'), or leave the column as it is: "
        f"Space.infer(data, carry=[{series.name!r}]).",
    )


def date_codes(series: Any, feature: Continuous, what: str, *, rounded: bool = False) -> np.ndarray:
    """float64 [n] the codes of a series of a feature of dates, NaN where a value is missing.

    What is finer than the dtype of the data is refused or, `rounded`, NaN.
    """
    clock, unit = clock_of(feature.column.dtype), feature.column.unit
    if isinstance(series, pd.Series):
        series = nw.from_native(series, series_only=True)
    values = _instants(series, clock, what)
    codes = _codes(values.astype(clock.numpy), clock, unit)
    odd = (_values(codes, clock, unit) != values) & ~np.isnat(values)
    if odd.any() and not rounded:
        place = int(np.flatnonzero(odd)[0])
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds {series.to_list()[place]} in row "
            f"{place}, which is finer than the {feature.column.dtype} of the data.",
            "Round it, or give `data` with a finer dtype there.",
        )
    return np.where(odd, np.nan, codes)


def undated(column: Column) -> Column:
    """The column as it stands in pandas where the data are of another library."""
    return Column(clock_of(column.dtype).name, unit=column.unit)


def date_column(column: Column, codes: np.ndarray, library: str) -> Any:
    """The values of codes [n] as a column of the library."""
    clock = clock_of(column.dtype)
    if library == "polars" and clock.tick == "s":  # which Polars does not have
        clock = replace(clock, tick="ms")
    values = _values(codes, clock, column.unit)
    if library != "pandas":
        # Numbers first: libraries take an array of dates for local time where there is a zone.
        whole = values.astype(np.int64).astype(object)
        whole[np.isnat(values)] = None
        start = nw.Int32 if clock.tick == "D" else nw.Int64
        numbers = nw.new_series("", whole.tolist(), start, backend=library)  # type: ignore[arg-type]
        if column.dtype.endswith("[pyarrow]") and clock.tick != "D" and library == "pyarrow":
            return nw.from_native(
                numbers.to_native().cast(arrow_type(column.dtype)), series_only=True
            )
        return numbers.cast(clock.narwhals)
    if clock.tick == "D":
        gap = None if column.none or column.dtype != "object" else pd.NaT
        days: Any = pd.Series(
            [gap if np.isnat(one) else one.item() for one in values], dtype=object
        )
        return days if column.dtype == "object" else days.astype(column.dtype).array
    series: Any = pd.Series(values)
    if clock.zone is not None:
        series = series.dt.tz_localize("UTC").dt.tz_convert(clock.zone)
    return series.astype(column.dtype).array


def date_value(column: Column, code: float) -> Any:
    """The date, time or duration that a code stands for."""
    clock = clock_of(column.dtype)
    value = _values(np.array([code]), clock, column.unit)
    if clock.length:
        return pd.Timedelta(value[0])
    if clock.tick == "D":
        return value[0].item()
    moment = pd.Timestamp(value[0])
    return moment if clock.zone is None else moment.tz_localize("UTC").tz_convert(clock.zone)


def date_text(value: date | timedelta) -> str:
    """A date, a time or a duration as a person writes it.

    >>> date_text(pd.Timestamp("2024-03-01")), date_text(pd.Timestamp("2024-03-01 10:30"))
    ('2024-03-01', '2024-03-01 10:30')
    >>> date_text(pd.Timedelta("30D")), date_text(pd.Timedelta("1D 6h"))
    ('30 days', '1 day 06:00:00')
    """
    if isinstance(value, timedelta):
        days, rest = divmod(pd.Timedelta(value), pd.Timedelta("1D"))
        if value < timedelta(0):
            return f"-{date_text(-value)}"
        clock = str(rest).rpartition(" ")[2]
        parts = [f"{days} day{'s' * (days != 1)}"] if days or not rest else []
        return " ".join([*parts, *([clock] if rest else [])])
    text = str(value)
    day, _, time = text.partition(" ")
    if not time:
        return text
    hours = re.fullmatch(r"(\d\d:\d\d)(?::00)?((?::\d\d(?:\.\d+)?)?)([+-].*)?", time)
    assert hours is not None, text
    if hours[1] == "00:00" and not hours[2]:
        return day
    return f"{day} {hours[1]}{hours[2]}{hours[3] or ''}"


def code_of(column: Column, value: pd.Timestamp | pd.Timedelta) -> float:
    """The code of a moment or a duration, in the unit of a column; local time where it has none."""
    clock = clock_of(column.dtype)
    if isinstance(value, pd.Timedelta):
        return float(value.as_unit("ns").value / UNITS[column.unit])
    if clock.zone is not None:
        value = value.tz_localize(clock.zone) if value.tzinfo is None else value
        value = value.tz_convert("UTC").tz_localize(None)
    fine = Clock(False, "us", clock.zone)
    return float(_codes(np.array([value.to_datetime64()]).astype(fine.numpy), fine, column.unit)[0])


def _instants(series: nw.Series[Any], clock: Clock, what: str) -> np.ndarray:
    """[n] the values of a series as NumPy has them, in UTC and in their own resolution."""
    dtype: Any = series.dtype
    native: Any = series.to_native()
    if series.is_null().all():
        return np.full(len(series), "NaT", dtype=clock.numpy)
    if not is_dates(series):
        raise _not_dates(series, what, "durations" if clock.length else "dates")
    if isinstance(dtype, nw.Duration) != clock.length:
        raise _not_dates(series, what, "durations" if clock.length else "dates")
    zone = getattr(dtype, "time_zone", None)
    if (zone is None) != (clock.zone is None):
        raise DataError(
            f"The column {series.name!r} of `{what}` has {_zone(zone)}, and that of the data has "
            f"{_zone(clock.zone)}.",
            f"Convert it: {what}[{series.name!r}].dt.tz_localize({clock.zone!r}).",
        )
    if isinstance(native, pd.Series):
        if not isinstance(dtype, nw.Datetime | nw.Duration):
            days = native.to_numpy(dtype=object, copy=True)
            days[native.isna()] = None
            return np.asarray(days.astype("datetime64[D]"))
        return np.asarray(native.to_numpy(dtype=Clock(clock.length, dtype.time_unit).numpy))
    return np.asarray(series.to_numpy())


def _codes(values: np.ndarray, clock: Clock, unit: str) -> np.ndarray:
    """float64 [n] of instants [n] of a clock."""
    if unit == "D" and clock.zone is not None:
        local = pd.DatetimeIndex(values).tz_localize("UTC").tz_convert(clock.zone)
        values = local.tz_localize(None).to_numpy(dtype=clock.numpy)
    per = UNITS[unit] // UNITS[clock.tick]
    whole, rest = np.divmod(values.astype(np.int64), per)
    return np.where(np.isnat(values), np.nan, whole + rest / per)


def _values(codes: np.ndarray, clock: Clock, unit: str) -> np.ndarray:
    """[n] the instants of codes [n]."""
    per = UNITS[unit] // UNITS[clock.tick]
    gaps = np.isnan(codes)
    codes = np.where(gaps, 0.0, codes)
    whole = np.floor(codes)
    ticks = whole.astype(np.int64) * per + np.round((codes - whole) * per).astype(np.int64)
    values = ticks.astype(clock.numpy)
    values[gaps] = np.array("NaT", dtype=clock.numpy)
    if unit == "D" and clock.zone is not None:
        first = np.ones(len(values), dtype=bool)  # of an hour that comes twice
        local = pd.DatetimeIndex(values)
        local = local.tz_localize(clock.zone, ambiguous=first, nonexistent="shift_forward")
        return np.asarray(local.tz_convert("UTC").tz_localize(None).to_numpy(dtype=clock.numpy))
    return np.asarray(values)


def _zone(zone: str | None) -> str:
    return "no time zone" if zone is None else f"the time zone {zone!r}"


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(((one == other) | (np.isnat(one) & np.isnat(other))).all())


def _not_dates(series: nw.Series[Any], what: str, wanted: str) -> DataError:
    example = next((value for value in series.to_list() if value is not None), None)
    convert = "to_timedelta" if wanted == "durations" else "to_datetime"
    return DataError(
        f"The column {series.name!r} of `{what}` holds {example!r}; {wanted} are expected.",
        f"Convert it first, for example with pandas.{convert}({what}[{series.name!r}]).",
    )
