"""Why rows lack answers: under a row's table, or on stderr beside data of another format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ifonly.answers import Answers
from ifonly.answers.why import Why
from ifonly.cli import terminal as tables
from ifonly.cli.messages import say
from ifonly.render.view import visible
from ifonly.status import Status


def failures(answers: Answers) -> tuple[dict[int, Why], bool]:
    """Why each row lacks answers, by its position, and whether Ctrl-C left some unexplained."""
    reasons: dict[int, Why] = {}
    try:
        for row, status in enumerate(answers.status):
            if status.answered:
                continue
            skipped = status is Status.SKIPPED  # it is not searched now either
            reasons[row] = Why(str(status), answers.notes[row]) if skipped else answers.why(row)
    except KeyboardInterrupt:
        return reasons, True
    return reasons, False


def with_reasons(answers: Answers, reasons: Mapping[int, Why]) -> Group:
    """The tables of all rows; under those of rows that lack answers, what more there is to say.

    A row's note stands in its table already.
    """
    parts: list[RenderableType] = []
    for row, view in enumerate(answers.views()):
        parts.append(tables.rows([view]))
        if row in reasons and (reasons[row].asked or reasons[row].valid):
            reason = str(replace(reasons[row], note=""))
            parts += [Padding(Text(visible(reason)), (0, 0, 0, 2)), Text()]
    return Group(*parts)


def print_reasons(answers: Answers, reasons: Mapping[int, Why]) -> None:
    """Say on stderr why rows lack answers."""
    for row, why in reasons.items():
        say(f"Row {answers.index[row]}: {why}")
