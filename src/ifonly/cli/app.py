"""The commands of `ifonly`, and what they have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated

import typer

from ifonly.cli import batch
from ifonly.cli.audit import audit
from ifonly.cli.demo import demo
from ifonly.cli.evaluate import evaluate
from ifonly.cli.explain import explain
from ifonly.cli.messages import say
from ifonly.cli.reproduce import reproduce
from ifonly.cli.service import records
from ifonly.cli.service.keys import make_keys
from ifonly.cli.service.mcp import mcp
from ifonly.cli.service.page import page
from ifonly.cli.service.serve import new_token, serve
from ifonly.cli.service.verify import verify
from ifonly.cli.suggest import suggest_rules

HELP = "Diverse counterfactual explanations: what would have to change for another outcome."
CODES = (
    "Exit codes: 0 every row answered, 3 some rows without k answers, 2 bad input or usage, "
    "4 the output cannot be written, 130 interrupted."
)

app = typer.Typer(
    name="ifonly",
    help=HELP,
    epilog=CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends a command with 130, and says so."""
    try:
        yield
    except KeyboardInterrupt:
        say("Interrupted.")
        raise typer.Exit(130) from None


COMMANDS = (demo, explain, audit, suggest_rules, evaluate, reproduce, verify, page, serve, mcp)
for command in COMMANDS:
    app.command(epilog=CODES)(_interruptible()(command))

batches = typer.Typer(
    cls=batch.Batch,
    help="Explain the rows of many files: ifonly batch rows/*.parquet --model M --data D --out O.",
)
for name, one in (("run", batch.run), ("status", batch.status), ("read", batch.read)):
    batches.command(name, epilog=CODES)(_interruptible()(one))
app.add_typer(batches, name="batch", no_args_is_help=True)

tokens = typer.Typer(help="Who may ask a service: ifonly tokens new NAME >> tokens.txt.")
tokens.command("new")(new_token)


@tokens.callback()
def _tokens() -> None:
    """Who may ask a service: ifonly tokens new NAME >> tokens.txt."""


app.add_typer(tokens, name="tokens")

keys = typer.Typer(help="Keys that decision records are signed with.")
keys.command("make")(make_keys)


@keys.callback()
def _keys() -> None:
    """Keys that decision records are signed with: ifonly keys make NAME."""


app.add_typer(keys, name="keys")

kept = typer.Typer(help="Look at the records of decisions, check them, and erase their rows.")
for name, looked in (
    ("head", records.head),
    ("verify", records.verify),
    ("list", records.list_entries),
    ("show", records.show),
    ("erase", records.erase),
):
    kept.command(name)(_interruptible()(looked))
app.add_typer(kept, name="records", no_args_is_help=True)


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
