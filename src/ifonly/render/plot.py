"""Answers as a picture: what changes, by how much, and the model's score.

A table with the changed features as lines and the answers as columns, the row's own values first.
A number's cell holds a bar from the row's value, as long as the change is large beside the other
answers' changes of that feature. Under each answer stands its score, with a dashed line at the
row's own. The figure is made without pyplot: no global state, no window.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ifonly.errors import MissingExtra
from ifonly.render.text import Show, without_answers
from ifonly.render.view import Change, RowView, visible
from ifonly.render.wording import predicts_numbers, score_text, score_word, standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER, INK, SOFT, LINE, STRIPE = "#ffffff", "#1f2328", "#6a737d", "#d9d6d0", "#f7f5f1"
UP, DOWN, LEVEL, SCORE = "#1d6fa5", "#c2571a", "#6f4e9c", "#2b8a5f"
LETTER = 0.084
"""The width of a letter of the body text, in inches."""
HEAD, LINE_HEIGHT, MARGIN, SCORE_HEIGHT, FOOT = 0.95, 0.2, 0.3, 1.6, 0.7
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
    wide, tall = layout.left[-1], layout.top[-1]
    below = 0.0 if view.scores == "label" else SCORE_HEIGHT
    width, height = wide + 2 * MARGIN, HEAD + tall + below + FOOT
    made = _blank(width, height)
    table = made.add_axes((MARGIN / width, (FOOT + below) / height, wide / width, tall / height))
    _draw_table(table, layout, view)
    if below:
        scores = made.add_axes((MARGIN / width, FOOT / height, wide / width, below / height))
        _draw_scores(scores, layout, view)
    for axes in made.axes:
        axes.axis("off")
    left, top = (MARGIN + 0.1) / width, height - 0.3
    _say(made, left, top / height, _heading(view), size=13, weight="bold")
    _say(made, left, (top - 0.32) / height, standing(view), color=SOFT)
    _say(made, left, 0.3 / height, _caption(view), size=8, color=SOFT)
    return made


def _layout(view: RowView) -> Layout:
    changed = {change.feature for answer in view.answers for change in answer.changes}
    names = tuple(name for name in view.values if name in changed)
    cells = [_cell(change, view.show) for answer in view.answers for change in answer.changes]
    own = [_broken(view.show(view.values[name])) for name in names]
    widths = [
        0.3 + LETTER * _longest([*map(_broken, names), _score_label(view)]),
        0.3 + LETTER * _longest([*own, score_text(view, view.score)]),
    ]
    # The answers share what the title leaves, where their texts need less.
    title = 0.13 * len(_heading(view)) - sum(widths)
    share = max(1.15, 0.35 + LETTER * _longest(cells), title / len(view.answers))
    widths += [share] * len(view.answers)
    heights = []
    for name, value in zip(names, own, strict=True):
        changes = [change for change in _changes(view, name) if change is not None]
        texts = [_broken(name), value, *(_cell(change, view.show) for change in changes)]
        lines = max(text.count("\n") + 1 for text in texts)
        heights.append(0.24 + LINE_HEIGHT * (lines + any(map(_amount, changes))))
    return Layout(names, _sums(0.0, widths), _sums(0.42, heights))


def _draw_table(axes: Axes, layout: Layout, view: RowView) -> None:
    axes.set(xlim=(0, layout.left[-1]), ylim=(layout.top[-1], 0))
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
        own = _broken(view.show(view.values[name]))
        _write(axes, layout.left[1] + 0.1, middle, own, ha="left", color=SOFT)
        changes = _changes(view, name)
        largest = max((abs(_amount(c)) for c in changes if c is not None), default=0.0)
        for place, change in enumerate(changes):
            if change is not None:
                _draw_change(axes, layout, (place, line), change, _cell(change, view.show), largest)
    axes.axhline(layout.top[0], color=LINE, linewidth=1)
    axes.axhline(layout.top[-1], color=LINE, linewidth=1)


def _draw_change(
    axes: Axes, layout: Layout, cell: tuple[int, int], change: Change, text: str, largest: float
) -> None:
    """The new value as text and, for a number, a bar as long as the change."""
    place, line = cell
    x, top, bottom = layout.middle(place), layout.top[line], layout.top[line + 1]
    amount = _amount(change)
    if not amount:
        _write(axes, x, (top + bottom) / 2, text, color=LEVEL, weight="bold")
        return
    color = UP if amount > 0 else DOWN
    low = bottom - 0.16
    _write(axes, x, (top + low) / 2, text, color=color, weight="bold")
    reach = (layout.left[place + 3] - layout.left[place + 2]) / 2 - 0.12
    axes.plot([x - reach, x + reach], [low, low], color=LINE, linewidth=1, zorder=1)
    axes.bar(x, 0.09, width=reach * amount / largest, bottom=low - 0.045, align="edge", color=color)
    axes.plot([x, x], [low - 0.08, low + 0.08], color=INK, linewidth=1.2)


def _draw_scores(axes: Axes, layout: Layout, view: RowView) -> None:
    """A bar for each answer's score, the row's own as a dashed line, the threshold as a dotted one.

    A probability stands on 0; any other number, which has no such floor, on the row's own.
    """
    scores = [answer.score for answer in view.answers]
    low, high = _score_range(view, scores)
    axes.set(xlim=(0, layout.left[-1]), ylim=(low, high + 0.25 * (high - low)))
    probable = view.scores == "probability" and not predicts_numbers(view)
    floor, start = 0.0 if probable else view.score, layout.left[2]
    if predicts_numbers(view):
        bottom, top = (min(max(float(end), low), high) for end in view.wanted)
        axes.fill_between([start, layout.left[-1]], bottom, top, color=SCORE, alpha=0.12, lw=0)
    for place, score in enumerate(scores):
        x = layout.middle(place)
        axes.bar(x, score - floor, width=0.5, bottom=floor, color=SCORE)
        side = "bottom" if score >= floor else "top"
        _write(axes, x, score, score_text(view, score), color=SCORE, weight="bold", va=side)
    axes.plot([start, layout.left[-1]], [view.score] * 2, color=INK, linewidth=1.2, linestyle="--")
    if view.threshold is not None:
        line = [view.threshold] * 2
        axes.plot([start, layout.left[-1]], line, color=DOWN, linewidth=1.6, linestyle=":")
    _write(axes, 0.1, (low + high) / 2, _score_label(view), ha="left", weight="bold")
    _write(axes, layout.left[1] + 0.1, view.score, score_text(view, view.score), ha="left")


def _score_range(view: RowView, scores: Sequence[float]) -> tuple[float, float]:
    if not predicts_numbers(view) and view.scores == "probability":
        return 0.0, 1.0
    zero = () if predicts_numbers(view) else (0.0,)
    low, high = min(*scores, view.score, *zero), max(*scores, view.score, *zero)
    return low - 0.25 * ((high - low) or 1.0), high


def _message(view: RowView) -> Figure:
    """The picture of a row without answers: why there is none."""
    lines = wrap(f"{standing(view)} {without_answers(view)}", 80)
    made = _blank(7.5, 0.7 + 0.24 * len(lines))
    _say(made, 0.05, 0.5, "\n".join(lines))
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


def _say(made: Figure, x: float, y: float, text: str, **style: Any) -> None:
    style = {"va": "center", "color": INK, "size": 9.5, **style}
    made.text(x, y, text, parse_math=False, **style)


def _write(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    style = {"ha": "center", "va": "center", "color": INK, "size": 9.5, **style}
    axes.text(x, y, text, parse_math=False, **style)


def _changes(view: RowView, name: str) -> list[Change | None]:
    """What each answer makes of a feature; None where it leaves it."""
    return [
        next((change for change in answer.changes if change.feature == name), None)
        for answer in view.answers
    ]


def _amount(change: Change) -> float:
    """By how much a number changes; 0 for a category and where a value is missing."""
    ends = (change.before, change.after)
    if all(isinstance(end, date | timedelta) for end in ends):
        return float((change.after - change.before) / timedelta(days=1))
    if not change.numeric or not all(isinstance(end, int | float) for end in ends):
        return 0.0
    return float(change.after) - float(change.before)


def _cell(change: Change, show: Show) -> str:
    """What a change's cell says: the new value and, for a number, by how much."""
    amount = _amount(change)
    if not amount:
        return _broken(show(change.after))
    dates = isinstance(change.after, date | timedelta)
    size = show(abs(change.after - change.before) if dates else float(f"{abs(amount):.10g}"))
    return f"{show(change.after)}  ({'+' if amount > 0 else '−'}{size})"


