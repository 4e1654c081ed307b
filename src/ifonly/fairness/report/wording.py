"""The measures of an audit in words, and their values as a report writes them."""

from __future__ import annotations

import math

import numpy as np

from ifonly.fairness.compared import OF_FEATURES

TITLES = {
    "selection_rate": "selection rate",
    "reach": "reach: an answer was found",
    "proved_none": "proved to have no answer",
    "not_found": "no answer found, none excluded",
    "effectiveness": "effectiveness: an answer within {within:.3g}",
    "cost": "cost at which {share:.0%} have an answer",
    "burden": "burden: mean cost of those reached (read it beside reach)",
    "changes": "features that the nearest answer changes",
    "choice": "choice: common actions that work for {share:.0%}",
    "flips": "flipped by the attribute alone",
    "flips_causal": "flipped by it and what follows",
    "usual": "how usual nearest answers are",
    "agreement": "other models that agree with them",
    "tolerated": "share of the tolerance in which they hold",
}
SHARES = {"selection_rate", "reach", "proved_none", "not_found", "effectiveness", "flips"}
SHARES |= {"flips_causal", "usual", "agreement", "tolerated"}

MOST = 9
"""The most decimals of a number; a percentage has one at the most."""


def between(name: str, value: float, low: float = np.nan, high: float = np.nan) -> str:
    """A value and its interval: '43 % (31 to 54)', '0.12 (0.10 to 0.15)', '∞'."""
    if np.isnan(value):
        return "—"
    percent = name in SHARES or name in OF_FEATURES
    unit = " %" if percent else ""
    value, low, high = (one * (100 if percent else 1) for one in (value, low, high))
    if np.isnan(low):
        return f"{value:.1f}{unit}" if percent else number(value)
    places = min(_decimals(value, low, high), 1 if percent else MOST)
    shown = ["∞" if np.isinf(one) else f"{one:.{places}f}" for one in (value, low, high)]
    return f"{shown[0]}{unit} ({shown[1]} to {shown[2]})"


def apart_by(name: str, value: float, low: float, high: float) -> str:
    """A difference and its interval; that of shares in percentage points."""
    return between(name, value, low, high).replace(" %", " points")


def _decimals(value: float, low: float, high: float) -> int:
    """How many decimals a value and its interval have: those of two digits of its width.

    One more if the value would read as 0. Whole numbers stay whole.
    """
    known = [float(one) for one in (value, low, high) if np.isfinite(one)]
    if all(math.isclose(one, round(one), abs_tol=1e-9) for one in known):
        return 0
    width = (max(known) - min(known)) or abs(known[0]) / 10  # three digits of the value
    places = max(0, 1 - math.floor(math.log10(width)))
    return places + (0 < abs(value) < 10.0**-places / 2)


def number(value: float) -> str:
    """A number of three digits."""
    if np.isnan(value):
        return "—"
    return "∞" if np.isinf(value) else f"{value:.3g}"


def p_text(value: float, sign: str = "") -> str:
    """A p-value: '= 0.032', '< 0.001'."""
    return f"{sign}{value:.3f}" if value >= 0.001 else "< 0.001"
