"""Answers as a picture: what changes, by how much, and the model's score.

A table with the changed features as lines and the answers as columns, the row's own values first.
A number's cell holds a bar from the row's value, as long as the change is large beside the other
answers' changes of that feature. Under each answer stands its score, with a dashed line at the
row's own. The figure is made without pyplot: no global state, no window.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ifonly.errors import MissingExtra
from ifonly.render.text import without_answers
from ifonly.render.view import Change, RowView, value_text
from ifonly.render.wording import predicts_numbers, score_text, standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER, INK, SOFT, LINE, STRIPE = "#ffffff", "#1f2328", "#6a737d", "#d9d6d0", "#f7f5f1"
UP, DOWN, LEVEL, SCORE = "#1d6fa5", "#c2571a", "#6f4e9c", "#2b8a5f"
LETTER = 0.078
"""The width of a letter of the body text, in inches."""
LINE_HEIGHT, MARGIN, SCORE_HEIGHT = 0.2, 0.3, 1.7
LONGEST = 20
"""The letters after which a text is broken."""


@dataclass(frozen=True)
class Layout:
    """The places of a table, in inches from the left and from its top."""

    names: tuple[str, ...]
    left: tuple[float, ...]
    """Where each column begins: the names, the row's own values, the answers; then the end."""
    top: tuple[float, ...]
    """Where each line begins; then the end."""

    def middle(self, place: int) -> float:
        """The middle of an answer's column."""
        return (self.left[place + 2] + self.left[place + 3]) / 2


def figure(view: RowView) -> Figure:
    """A matplotlib figure of all answers to a row."""
    if not view.answers:
        return _message(view)
    layout = _layout(view)
    width, table = layout.left[-1] + 2 * MARGIN, layout.top[-1]
    head = 0.95
    height = head + table + SCORE_HEIGHT + 0.35
    made = _blank(width, height)
    _title(made, view, width, height)
    across = (layout.left[-1]) / width
    axes = made.add_axes((MARGIN / width, 1 - (head + table) / height, across, table / height))
    _draw_table(axes, layout, view)
    axes = made.add_axes(
        (MARGIN / width, 0.3 / height, across, (SCORE_HEIGHT - 0.2) / height)
    )
    _draw_scores(axes, layout, view)
    return made


def _layout(view: RowView) -> Layout:
    changed = {change.feature for answer in view.answers for change in answer.changes}
    names = tuple(name for name in view.values if name in changed)
    cells = [_broken(value_text(c.after)) for answer in view.answers for c in answer.changes]
    own = [_broken(value_text(view.values[name])) for name in names]
    widths = [
        0.3 + LETTER * _longest([_broken(name) for name in names] + ["score"]),
        0.3 + LETTER * _longest([*own, "now"]),
        *[max(1.15, 0.35 + LETTER * _longest(cells))] * len(view.answers),
    ]
    heights = []
    for name, value in zip(names, own, strict=True):
        after = [_broken(value_text(c.after)) for c in _changes(view, name) if c is not None]
        lines = max(text.count("\n") + 1 for text in [_broken(name), value, *after])
        heights.append(0.24 + LINE_HEIGHT * (lines + _numeric(view, name)))
    return Layout(names, _sums(0.0, widths), _sums(0.42, heights))


def _draw_table(axes: Axes, layout: Layout, view: RowView) -> None:
    _inches(axes, layout.left[-1], layout.top[-1])
    axes.invert_yaxis()
    heads = ["", "now", *(f"answer {place}" for place in range(1, len(view.answers) + 1))]
    for place, text in enumerate(heads):
        middle = layout.middle(place - 2) if place > 1 else layout.left[place] + 0.1
        _write(axes, middle, 0.2, text, color=SOFT, ha="center" if place > 1 else "left")
    for line, name in enumerate(layout.names):
        top, bottom = layout.top[line], layout.top[line + 1]
        if line % 2 == 0:
            axes.axhspan(top, bottom, color=STRIPE, linewidth=0)
        middle = (top + bottom) / 2
        _write(axes, 0.1, middle, _broken(name), ha="left", weight="bold")
        own = _broken(value_text(view.values[name]))
        _write(axes, layout.left[1] + 0.1, middle, own, ha="left", color=SOFT)
        changes = _changes(view, name)
        largest = max((abs(_amount(c)) for c in changes if c is not None), default=0.0)
        for place, change in enumerate(changes):
            if change is not None:
                _draw_change(axes, layout, (place, line), change, largest)
    axes.axhline(layout.top[0], color=LINE, linewidth=1)
    axes.axhline(layout.top[-1], color=LINE, linewidth=1)


