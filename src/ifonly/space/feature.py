"""One feature: what values it can take, and how it stands in a DataFrame.

A `Continuous` feature is a range on a grid of `10 ** -decimals`. A `Categorical` feature is a
tuple of levels. An `Ordinal` feature is a categorical one whose levels stand in order; the order
serves rules and costs, the distance treats it as a category.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from ifonly.errors import DataError


@dataclass(frozen=True)
class Column:
    """How a feature stands in a frame: its dtype's name, and the categories of a categorical dtype.

    An empty dtype lets the values choose. `none` says that a missing value is None where its column
    could also hold NaN, `floats` that numbers among objects are floats, whole as they may be.
    `unit` is that of the codes of dates and durations; other columns have none.
    `unseen` are values of rows asked that the data do not have.
    """

    dtype: str = ""
    categories: tuple[Any, ...] = ()
    ordered: bool = False
    none: bool = False
    floats: bool = False
    unit: str = ""
    unseen: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Continuous:
    """A number in a range, rounded to some decimals.

    Parameters
    ----------
    name
        The name of the column.
    low
        The lowest value.
    high
        The highest value.
    decimals
        The decimals of its values; -2 are hundreds.
    mad
        The unit of distance: the median absolute deviation over the data or, where that is 0,
        what `Space.infer` puts in its place.
    tolerance
        The change that the paper's sparsity step takes for small (section 'Enhancing
        Sparsity'); None: one MAD.
    missing
        Whether a row may lack the value.
    fillable
        Whether an answer may give a value where the row has none.
    erasable
        Whether an answer may remove the value.
    column
        How the feature is stored in a frame: dtype and categories.
    discrete
        The values of a column that has few of them, such as 9, 12, 14 and 16 years of school: the
        default method changes a number to one of these where it can.

    Raises
    ------
    DataError
        The range, the decimals or the MAD cannot be used; the message says why.

    Examples
    --------
    >>> age = Continuous("age", low=18, high=90, mad=10)
    >>> age.step, age.small
    (1.0, 10)
    """

    name: str
    low: float
    high: float
    decimals: int = 0
    mad: float = 1.0
    tolerance: float | None = None
    missing: bool = False
    fillable: bool = False
    erasable: bool = False
    column: Column = field(default=Column(), repr=False)
    discrete: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _check_gaps(self)
        object.__setattr__(self, "discrete", tuple(sorted(map(float, self.discrete))))
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise DataError(f"The range of {self.name!r} is not finite: {self.low} to {self.high}.")
        if self.low > self.high:
            raise DataError(
                f"The range of {self.name!r} is reversed: {self.low} to {self.high}.",
                "Give the lower end first.",
            )
        for end in (self.low, self.high):
            if not math.isclose(round(end, self.decimals), end, rel_tol=1e-9, abs_tol=1e-12):
                raise DataError(
                    f"The range of {self.name!r} ends at {end}, which needs more than "
                    f"{self.decimals} decimals.",
                    "Give as many decimals as its values have.",
                )
        if self.discrete and not self.low <= self.discrete[0] <= self.discrete[-1] <= self.high:
            raise DataError(
                f"The values {list(self.discrete)} of {self.name!r} are not all from {self.low} to "
                f"{self.high}.",
                "Leave out those outside the range.",
            )
        for name in ("low", "high"):  # as their values are written
            object.__setattr__(self, name, round(getattr(self, name), self.decimals))
        if not 0 < self.mad < math.inf:
            raise DataError(
                f"The median absolute deviation of {self.name!r} is {self.mad}.",
                "It is the unit of distance: a positive number.",
            )

    @property
    def step(self) -> float:
        """The distance between two neighbouring values."""
        return float(10.0**-self.decimals)

    @property
    def small(self) -> float:
        """The largest change that counts as small: the tolerance, or one MAD."""
        return self.mad if self.tolerance is None else self.tolerance


@dataclass(frozen=True)
class Categorical:
    """One of a few levels.

    Parameters
    ----------
    name
        The name of the column.
    levels
        The levels, of any type that can be compared for equality.
    missing, fillable, erasable, column
        As for `Continuous`.

    Raises
    ------
    DataError
        There is no level, a level is listed twice, or a level is of a type that can change.

    Examples
    --------
    >>> Categorical("job", ["Sales", "Service"]).levels
    ('Sales', 'Service')
    """

    name: str
    levels: tuple[Any, ...]
    missing: bool = False
    fillable: bool = False
    erasable: bool = False
    column: Column = field(default=Column(), repr=False)

    def __post_init__(self) -> None:
        _check_gaps(self)
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels:
            raise DataError(f"The feature {self.name!r} has no levels.")
        try:
            distinct = len(set(self.levels))
        except TypeError:
            raise DataError(
                f"The feature {self.name!r} has levels of a type that can change: {self.levels}.",
                "Turn such levels into text or tuples first.",
            ) from None
        if distinct < len(self.levels):
            raise DataError(f"The feature {self.name!r} lists a level twice: {self.levels}.")

    @cached_property
    def codes(self) -> dict[tuple[type, Any], float]:
        """The code of each level, by its type and itself: 1 and True are not the same."""
        return {(type(level), level): float(place) for place, level in enumerate(self.levels)}


@dataclass(frozen=True)
class Ordinal(Categorical):
    """A categorical feature whose levels stand in order.

    Parameters
    ----------
    name
        The name of the column.
    levels
        The levels, lowest first, of any type that can be compared for equality.
    missing, fillable, erasable, column
        As for `Continuous`.

    Raises
    ------
    DataError
        There is no level, a level is listed twice, or a level is of a type that can change.

    Examples
    --------
    >>> Ordinal("grade", ["low", "mid", "high"]).levels[-1]
    'high'
    """


Feature: TypeAlias = Continuous | Categorical


def _check_gaps(feature: Feature) -> None:
    if (feature.fillable or feature.erasable) and not feature.missing:
        raise DataError(
            f"{feature.name!r} is fillable or erasable, and may not be missing.",
            "Set missing=True as well.",
        )
