"""The paper's figures, drawn again: one column a data set, more is better on every y-axis."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ifonly.errors import MissingExtra
from ifonly.paper.authors.facts import DATA, DIVERSE, EXACT, LIME, OURS, RADII, SET_METRICS, SPARSE
from ifonly.paper.experiments.lambdas import CHOSEN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RECORDED = "DiverseCF, authors' records"
# Colour, line and marker of each method; the sparsity step is dashed.
STYLES: Mapping[str, tuple[str, str, str]] = {
    "SingleCF": ("#8c564b", "none", "*"),
    "RandomInitCF": ("#e08214", "-", "s"),
    "RandomInitCF-Sparse": ("#e08214", "--", "s"),
    "NoDiversityCF": ("#7f7f7f", "-", "^"),
    "NoDiversityCF-Sparse": ("#7f7f7f", "--", "^"),
    EXACT: ("#7f7f7f", "-", "D"),
    DIVERSE: ("#1d6fa5", "-", "o"),
    SPARSE: ("#1d6fa5", "--", "o"),
    RECORDED: ("#111111", ":", "."),
    OURS: ("#c0392b", "-", "v"),
    LIME: ("#2ca02c", "-.", "x"),
}
FORMATS = ("svg", "png")


def set_metrics(
    table: pd.DataFrame,
    recorded: pd.DataFrame | None,
    methods: Sequence[str],
    *,
    over: str = "full",
) -> Figure:
    """Seven metrics by k, for the outcome that the paper draws; means `over` 'full' or 'all'."""
    figure = _figure(11.0, 15.5)
    grid = figure.subplots(len(SET_METRICS), len(DATA), squeeze=False, sharex=True)
    for row, (metric, title) in enumerate(SET_METRICS.items()):
        for column, data in enumerate(DATA):
            axes = grid[row][column]
            _lines(axes, _drawn(table, data, over), metric, methods)
            if recorded is not None:
                _line(axes, _drawn(recorded, data), metric, DIVERSE, RECORDED)
            if metric == "valid_unique":
                axes.set_ylim(0, 1.05)
            _dress(axes, title if column == 0 else "", _head(data) if row == 0 else "")
            if row == len(SET_METRICS) - 1:
                axes.set_xlabel("number of counterfactuals, k")
    _legend(figure, grid)
    return figure


def boundary(
    table: pd.DataFrame, recorded: pd.DataFrame | None, name: str, methods: Sequence[str]
) -> Figure:
    """Precision, recall or F1 of the counterfactual outcome by k, a row of charts a radius."""
    figure = _figure(11.0, 7.6)
    grid = figure.subplots(len(RADII), len(DATA), squeeze=False, sharex=True, sharey=True)
    for row, radius in enumerate(RADII):
        for column, data in enumerate(DATA):
            axes = grid[row][column]
            part = _drawn(table, data)
            _lines(axes, part[part["radius"] == radius] if len(part) else part, name, methods)
            if recorded is not None:
                other = _drawn(recorded, data)
                _line(axes, other[other["radius"] == radius], name, DIVERSE, RECORDED)
            axes.set_ylim(0, 1)
            _dress(axes, f"{radius:g} MAD" if column == 0 else "", _head(data) if row == 0 else "")
            if row == len(RADII) - 1:
                axes.set_xlabel("number of counterfactuals, k")
    _legend(figure, grid)
    return figure


def causal(table: pd.DataFrame) -> Figure:
    """The share of answers that change education, and of those that nobody could follow."""
    groups = list(dict.fromkeys(table["rows"]))
    figure = _figure(9.0, 3.8)
    grid = figure.subplots(1, len(groups), squeeze=False, sharey=True)
    for axes, group in zip(grid[0], groups, strict=True):
        part = table[table["rows"] == group]
        places = range(len(part))
        for name, color, label in (
            ("changes", "#9db8cc", "change education"),
            ("infeasible", "#c0392b", "of these, infeasible"),
        ):
            share = part[name] / part["answers"].clip(lower=1)
            axes.bar(places, share, color=color, width=0.6, label=label)
        axes.set_xticks(list(places), list(part["rules"]))
        axes.set_ylim(0, 1)
        _dress(axes, "share of answers", str(group))
    _legend(figure, grid)
    return figure


def lambdas(table: pd.DataFrame) -> Figure:
    """Closeness against spread of the sets that each pair of lambdas gives."""
    figure = _figure(11.0, 3.4)
    grid = figure.subplots(1, len(DATA), squeeze=False)
    for axes, data in zip(grid[0], DATA, strict=True):
        part = table[table["data"] == data]
        axes.scatter(-part["distance"], part["pairwise_distance"], color="#9db8cc", label="pairs")
        own = part[(part["lambda1"] == CHOSEN[0]) & (part["lambda2"] == CHOSEN[1])]
        axes.scatter(-own["distance"], own["pairwise_distance"], color="#c0392b", label="0.5 and 1")
        axes.set_xlabel("proximity (minus mean distance)")
        _dress(axes, "mean pairwise distance" if data == next(iter(DATA)) else "", _head(data))
    _legend(figure, grid)
    return figure


def guessing(table: pd.DataFrame) -> Figure:
    """Precision, recall and F1 of anyone's counterfactuals, by radius."""
    figure = _figure(7.0, 3.4)
    axes = figure.subplots()
    means = table.groupby("radius")[["precision", "recall", "f1"]].mean()
    places = range(len(means))
    for shift, (name, color) in enumerate(
        (("precision", "#9db8cc"), ("recall", "#e08214"), ("f1", "#1d6fa5"))
    ):
        axes.bar(
            [p + 0.25 * (shift - 1) for p in places], means[name], 0.22, color=color, label=name
        )
    axes.set_xticks(list(places), [f"{radius:g} MAD" for radius in means.index])
    axes.set_ylim(0, 1)
    _dress(axes, "mean over rows", "")
    _legend(figure, [[axes]])
    return figure


