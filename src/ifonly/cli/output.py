"""Data on stdout or in a file that is written whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console, RenderableType

from ifonly.cli import terminal as tables
from ifonly.cli.messages import say
from ifonly.errors import FileError, IfonlyError, OutputError
from ifonly.render.destination import write_file


def check_writable(out: Path | None) -> None:
    """Refuse, before any work is done, a file that cannot be written."""
    if out is None:
        return
    if out.is_dir():
        raise FileError(f"{str(out)!r} is a folder.", "Give the name of a file in it.")
    if not out.parent.is_dir():
        raise FileError(f"There is no folder {str(out.parent)!r}.", "Make it first.")


def deliver(content: str | RenderableType, out: Path | None) -> None:
    """Write text as it is, and anything else as a console shows it."""
    if out is not None:
        write_file(out, content if isinstance(content, str) else tables.plain(content))
        say(f"Written: {out}")
        return
    console = Console(highlight=False)
    with stdout_written():
        if console.is_terminal and not isinstance(content, str):
            console.print(content)
        else:
            sys.stdout.write(content if isinstance(content, str) else tables.plain(content))


@contextmanager
def stdout_written() -> Iterator[None]:
    """What is printed inside is written at the end; it is dropped where nobody reads any more."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if isinstance(error, IfonlyError) or error.filename is not None:
            raise  # of a file, and not of the stream
        # What is left in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"The output cannot be written: {error.strerror}.",
                "Free some space, or name another place with --out.",
            ) from error
