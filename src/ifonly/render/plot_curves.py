"""Curves of effectiveness by budget, one per group, with the intervals around them."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ifonly.errors import MissingExtra
from ifonly.render.view import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#1d6fa5", "#c2571a", "#2b8a5f", "#6f4e9c", "#8c564b", "#b3372b", "#626a73", "#9a6700")
SOFT = "#6a737d"
SKEWED = 5.0
"""Where the last budget is so many times the median one, the small ones are drawn wider."""
MOST = 8
"""How many groups are drawn, those with the most different curves first."""
APART = 0.6
"""The least space between two labels of budgets, in heights of their text."""


def figure(curves: pd.DataFrame, title: str) -> Figure:
    """A matplotlib figure of the lines group, budget, share, low, high.

    A label that begins with an underscore would not be shown: all begin with a space.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    made = Figure(figsize=(8, 4.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(made)
    axes = made.add_subplot()
    last = 1.05 * curves["budget"].max() or 1.0
    drawn = _drawn(curves)
    for place, name in enumerate(drawn):
        one, colour = curves[curves["group"] == name], COLOURS[place % len(COLOURS)]
        budget = [0.0, *one["budget"], last]
        parts = {end: [0.0, *one[end], one[end].iloc[-1]] for end in ("share", "low", "high")}
        axes.step(budget, parts["share"], where="post", color=colour, label=f" {visible(name)}")
        axes.fill_between(
            budget, parts["low"], parts["high"], step="post", color=colour, alpha=0.15, lw=0
        )
    axes.set(ylim=(0, 1.02), xlim=(0, last))
    scale = ""
    if last > SKEWED * float(curves["budget"].median()):
        axes.set_xscale("function", functions=(_root, np.square))
        axes.set_xticks([tick for tick in _ticks(last) if tick <= last])
        axes.xaxis.set_major_formatter("{x:g}")
        scale = " (scale: square root)"
    axes.set_xlabel(f"budget: the distance of the nearest answer{scale}", color=SOFT)
    axes.set_ylabel("refused rows with an answer", color=SOFT)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_title(visible(title), loc="left", weight="bold", size=11, parse_math=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if drawn:
        for text in axes.legend(loc="lower right", frameon=False).get_texts():
            text.set_parse_math(False)
    _thin_labels(made)
    return made


def _root(budget: np.ndarray) -> np.ndarray:
    """The square root; of what is left of 0, a margin that matplotlib asks about, 0."""
    return np.asarray(np.sqrt(np.maximum(budget, 0.0)))


def _ticks(last: float) -> list[float]:
    """Round budgets up to the last one, the largest three of each power of ten.

    >>> _ticks(7.4)
    [0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
    """
    top = math.floor(math.log10(last))
    powers = range(top - 1, top + 1)
    return [0.0, *(float(f"{lead}e{power}") for power in powers for lead in (1, 2, 5))]


def _thin_labels(made: Figure) -> None:
    """Leave out the budgets whose labels would overlap: 0 stays, then the largest come first."""
    (axes,) = made.axes
    made.draw_without_rendering()
    first, last = axes.get_xlim()
    ticks = [one for one in axes.get_xticks() if first <= one <= last]
    boxes = {one.get_position()[0]: one.get_window_extent() for one in axes.get_xticklabels()}
    kept: list[float] = []
    for tick in (*ticks[:1], *reversed(ticks[1:])):
        box = boxes[tick]
        space = APART * box.height
        if all(box.x1 + space < boxes[one].x0 or boxes[one].x1 + space < box.x0 for one in kept):
            kept.append(tick)
    if len(kept) < len(ticks):
        axes.set_xticks(sorted(kept))


def svg(made: Figure) -> bytes:
    """The bytes of a figure as SVG, the same whenever it is drawn."""
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ifonly"}):
        made.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _drawn(curves: pd.DataFrame) -> list[str]:
    """The groups that are drawn, in their order: those whose curves are the furthest apart."""
    names = list(dict.fromkeys(curves["group"]))
    wide = curves.pivot(index="budget", columns="group", values="share")
    names = [name for name in names if wide[name].notna().any()]
    away = wide[names].sub(wide[names].median(axis=1), axis=0).abs().max()
    chosen = set(away.sort_values(ascending=False, kind="stable").index[:MOST])
    return [name for name in names if name in chosen]
