"""An equation made ready for a space: frames for a user's function, codes for a fitted one.

A fitted equation knows the levels of the data that it was fitted on. A space may have them in
another order, or fewer of them, and then codes are translated; what it cannot know is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ifonly.causal.equation import Coded, OnCodes
from ifonly.causal.function import Function
from ifonly.errors import DataError
from ifonly.space import Categorical, Continuous, Feature, Space

WIDE = {"int": "int64", "uint": "int64", "Int": "Int64", "UInt": "Int64"}
"""The widest dtype of each family of pandas' whole numbers."""


@dataclass(frozen=True, eq=False)
class Relabelled:
    """A fitted equation in a space whose levels stand in another order than those it knows."""

    equation: Coded
    places: tuple[np.ndarray | None, ...]
    """For each cause the equation's own code of every level; None for a number."""

    def on_codes(self, codes: np.ndarray) -> np.ndarray:
        """[n] the equation's numbers for codes [n, c] of the space."""
        own = np.array(codes, order="F")
        for j, places in enumerate(self.places):
            if places is not None:
                own[:, j] = places[own[:, j].astype(np.intp)]
        return self.equation.on_codes(own)


def bind_equation(effect: str, equation: Any, causes: Space, effects: Collection[str]) -> OnCodes:
    """The equation of a feature as it is asked in the space of its causes.

    What follows may leave the range of a narrow integer: a user's function is given 64 bits for
    the whole numbers among its causes that are `effects` themselves.
    """
    if not isinstance(equation, Coded):
        features = [_widened(f) if f.name in effects else f for f in causes.features]
        return Function(effect, Space(tuple(features), causes.library), equation)
    places = tuple(
        _places(effect, known, feature)
        for known, feature in zip(equation.causes, causes.features, strict=True)
    )
    if all(own is None or np.array_equal(own, np.arange(len(own))) for own in places):
        return equation
    return Relabelled(equation, places)


def _places(effect: str, known: Feature, feature: Feature) -> np.ndarray | None:
    """The code that `known` has for each level of `feature`; None for a number."""
    if isinstance(known, Continuous) and isinstance(feature, Continuous):
        return None
    if isinstance(known, Continuous) or isinstance(feature, Continuous):
        kinds = ("a number", "a category")
        was, now = kinds if isinstance(known, Continuous) else reversed(kinds)
        raise DataError(
            f"The equation of {effect!r} was fitted with {feature.name!r} as {was}, and the space "
            f"has it as {now}.",
            f"Name it in both places or in neither: categorical=[{feature.name!r}].",
        )
    unknown = [level for level in feature.levels if level not in known.levels]
    if unknown:
        raise DataError(
            f"The equation of {effect!r} was fitted on data in which {feature.name!r} is never "
            f"{unknown[0]!r}.",
            "Fit the causal model on data that have every level.",
        )
    return np.array([known.levels.index(level) for level in feature.levels], dtype=np.float64)


def _widened(feature: Feature) -> Feature:
    dtype = feature.column.dtype
    family = dtype.rstrip("0123456789")
    if isinstance(feature, Categorical) or family == dtype or family not in WIDE:
        return feature
    return replace(feature, column=replace(feature.column, dtype=WIDE[family]))
