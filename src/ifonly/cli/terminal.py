"""Answers, metrics and suggested rules as tables in a terminal."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ifonly.render.text import sentences
from ifonly.render.view import RowView, visible
from ifonly.render.wording import score_text, score_word, standing
from ifonly.rules.suggested.suggestions import Suggestions

PLAIN_WIDTH = 100
"""The width of a table that no terminal shows."""
ROW_METRICS = ("answers", "valid_unique", "distance", "changed", "det", "objective")
"""The metrics that a table of rows has room for; CSV and JSON have them all."""
GROUP_MEASURES = {
    "selection_rate": "selected",
    "reach": "reach",
    "proved_none": "proved none",
    "effectiveness": "effective",
    "cost": "cost",
    "burden": "burden",
    "choice": "choice",
}
"""The measures that a table of groups has room for; the report and JSON have them all."""


def plain(renderable: RenderableType) -> str:
    """What a console would show, as plain text; as wide as COLUMNS says, where it is set."""
    width = None if "COLUMNS" in os.environ else PLAIN_WIDTH
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False, highlight=False).print(renderable)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def rows(views: Iterable[RowView]) -> Group:
    """Every row: where it stands, a table of what its answers change, and sentences."""
    return Group(*(part for view in views for part in (*_row(view), Text())))


def answers(view: RowView) -> Table:
    """One line a change, grouped by answer: only what changes is shown."""
    table = _table()
    table.add_column("", justify="right", style="bold")
    table.add_column("change", overflow="fold")
    table.add_column("from", overflow="fold", style="dim")
    table.add_column("to", overflow="fold", style="bold green")
    table.add_column(score_word(view), justify="right", no_wrap=True)
    table.add_column("distance", justify="right", no_wrap=True)
    for place, answer in enumerate(view.answers, 1):
        for line, change in enumerate(answer.changes):
            first = [str(place), score_text(view, answer.score), f"{answer.distance:.2f}"]
            number, score, distance = first if line == 0 else ("", "", "")
            before, after = view.show(change.before), view.show(change.after)
            name = f"{'so ' if change.follows else ''}{visible(change.feature)}"
            cells = (number, name, before, after, score, distance)
            table.add_row(*map(Text, cells), end_section=line == len(answer.changes) - 1)
    return table


def numbered(view: RowView) -> Table:
    """The answers as numbered sentences."""
    table = Table.grid(padding=(0, 1))
    for place, line in enumerate(sentences(view), 1):
        table.add_row(Text(f"  {place}."), Text(line))
    return table


def values(view: RowView) -> Table:
    """A row's own values, in columns of names and values."""
    table = Table.grid(padding=(0, 2))
    cells = [
        (Text(f"  {visible(name)}", style="dim"), Text(view.show(value)))
        for name, value in view.values.items()
    ]
    half = (len(cells) + 1) // 2
    for place in range(half):
        right = cells[half + place] if half + place < len(cells) else (Text(), Text())
        table.add_row(*cells[place], *right)
    return table


def metrics(per_row: pd.DataFrame, means: pd.DataFrame) -> Group:
    """The means of every metric, and the most telling metrics of each row."""
    table = _table()
    table.add_column("mean of")
    table.add_column("all rows", justify="right")
    table.add_column("rows with all k", justify="right")
    for name, (every, full) in zip(means.index, means.to_numpy(), strict=True):
        cells = [str(int(mean)) if name == "rows" else _number(mean) for mean in (every, full)]
        table.add_row(Text(str(name)), *cells, end_section=name == "rows")
    names = ["query", "status", *ROW_METRICS]
    lines = _table()
    for name in names:
        lines.add_column(name, justify="left" if name == "status" else "right")
    for values_of_row in per_row[names].itertuples(index=False):
        lines.add_row(*map(_number, values_of_row))
    return Group(table, Text(), lines)


def by_group(measures: pd.DataFrame) -> Group:
    """The measures of the groups of each attribute: those that a table has room for."""
    parts: list[RenderableType] = []
    for attribute, own in measures.groupby(level="attribute", sort=False):
        table = _table()
        table.add_column(visible(str(attribute)), overflow="fold", style="bold")
        for title in ("rows", "refused", *GROUP_MEASURES.values()):
            table.add_column(title, justify="right", no_wrap=True)
        for group, line in own.droplevel("attribute").iterrows():
            sizes = [Text(f"{int(line[name]):,}") for name in ("rows", "refused")]
            rest = [_number(float(line[name])) for name in GROUP_MEASURES]
            table.add_row(Text(visible(str(group))), *sizes, *rest)
        parts += [table, Text()]
    return Group(*parts)


def suggestions(found: Suggestions) -> RenderableType:
    """One line per rule: its text, the rows that show it, and what it means."""
    if not found:
        return Text(str(found))
    table = _table()
    table.add_column("rule", overflow="fold")
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("meaning", overflow="fold", style="dim")
    for one in found.found:
        cells = (str(one.rule), str(one.rows), one.meaning)
        table.add_row(*(Text(visible(cell)) for cell in cells))
    return table


def _row(view: RowView) -> list[RenderableType]:
    head = Text.assemble(
        (f"Row {visible(str(view.name))}", "bold"), f"  {view.status}  ", standing(view)
    )
    if not view.answers:
        return [head, *(Padding(Text(line), (0, 0, 0, 2)) for line in sentences(view))]
    note = [Text(visible(view.note), style="yellow")] if view.note else []
    return [head, *note, Text(), answers(view), Text(), numbered(view)]


def _table() -> Table:
    return Table(box=box.SIMPLE, show_edge=False, pad_edge=False, header_style="dim")


def _number(value: Any) -> Text:
    if isinstance(value, str):
        return Text(value)
    if math.isnan(value):
        return Text("—")
    return Text(f"{value:.3f}" if isinstance(value, float) else str(value))
