"""Small random tables and their spaces, made from a seed.

A table mixes what real ones have: whole numbers, decimals, single precision, constants, booleans,
coded and ordered categories, missing values, and names that are prefixes of each other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ifonly.space import Continuous, Space

CODED = "plan code"
"""The column of whole numbers that are categories."""

Maker = Callable[[np.random.Generator, int], object]


def random_frame(seed: int, n: int = 40) -> pd.DataFrame:
    """A table with three to eight columns, at least one number and one category.

    Parameters
    ----------
    seed
        The same seed gives the same table.
    n
        The number of rows.

    Returns
    -------
    pd.DataFrame

    Examples
    --------
    >>> random_frame(0).equals(random_frame(0))
    True
    """
    rng = np.random.default_rng(seed)
    first = [rng.choice(list(_NUMBERS)), rng.choice(list(_CATEGORIES))]
    others = [name for name in (*_NUMBERS, *_CATEGORIES) if name not in first]
    more = rng.choice(others, size=int(rng.integers(1, 7)), replace=False)
    makers = {**_NUMBERS, **_CATEGORIES}
    names = rng.permutation([*first, *more]).tolist()
    return pd.DataFrame({name: makers[name](rng, n) for name in names})


def random_space(seed: int) -> Space:
    """The space of a random table.

    Parameters
    ----------
    seed
        The same seed gives the same space.

    Returns
    -------
    Space

    Examples
    --------
    >>> random_space(0) == random_space(0)
    True
    """
    frame = random_frame(seed)
    return Space.infer(frame, categorical=[CODED] if CODED in frame else [])


def random_codes(space: Space, n: int, seed: int) -> np.ndarray:
    """Codes spread over a space, some of them missing where that is allowed.

    Parameters
    ----------
    space
        The features.
    n
        The number of rows.
    seed
        The same seed gives the same codes.

    Returns
    -------
    np.ndarray
        [n, d].

    Examples
    --------
    >>> random_codes(Space.describe({"name": "age", "low": 20, "high": 60}), 5, seed=0).shape
    (5, 1)
    """
    rng = np.random.default_rng(seed)
    codes = np.empty((n, len(space)))
    for j, feature in enumerate(space.features):
        if isinstance(feature, Continuous):
            codes[:, j] = rng.uniform(feature.low, feature.high, n)
        else:
            codes[:, j] = rng.integers(len(feature.levels), size=n)
        if feature.missing:
            codes[rng.random(n) < 0.2, j] = np.nan
    return np.asarray(space.round(codes))


def _gaps(values: np.ndarray, rng: np.random.Generator, gap: object) -> np.ndarray:
    """The values with about a fifth of them, and at least one, missing."""
    lost = rng.random(len(values)) < 0.2
    lost[rng.integers(len(values))] = True
    gapped = values.astype(object)
    gapped[lost] = gap
    return gapped


_NUMBERS: dict[str, Maker] = {
    "age": lambda rng, n: rng.integers(18, 90, n),
    "age at start": lambda rng, n: rng.integers(0, 5, n, dtype=np.int32),
    "income": lambda rng, n: np.round(rng.lognormal(8, 0.5, n), 2),
    "rate": lambda rng, n: np.round(rng.uniform(0, 3, n), 1).astype(np.float32),
    "größe": lambda rng, n: rng.normal(170, 9, n),
    "constant": lambda rng, n: np.full(n, 7),
    "debt": lambda rng, n: _gaps(np.round(rng.uniform(0, 9, n), 1), rng, np.nan).astype(float),
    "visits": lambda rng, n: pd.array(_gaps(rng.integers(0, 30, n), rng, pd.NA), dtype="Int64"),
}
_CATEGORIES: dict[str, Maker] = {
    "job": lambda rng, n: rng.choice(["Sales", "Service", "White-Collar", "none, yet"], n),
    "job title": lambda rng, n: pd.Series(
        _gaps(rng.choice(["a", "b"], n), rng, None), dtype=object
    ),
    "married": lambda rng, n: rng.random(n) < 0.5,
    "one level": lambda rng, n: ["only"] * n,
    CODED: lambda rng, n: rng.choice([1, 2, 10], n),
    "grade": lambda rng, n: pd.Categorical(
        rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True
    ),
}
