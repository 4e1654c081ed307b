"""How usual points are among the rows of the data, and the demand that answers be so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import OptionError, RuleError, nearest
from ifonly.plausible.isolation import Forest
from ifonly.plausible.neighbours import Neighbourhood
from ifonly.plausible.reasons import RARE, reasons
from ifonly.rules import Rule
from ifonly.rules.formula import Formula, Variables
from ifonly.space import Space

Scores = Callable[[np.ndarray], np.ndarray]
"""From codes [n, d] to how usual they are [n]: any numbers, larger for what is more usual."""
MOST_LEVELS = 64
"""Up to how many levels of a category have a column each."""
MEASURES = ("auto", "isolation", "neighbours")


@dataclass(frozen=True)
class Plausible:
    """What plausible means, and whether answers must be.

    Parameters
    ----------
    measure
        'isolation' (how soon random splits separate a row from others), 'neighbours' (how dense
        rows are around it), 'auto' (the lower of the two), or a function from a frame to numbers,
        larger for rows that are more usual.
    level
        An answer is at least as usual as this share of the rows of `data`, or as its own row. None:
        nothing is demanded, but of answers of similar cost the more usual are chosen.

    Raises
    ------
    OptionError
        The measure does not exist, or the level is not between 0 and 1.

    Examples
    --------
    >>> Plausible(level=0.05)
    Plausible(measure='auto', level=0.05)
    """

    measure: str | Callable[[Any], Any] = "auto"
    level: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.measure) and self.measure not in MEASURES:
            raise OptionError(
                f"There is no measure {self.measure!r}.", nearest(self.measure, MEASURES)
            )
        number = isinstance(self.level, int | float) and not isinstance(self.level, bool)
        if self.level is not None and not (number and 0 <= self.level < 1):
            raise OptionError(
                f"plausible has the level {self.level!r}.",
                "It is a share of the rows of `data`, such as 0.05.",
            )


def as_plausible(value: Any) -> Plausible | None:
    """What `plausible=` states; nothing, where it is switched off."""
    if value is False:
        return None
    if isinstance(value, Plausible):
        return value
    if isinstance(value, dict):  # as a record holds it
        return Plausible(**value)
    return Plausible() if value is None or value is True else Plausible(level=value)


@dataclass(frozen=True, eq=False)
class Usual:
    """A measure that was fitted on rows, and what it says of other rows."""

    encode: Scores
    parts: tuple[tuple[Scores, np.ndarray], ...]
    """Scores of what codes are encoded as, each with those of real rows, in order."""
    space: Space
    rows: np.ndarray
    """The codes of real rows."""

    @classmethod
    def fit(cls, plausible: Plausible, space: Space, codes: np.ndarray) -> Usual:
        """The measure over a space, and what it says of rows that it was not fitted on."""
        measure = plausible.measure
        if callable(measure):
            ask: Scores = partial(_asked, measure, space)
            return cls(np.asarray, ((ask, np.sort(ask(codes))),), space, codes)
        encode = _encoding(space, codes)
        units = encode(codes)
        parts = []
        if measure != "neighbours":  # grown on every second row, and asked about the others
            forest = Forest.fit(units[::2])
            parts.append((forest.paths, forest.paths(units[1::2])))
        if measure != "isolation":
            around = Neighbourhood.fit(units)
            parts.append((around.share, around.known))
        ordered = tuple((score, np.sort(known)) for score, known in parts)
        return cls(encode, ordered, space, codes)

    def quantile(self, points: np.ndarray) -> np.ndarray:
        """[...] the share of real rows that are less usual than points [..., d].

        Where there are several measures, the lowest share counts.
        """
        units = self.encode(points.reshape(-1, points.shape[-1]))
        shares = [np.searchsorted(known, score(units)) / len(known) for score, known in self.parts]
        return np.asarray(np.min(shares, axis=0).reshape(points.shape[:-1]))


def shares(usual: Usual | None, points: np.ndarray, filled: np.ndarray) -> np.ndarray | None:
    """[q, k] how usual points [q, k, d] are, NaN where none is filled; None without a measure."""
    if usual is None:
        return None
    found = np.full(filled.shape, np.nan)
    found[filled] = usual.quantile(points[filled])
    return found


def odd_features(
    usual: Usual | None, x: np.ndarray, points: np.ndarray, share: np.ndarray | None
) -> np.ndarray | None:
    """bool [q, k, d] what makes points [q, k, d] rare, where their `share` [q, k] says they are."""
    if usual is None or share is None:
        return None
    found = np.zeros(points.shape, dtype=bool)
    rows, places = np.nonzero(share < RARE)
    found[rows, places] = reasons(usual.space, usual.rows, x[rows], points[rows, places])
    return found


@dataclass(frozen=True, eq=False)
class AsUsual(Rule):
    """The demand that an answer be as usual as a share of the rows, or as its own row."""

    late: ClassVar[bool] = True
    usual: Usual
    level: float

    @property
    def relative(self) -> bool:
        return True

    @property
    def least(self) -> float:
        """The share among the known rows that makes the level likely among others, too."""
        count = min(len(known) for _, known in self.usual.parts)
        return float(self.level + 2 * np.sqrt(self.level * (1 - self.level) / count))

    def __str__(self) -> str:
        return f"at least as usual as {100 * self.level:g} % of the rows"

    def check(self, space: Space) -> None:
        """It speaks of every feature."""

    @property
    def has_formula(self) -> bool:
        return False

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        raise RuleError(
            f"No solver can be given the demand plausible={self.level:g}, so nothing is proved.",
            "Leave out `plausible`, or use method='auto' without `certify`.",
        )

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        quantile = self.usual.quantile(points)
        held = quantile >= self.least
        rows = np.flatnonzero(~held.all(axis=1))
        if len(rows):
            held[rows] |= quantile[rows] >= self.usual.quantile(x[rows])[:, None]
        return np.asarray(held)


def _asked(measure: Callable[[Any], Any], space: Space, codes: np.ndarray) -> np.ndarray:
    """What a user's own measure says of codes [n, d]."""
    try:
        said = np.asarray(measure(space.rows(codes)), dtype=np.float64)
    except Exception as error:
        raise OptionError(
            f"The measure of plausible= failed on {len(codes)} rows: "
            f"{type(error).__name__}: {error}",
            "It is asked with a frame that has the columns of `data`.",
        ) from error
    if said.shape != (len(codes),) or np.isnan(said).any():
        raise OptionError(
            f"The measure of plausible= gave numbers of shape {said.shape} for {len(codes)} rows, "
            f"{int(np.isnan(said).sum())} of them missing.",
            "It gives one number per row, larger for rows that are more usual.",
        )
    return said


