"""One feature: what values it can take, and how it stands in a DataFrame.

A `Continuous` feature is a range on a grid of `10 ** -decimals`. A `Categorical` feature is a
tuple of levels. An `Ordinal` feature is a categorical one whose levels stand in order; the order
serves rules and costs, the distance treats it as a category.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from ifonly.errors import DataError


@dataclass(frozen=True)
class Column:
    """How a feature stands in a frame: its dtype's name, and the categories of a categorical dtype.

    An empty dtype lets the values choose. `none` says that a missing object is None, not NaN.
    """

    dtype: str = ""
    categories: tuple[Any, ...] = ()
    ordered: bool = False
    none: bool = False


@dataclass(frozen=True)
class Continuous:
    """A number between `low` and `high`, rounded to `decimals`.

    `mad` is the unit of distance: the median absolute deviation over the data or, where that is 0,
    what `Space.infer` puts in its place. `tolerance` is the change that the paper's sparsity step
    takes for small (section 'Enhancing Sparsity'). `missing` says whether a row may lack the value;
    `fillable` whether an answer may then give one, `erasable` whether it may take one away.
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

    def __post_init__(self) -> None:
        _check_gaps(self)
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise DataError(f"The range of {self.name!r} is not finite: {self.low} to {self.high}.")
        if self.low > self.high:
            raise DataError(
                f"The range of {self.name!r} is upside down: {self.low} to {self.high}.",
                "Give the lower end first.",
            )
        for end in (self.low, self.high):
            if not math.isclose(round(end, self.decimals), end, rel_tol=1e-9, abs_tol=1e-12):
                raise DataError(
                    f"The range of {self.name!r} ends at {end}, which {self.decimals} decimals "
                    "cannot write.",
                    "Give as many decimals as its values have.",
                )
        for name in ("low", "high"):  # as their values are written
            object.__setattr__(self, name, round(getattr(self, name), self.decimals))
        if not self.mad > 0:
            raise DataError(
                f"The median absolute deviation of {self.name!r} is {self.mad}.",
                "It is the unit of distance and must be positive.",
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
    """One of a few levels, of any type that can be compared for equality.

    `missing`, `fillable` and `erasable` as for a number.
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
        if len(set(self.levels)) < len(self.levels):
            raise DataError(f"The feature {self.name!r} lists a level twice: {self.levels}.")


@dataclass(frozen=True)
class Ordinal(Categorical):
    """A categorical feature whose levels stand in order, lowest first."""


Feature: TypeAlias = Continuous | Categorical
KINDS: dict[str, type[Continuous] | type[Categorical]] = {
    "continuous": Continuous,
    "categorical": Categorical,
    "ordinal": Ordinal,
}


def _check_gaps(feature: Feature) -> None:
    if (feature.fillable or feature.erasable) and not feature.missing:
        raise DataError(
            f"{feature.name!r} is fillable or erasable, and may not be missing.",
            "Say missing=True as well.",
        )


def to_plain(feature: Feature) -> dict[str, Any]:
    """A feature as a plain dictionary; JSON can hold it where it can hold the levels."""
    return {"kind": type(feature).__name__.lower(), **asdict(feature)}


def from_plain(description: dict[str, Any]) -> Feature:
    """The feature of a plain description, which may leave out whatever has a default."""
    fields = dict(description)
    guess = "continuous" if "low" in fields else "categorical"
    name = fields.pop("kind", guess)
    if name not in KINDS:
        raise DataError(f"Unknown kind of feature: {name!r}.", f"Known: {', '.join(KINDS)}.")
    column = fields.pop("column", {})
    column = {**column, "categories": tuple(column.get("categories", ()))}
    try:
        return KINDS[name](**fields, column=Column(**column))
    except TypeError as error:
        raise DataError(
            f"This description is not one of a {name} feature: {description}.",
            str(error).partition("__init__() ")[2],
        ) from None
