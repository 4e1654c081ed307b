"""Equations: what a feature would be, its noise aside, given its causes.

A user's equation is a function of a frame. A fitted one reads codes straight, and knows the
features that it was fitted on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd

from ifonly.space import Feature
from ifonly.space.table.codes import read_codes
from ifonly.space.table.frame import Frame, as_frame

Equation: TypeAlias = Callable[[pd.DataFrame], Any]
"""From a pandas frame with the causes, in the graph's order, to one number per row."""


class OnCodes(Protocol):
    """An equation that is asked with codes."""

    def on_codes(self, codes: np.ndarray) -> np.ndarray:
        """[n] the numbers of codes [n, c] of the c causes, none of them missing.

        A row's number depends on the row alone.
        """
        ...


@runtime_checkable
class Coded(OnCodes, Protocol):
    """An equation that reads codes as its own `causes` describe them, as the fitted ones do."""

    @property
    def causes(self) -> tuple[Feature, ...]:
        """The causes, in the graph's order."""
        ...


def ask_frame(equation: Coded, frame: Frame) -> np.ndarray:
    """[n] a fitted equation's numbers for a user's frame; NaN where a cause is missing."""
    given = as_frame(frame, "causes")
    names = [feature.name for feature in equation.causes if feature.name in given.columns]
    codes = read_codes(equation.causes, given.select(names), "causes")
    values = np.full(len(codes), np.nan)
    known = ~np.isnan(codes).any(axis=1)
    values[known] = equation.on_codes(codes[known])
    return values