def _encoding(space: Space, codes: np.ndarray) -> Scores:
    """Codes as columns: numbers by their spread, levels one-hot; of many levels, how common.

    A missing value is the mean of a number, and no level of a category.
    """
    spread = np.nanstd(codes, axis=0)
    middle = np.nanmean(codes, axis=0)
    sizes = np.diff(space.offsets)
    common = {
        int(j): np.bincount(
            codes[~np.isnan(codes[:, j]), j].astype(np.intp), minlength=int(sizes[j])
        )
        for j in np.flatnonzero(~space.continuous & (sizes > MOST_LEVELS))
    }

    own = [np.arange(sizes[j]) if j not in common else [-1] for j in range(len(sizes))]
    feature, level = np.repeat(np.arange(len(own)), [*map(len, own)]), np.concatenate(own)
    numbers, scale = np.flatnonzero(space.continuous), np.where(spread > 0, spread, 1.0)
    places = np.flatnonzero(space.continuous[feature])

    def encode(points: np.ndarray) -> np.ndarray:
        units = (points[:, feature] == level).astype(np.float64)
        away = points[:, numbers] - middle[numbers]
        units[:, places] = np.where(np.isnan(away), 0.0, away) / scale[numbers]
        for j, counts in common.items():
            code = points[:, j]
            share = counts[np.nan_to_num(code).astype(np.intp)] / len(codes)
            units[:, np.searchsorted(feature, j)] = np.where(np.isnan(code), 0.0, share)
        return np.asarray(units)

    return encode
