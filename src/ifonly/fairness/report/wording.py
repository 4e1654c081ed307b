"""The measures of an audit in words, and their values as a report writes them."""

from __future__ import annotations

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


def between(name: str, value: float, low: float = np.nan, high: float = np.nan) -> str:
    """A value and its interval: '43 % (31 to 54)', '0.12 (0.10 to 0.15)', '∞'."""
    if np.isnan(value):
        return "—"
    percent = name in SHARES or name in OF_FEATURES
    shown = [f"{100 * one:.1f}" if percent else number(one) for one in (value, low, high)]
    inside = f" ({shown[1]} to {shown[2]})" if not np.isnan(low) else ""
    return f"{shown[0]}{' %' * percent}{inside}"


def apart_by(name: str, value: float, low: float, high: float) -> str:
    """A difference and its interval; that of shares in percentage points."""
    return between(name, value, low, high).replace(" %", " points")


def number(value: float) -> str:
    """A number of three digits."""
    if np.isnan(value):
        return "—"
    return "∞" if np.isinf(value) else f"{value:.3g}"


def p_text(value: float, sign: str = "") -> str:
    """A p-value: '= 0.032', '< 0.001'."""
    return f"{sign}{value:.3f}" if value >= 0.001 else "< 0.001"
