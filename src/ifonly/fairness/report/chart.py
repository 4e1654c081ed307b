"""The picture of the curves of an attribute's groups, with labels of budgets that stay apart."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ifonly.render import plot_curves

APART = 0.6
"""The least space between two labels, in heights of their text."""


def drawn_curves(curves: pd.DataFrame, attribute: str) -> Any:
    """The matplotlib figure of the lines group, budget, share, low, high."""
    figure = plot_curves.figure(curves, attribute)
    _thin_labels(figure)
    return figure


def _thin_labels(figure: Any) -> None:
    """Leave out the budgets whose labels would overlap: 0 stays, then the largest come first."""
    (axes,) = figure.axes
    figure.draw_without_rendering()
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
