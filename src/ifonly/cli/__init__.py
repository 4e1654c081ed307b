"""The command line: stdout is data, stderr is talk and progress.

Exit codes: 0 every row answered, 3 some rows without k answers, 2 bad input or usage.
"""

from __future__ import annotations

import io
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from ifonly.cli.demo import demo
from ifonly.cli.evaluate import evaluate
from ifonly.cli.explain import explain
from ifonly.cli.reproduce import reproduce
from ifonly.cli.talking import show_error
from ifonly.errors import IfonlyError

app = typer.Typer(
    name="ifonly",
    help="Diverse counterfactual explanations: what would have to change for another outcome.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, explain, evaluate, reproduce):
    app.command()(command)


def main(arguments: list[str] | None = None) -> None:
    """Run a command; an error of ifonly's own tree is told without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # Data leave as UTF-8 whatever the locale; a terminal shows what it can.
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")
    try:
        app(arguments, prog_name="ifonly")
    except IfonlyError as error:
        show_error(error)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ifonly {version('ifonly')}")
        raise typer.Exit


@app.callback()
def _top(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Diverse counterfactual explanations: what would have to change for another outcome."""
