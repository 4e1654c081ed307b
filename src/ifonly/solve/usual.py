"""How usual points are, where a question demands or prefers it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ifonly.arrays.keys import row_streams
from ifonly.errors import OptionError
from ifonly.plausible import AsUsual, Usual, as_plausible
from ifonly.select.selector import Selector
from ifonly.solve.prepare import Setting

FEWEST = 50
"""How many rows tell how usual a point is, at the least."""
ENOUGH = 100
"""From how many rows on usual answers are preferred without being asked for."""
FITTING = 5.0
"""With less than so many seconds left, a measure is fitted only where one is demanded."""
MOST = 2000
"""To how many rows a measure is fitted, at the most."""


def with_usual(
    setting: Setting,
    selector: Selector,
    stated: Any,
    fitted: dict[Any, Usual],
    deadline: float | None = None,
) -> Setting:
    """The setting with what `plausible=` states; measures that were `fitted` are used again."""
    plausible = as_plausible(stated)
    if plausible is None:
        return setting
    if plausible.level is None and not getattr(selector, "prefers_usual", False):
        if stated is None:
            return setting
        raise OptionError(
            f"plausible={stated!r} has no effect: {type(selector).__name__} does not prefer usual "
            "answers.",
            "Demand them, plausible=0.05, or use method='auto'.",
        )
    assert setting.readable is not None, "prepare() has stated it"
    codes = setting.readable.data
    short = deadline is not None and deadline - time.monotonic() < FITTING
    if stated is None and (len(codes) < ENOUGH or (short and plausible.measure not in fitted)):
        return setting
    if len(codes) < FEWEST:
        raise OptionError(
            f"plausible={stated!r} needs {FEWEST} rows of `data`, and there are {len(codes)}.",
            "Give the rows that the model was trained on.",
        )
    if plausible.measure not in fitted:
        fitted[plausible.measure] = Usual.fit(plausible, setting.space, _sample(codes))
    usual = fitted[plausible.measure]
    if plausible.level is None:
        return replace(setting, usual=usual)
    return replace(setting, demand=AsUsual(usual, plausible.level))


def _sample(codes: np.ndarray) -> np.ndarray:
    """At most `MOST` rows, each as often as it is common; the same whatever the order of rows."""
    order = np.argsort(row_streams(codes, seed=0), kind="stable")
    places = np.linspace(0, len(codes) - 1, min(MOST, len(codes))).round().astype(np.intp)
    return np.asarray(codes[order[places]])
