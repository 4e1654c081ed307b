"""What is said on stderr: errors, notes, and progress where a terminal shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from ifonly.errors import IfonlyError
from ifonly.render.view import visible


def talk() -> Console:
    """The console of stderr."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def say(message: str, style: str = "") -> None:
    """Print a message; control characters that data or names brought into it are escaped."""
    talk().print(Text(visible(message, keep="\n"), style))


def show_error(error: IfonlyError) -> None:
    """An error's message and hint, without a traceback."""
    console = talk()
    console.print(Text.assemble(("Error: ", "bold red"), visible(error.message, keep="\n")))
    if error.hint:
        console.print(Text.assemble(("\nHint: ", "bold"), visible(error.hint, keep="\n")))


@contextmanager
def rows_done(description: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar to tell of rows done and rows asked; None where stderr is no terminal."""
    console = talk()
    if not console.is_terminal or console.is_dumb_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(description, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
