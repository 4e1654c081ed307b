"""Trees as their library grew them: over the columns that it sees, with its own comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ifonly.errors import ModelError

Comparison = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Whether numbers [...] go left at thresholds [...], in the library's own precision."""


@dataclass(frozen=True, eq=False)
class Grown:
    """One tree, numbered as `Tree` is: inner nodes alone, a leaf as ~leaf."""

    column: np.ndarray
    """int [n]"""
    threshold: np.ndarray
    """[n]; of no meaning in a node that lists categories."""
    missing: np.ndarray
    """bool [n] whether a missing number goes left."""
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    """[leaves, c]"""
    listed: Mapping[int, np.ndarray] = field(default_factory=dict)
    """The categories that nodes list, as the numbers that the library has for them."""

    @property
    def ordered(self) -> np.ndarray:
        """bool [n] the nodes that ask for an order, not for categories."""
        ordered = np.ones(len(self.column), dtype=bool)
        ordered[list(self.listed)] = False
        return ordered

    @classmethod
    def of(
        cls,
        left: np.ndarray,
        right: np.ndarray,
        *,
        leaf: np.ndarray,
        column: np.ndarray,
        threshold: np.ndarray,
        missing: np.ndarray,
        value: np.ndarray,
        listed: Mapping[int, np.ndarray] | None = None,
    ) -> Grown:
        """The tree of arrays in which leaves and nodes stand together; `leaf` [n] tells them."""
        place = np.where(leaf, ~(np.cumsum(leaf) - 1), np.cumsum(~leaf) - 1)
        inner = ~leaf
        return cls(
            np.asarray(column)[inner].astype(np.intp),
            np.asarray(threshold)[inner].astype(np.float64),
            np.asarray(missing)[inner].astype(bool),
            place[np.asarray(left)[inner]],
            place[np.asarray(right)[inner]],
            np.asarray(value, dtype=np.float64)[leaf],
            {int(place[node]): values for node, values in (listed or {}).items()},
        )


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The trees of a model, how they compare, and how their sum becomes its scores."""

    trees: tuple[Grown, ...]
    compare: Comparison
    link: str
    relative: float
    """How far rounding takes the library's sums, for the size of their terms."""
    see: Callable[[Any], np.ndarray]
    """[n, p] the library's numbers of what the estimator is given."""
    sums: Callable[[Any], Any] | None = None
    """[n] or [n, c] the library's own sums, to find the constant in them; None where it is zero."""
    listed_left: bool = True
    """Whether the categories that a node lists go left."""
    zero_is_missing: bool = False
    """Whether the library takes 0 for a missing value."""
    used: int | None = None
    """How many trees it asks; XGBoost keeps those after its best round. None: all."""
    share: int = 1
    """By what the sum is divided, after all have been added up."""
    single: bool = False
    """Whether the library adds up in single precision."""
    refusal: ModelError | None = None
    """Why its scores do not follow from its trees, where they do not."""


def at_most(values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """value <= threshold, in double precision."""
    return np.asarray(values <= thresholds)


def at_most_single(values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """The value in single precision <= the threshold in double."""
    return np.asarray(_single(values).astype(np.float64) <= thresholds)


def below_single(values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """value < threshold, both in single precision."""
    return np.asarray(_single(values) < thresholds.astype(np.float32))


def _single(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float32)