def _heading(view: RowView) -> str:
    return f"Row {visible(str(view.name))}: what would give {view.show(view.wanted)}"


def _score_label(view: RowView) -> str:
    if predicts_numbers(view):
        return "prediction"
    return f"{score_word(view)} for\n{_broken(view.show(view.wanted))}"


def _caption(view: RowView) -> str:
    """How to read the marks that the picture has."""
    numbers = any(_amount(c) for answer in view.answers for c in answer.changes)
    lines = [f"Dashed: the {score_word(view)} now."]
    if predicts_numbers(view):
        lines[0] += " Shaded: what is wanted."
    elif view.threshold is not None:
        lines[0] += f" Dotted: the threshold, {score_text(view, view.threshold)}."
    if view.scores == "label":
        lines = []
    if numbers:
        lines.append("Bars in the table: full for the largest change of a line.")
    return "\n".join(lines + _demanded(view))


def _demanded(view: RowView) -> list[str]:
    """How far each answer meets what was demanded besides the outcome, in whole percents."""
    asked = {
        "Other models that agree": [answer.agreeing for answer in view.answers],
        "Share of the tolerance in which the outcome stays": [
            answer.tolerated for answer in view.answers
        ],
    }
    return [
        f"{name}: {', '.join(f'{int(100 * share)} %' for share in shares if share is not None)}."
        for name, shares in asked.items()
        if None not in shares
    ]


def _broken(text: str) -> str:
    """A text in at most three lines of about `LONGEST` letters, broken where words end."""
    lines = [""]
    for word in re.findall(r"[^\s_/-]*(?:[_/-]+|\s+|$)", visible(text)):
        for part in wrap(word, LONGEST, drop_whitespace=False):
            if len(lines[-1]) + len(part.rstrip()) <= LONGEST:
                lines[-1] += part
            else:
                lines.append(part)
    lines = [line.strip() for line in lines]
    return "\n".join(lines if len(lines) <= 3 else [*lines[:2], f"{lines[2][: LONGEST - 2]} …"])


def _longest(texts: Sequence[str]) -> int:
    return max(len(line) for text in texts for line in text.split("\n"))


def _sums(start: float, steps: Sequence[float]) -> tuple[float, ...]:
    sums = [start]
    for step in steps:
        sums.append(sums[-1] + step)
    return tuple(sums)
