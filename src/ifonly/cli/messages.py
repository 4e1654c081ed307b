"""What is said on stderr: errors and notes."""

from __future__ import annotations

from rich.console import Console
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