def rendered(figure: Figure) -> dict[str, bytes]:
    """A figure as the bytes of an SVG and of a PNG file, the same whenever it is drawn."""
    import matplotlib

    files = {}
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, for both files
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ifonly"}):
        for kind in FORMATS:
            buffer = io.BytesIO()
            metadata = {"Date": None} if kind == "svg" else {}
            figure.savefig(buffer, format=kind, dpi=110, metadata=metadata)
            files[kind] = buffer.getvalue()
    return files


def _figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "paper") from None
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def _drawn(table: pd.DataFrame, data: str, over: str = "full") -> pd.DataFrame:
    """The lines of a data set for the outcome that the paper draws."""
    if table.empty:
        return table
    part = table[(table["data"] == data) & (table["outcome"] == DATA[data].plotted)]
    return part[part["over"] == over] if "over" in part.columns else part


def _lines(axes: Axes, table: pd.DataFrame, name: str, methods: Iterable[str]) -> None:
    for method in methods:
        _line(axes, table, name, method, method)


def _line(axes: Axes, table: pd.DataFrame, name: str, method: str, label: str) -> None:
    if table.empty:
        return
    part = table[table["method"] == method].dropna(subset=[name]).sort_values("k")
    if len(part):
        color, line, marker = STYLES[label]
        axes.plot(
            part["k"],
            part[name],
            color=color,
            linestyle=line,
            marker=marker,
            markersize=4,
            linewidth=1.4,
            label=label,
            zorder=3 if label in (OURS, RECORDED) else 2,
        )


def _dress(axes: Axes, label: str, title: str) -> None:
    if not axes.has_data():
        axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", color="#6a737d")
    axes.set_ylabel(label)
    axes.set_title(title, fontsize=10)
    axes.grid(color="#e3e0da", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _head(data: str) -> str:
    return f"{DATA[data].title} ({DATA[data].plotted})"


def _legend(figure: Figure, grid: Any) -> None:
    """One legend for all charts, above them."""
    found = {}
    for axes in (one for row in grid for one in row):
        handles, labels = axes.get_legend_handles_labels()
        found.update(dict(zip(labels, handles, strict=True)))
    if found:
        figure.legend(
            list(found.values()), list(found), loc="outside upper center", ncols=5, frameon=False
        )
