"""Data on stdout or in a file that is written whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console, RenderableType
from rich.text import Text

from ifonly.cli import tables
from ifonly.cli.talking import talk
from ifonly.errors import FileError
from ifonly.writing import write_file


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
        talk().print(Text(f"Written: {out}"))
        return
    console = Console(highlight=False)
    if console.is_terminal and not isinstance(content, str):
        console.print(content)
    else:
        sys.stdout.write(content if isinstance(content, str) else tables.plain(content))
