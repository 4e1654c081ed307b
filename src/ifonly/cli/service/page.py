"""`ifonly page`: the page about a model in the browser, served to this machine alone."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from ifonly.cli.explain import (
    Carry,
    Inputs,
    Missing,
    Named,
    Orders,
    Outcome,
    RuleFile,
    Rules,
    Trust,
    TrustPickle,
)
from ifonly.cli.messages import say
from ifonly.datasets.demo import PAGE_LABELS
from ifonly.errors import MissingExtra

GRACE = 3.0
"""How many seconds a question has to end after Ctrl-C."""

Model = Annotated[Path, typer.Argument(help="The model, as for `ifonly explain --model`.")]
Data = Annotated[Path, typer.Option(help="The rows that the model was trained on.")]
RowFile = Annotated[Path | None, typer.Option("--rows", help="The rows to show: CSV or Parquet.")]
Row = Annotated[int | None, typer.Option(help="The row to show first; the first is 0.")]
Port = Annotated[int, typer.Option(help="The port; 0 takes a free one.")]
Workers = Annotated[int, typer.Option(help="How many processes answer.")]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")]
Title = Annotated[str, typer.Option(help="What stands at the top of the page.")]
Language = Annotated[str, typer.Option(help="en or de; by default that of the browser.")]


def page(
    model: Model,
    *,
    data: Data,
    rows: RowFile = None,
    outcome: Outcome = "",
    rules: RuleFile = None,
    rule: Rules = None,
    row: Row = None,
    port: Port = 0,
    workers: Workers = 2,
    browser: Browser = True,
    title: Title = "",
    language: Language = "",
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    categorical: Named = None,
    ordinal: Orders = None,
    carry: Carry = None,
    missing: Missing = None,
) -> None:
    """Show the page about a model in the browser: ways to another outcome, solved as you edit.

    It is served to this machine alone, to whoever has the address that is printed. Ctrl-C ends it.
    """
    opened = _opened()
    source = opened.ModelFile(
        model,
        data,
        outcome=outcome,
        rules=rules,
        rule=tuple(rule or ()),
        trust_pickle=trust_pickle,
        trust=tuple(trust or ()),
        inputs=inputs,
        missing=tuple(missing or ()),
        ordinal=tuple(ordinal or ()),
        space={"categorical": categorical or (), "carry": carry or ()},
    )
    say("Opening the model …")
    name = model.name.partition(".")[0]
    start = source.start(rows, row=row, title=title or name, language=language)
    show(source, name, start, port=port, workers=workers, browser=browser)


def show_demo(*, port: int = 0, browser: bool = True) -> None:
    """The page about the model of `ifonly demo` and people whom it refuses."""
    opened = _opened()
    say("Training a logistic regression on the bundled Adult data …")
    source = opened.Demo(labels=PAGE_LABELS)
    show(source, "demo", source.start(), port=port, browser=browser)


def show(
    source: Any,
    name: str,
    start: dict[str, Any],
    *,
    port: int,
    browser: bool,
    workers: int = 2,
) -> None:
    """Serve a page until a signal ends it; who has its address has its token."""
    from ifonly.serve.config import Config
    from ifonly.serve.run import serve
    from ifonly.serve.tokens import new_token

    secret, line = new_token("page", "-", "full", "rows")
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder, "tokens.txt")
        tokens.write_text(f"{line}\n", encoding="utf-8")

        def ready(address: str) -> None:
            link = f"{address}/#token={secret}"
            typer.echo(f"The page is at {link}")
            say("Ctrl-C ends it.")
            if browser:  # which may wait for the browser
                threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()

        own: dict[str, Any] = {"port": port, "workers": workers, "tokens": tokens, "start": start}
        serve(Config({name: source}, grace=GRACE, **own), ready, quiet=True)


def _opened() -> Any:
    """The models of the service, where its packages are installed."""
    try:
        from ifonly.serve import open as opened
        from ifonly.serve import run  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "serve") from None
    return opened
