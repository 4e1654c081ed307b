"""The importance of features as bars: how often answers change each, and how often alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ifonly.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHANGED, ALONE, SOFT = "#9db8cc", "#1d6fa5", "#6a737d"


def bars(
    names: Sequence[str],
    changed: Sequence[float],
    alone: Sequence[float] | None,
    title: str = "",
) -> Figure:
    """A matplotlib figure with a bar a feature, the most often changed on top."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    made = Figure(figsize=(7, 1.2 + 0.32 * len(names)), layout="constrained")
    FigureCanvasAgg(made)
    axes = made.add_subplot()
    places = range(len(names))
    axes.barh(places, changed, color=CHANGED, height=0.7, label="changed")
    if alone is not None:
        axes.barh(places, alone, color=ALONE, height=0.35, label="enough alone")
    axes.set_yticks(places, names, parse_math=False)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share of answers")
    axes.set_title(title, loc="left", weight="bold", size=12)
    axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.label.set_color(SOFT)
    axes.legend(loc="lower right", frameon=False)
    return made