def _draw_change(
    axes: Axes, layout: Layout, cell: tuple[int, int], change: Change, largest: float
) -> None:
    """The new value and, for a number, by how much and a bar of that length."""
    place, line = cell
    x, top, bottom = layout.middle(place), layout.top[line], layout.top[line + 1]
    text = _broken(value_text(change.after))
    amount = _amount(change)
    if not amount:
        _write(axes, x, (top + bottom) / 2, text, color=LEVEL, weight="bold")
        return
    color = UP if amount > 0 else DOWN
    low = bottom - 0.16
    _write(axes, x, (top + low) / 2, f"{text}  ({_signed(amount)})", color=color, weight="bold")
    reach = (layout.left[place + 3] - layout.left[place + 2]) / 2 - 0.12
    axes.plot([x - reach, x + reach], [low, low], color=LINE, linewidth=1, zorder=1)
    axes.bar(
        x, 0.09, width=reach * amount / largest, bottom=low - 0.045, align="edge", color=color
    )
    axes.plot([x, x], [low - 0.08, low + 0.08], color=INK, linewidth=1.2)


def _draw_scores(axes: Axes, layout: Layout, view: RowView) -> None:
    """A bar for each answer's score, and the row's own as a dashed line."""
    scores = [answer.score for answer in view.answers]
    low, high = _score_range(view, scores)
    axes.set(xlim=(0, layout.left[-1]), ylim=(low, high + 0.18 * (high - low)))
    axes.axis("off")
    axes.set_facecolor(PAPER)
    start = layout.left[2]
    if predicts_numbers(view):
        bottom, top = (min(max(float(end), low), high) for end in view.wanted)
        axes.fill_between([start, layout.left[-1]], bottom, top, color=SCORE, alpha=0.12, lw=0)
    for place, score in enumerate(scores):
        x = layout.middle(place)
        axes.bar(x, score - low, width=0.5, bottom=low, color=SCORE)
        text = score_text(view, score)
        _write(axes, x, score, text, color=SCORE, weight="bold", va="bottom")
    axes.plot([start, layout.left[-1]], [low, low], color=LINE, linewidth=1)
    axes.plot(
        [start, layout.left[-1]], [view.score] * 2, color=INK, linewidth=1.2, linestyle="--"
    )
    label = "prediction" if predicts_numbers(view) else f"score for\n{_broken(_wanted(view))}"
    _write(axes, 0.1, (low + high) / 2, label, ha="left", weight="bold")
    _write(axes, layout.left[1] + 0.1, view.score, score_text(view, view.score), ha="left")


def _score_range(view: RowView, scores: Sequence[float]) -> tuple[float, float]:
    if not predicts_numbers(view):
        return 0.0, 1.0
    low, high = min(*scores, view.score), max(*scores, view.score)
    return (low - 0.3 * ((high - low) or 1.0), high)


def _title(made: Figure, view: RowView, width: float, height: float) -> None:
    heading = f"Row {view.name}: what would give {_wanted(view)}"
    for text, depth, size, color in (
        (heading, 0.3, 13, INK),
        (standing(view), 0.62, 9.5, SOFT),
    ):
        made.text(
            (MARGIN + 0.1) / width,
            1 - depth / height,
            text,
            size=size,
            color=color,
            weight="bold" if size > 10 else "normal",
            va="center",
            parse_math=False,
        )


def _message(view: RowView) -> Figure:
    """The picture of a row without answers: why there is none."""
    lines = wrap(f"{standing(view)} {without_answers(view)}", 80)
    made = _blank(7.5, 0.7 + 0.24 * len(lines))
    made.text(
        0.05, 0.5, "\n".join(lines), size=10, color=INK, va="center", parse_math=False
    )
    return made


def _blank(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None

    class Picture(Figure):
        """A figure that a notebook shows by itself: without pyplot, nothing else does it."""

        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", dpi=110)
            return buffer.getvalue()

    return Picture(figsize=(width, height), facecolor=PAPER)


def _inches(axes: Axes, width: float, height: float) -> None:
    """Axes whose coordinates are inches, without a frame."""
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")


def _write(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    style = {"ha": "center", "va": "center", "color": INK, "size": 9.5, **style}
    axes.text(x, y, text, parse_math=False, **style)


def _changes(view: RowView, name: str) -> list[Change | None]:
    """What each answer makes of a feature; None where it leaves it."""
    return [
        next((change for change in answer.changes if change.feature == name), None)
        for answer in view.answers
    ]


def _numeric(view: RowView, name: str) -> bool:
    return any(_amount(change) for change in _changes(view, name) if change is not None)


def _amount(change: Change) -> float:
    """By how much a number changes; 0 for a category and where a value is missing."""
    ends = (change.before, change.after)
    if any(isinstance(end, bool) or not isinstance(end, int | float) for end in ends):
        return 0.0
    return float(change.after) - float(change.before)


def _signed(amount: float) -> str:
    return f"{'+' if amount > 0 else '−'}{value_text(float(f'{abs(amount):.10g}'))}"


def _wanted(view: RowView) -> str:
    return value_text(view.wanted)


def _broken(text: str) -> str:
    """A text in lines of at most `LONGEST` letters, three lines at most."""
    lines = wrap(text, LONGEST, max_lines=3, placeholder=" …")
    return "\n".join(lines) or text


def _longest(texts: Sequence[str]) -> int:
    return max(len(line) for text in texts for line in text.split("\n"))


def _sums(start: float, steps: Sequence[float]) -> tuple[float, ...]:
    sums = [start]
    for step in steps:
        sums.append(sums[-1] + step)
    return tuple(sums)
