"""`ifonly mcp`: the answers of a model as tools for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ifonly.cli.explain import Inputs, Missing, Outcome, RuleFile, Rules, Trust, TrustPickle
from ifonly.errors import OptionError

Model = Annotated[Path | None, typer.Argument(help="The model's file, as for `ifonly explain`.")]
Data = Annotated[Path | None, typer.Option(help="The rows that the model was trained on.")]
Show = Annotated[bool, typer.Option("--demo", help="The model of `ifonly demo`, without any file.")]
Seconds = Annotated[float, typer.Option(help="The most seconds of a search.")]
Http = Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of stdin and stdout.")]
Host = Annotated[str, typer.Option(help="The address to listen on, with --http.")]
Port = Annotated[int, typer.Option(help="The port to listen on, with --http; 0: any free one.")]
Tokens = Annotated[Path | None, typer.Option(help="A file of hashed tokens, with --http.")]


def mcp(
    model: Model = None,
    *,
    data: Data = None,
    outcome: Outcome = "",
    rule: Rules = None,
    rules: RuleFile = None,
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    missing: Missing = None,
    demo: Show = False,
    seconds: Seconds = 60.0,
    http: Http = False,
    host: Host = "127.0.0.1",
    port: Port = 8001,
    tokens: Tokens = None,
) -> None:
    """Answer agents by the Model Context Protocol: over stdin and stdout, or over HTTP.

    The tools describe the model, check rules, explain, and answer what-if, why and plan. Messages
    go to stderr, and so does what the model prints.
    """
    from ifonly.contract import Limits
    from ifonly.mcp import serve_stdio
    from ifonly.serve.open import Demo, ModelFile

    limits = Limits(seconds=seconds)
    if demo:
        source: Demo | ModelFile = Demo(limits)
    elif model is None or data is None:
        raise OptionError(
            "A model and its training rows are needed.",
            "Name both, ifonly mcp model.skops --data train.csv, or try ifonly mcp --demo.",
        )
    else:
        source = ModelFile(
            model,
            data,
            outcome=outcome,
            rules=rules,
            rule=tuple(rule or ()),
            trust_pickle=trust_pickle,
            trust=tuple(trust or ()),
            inputs=inputs,
            missing=tuple(missing or ()),
            limits=limits,
        )
    if http:
        serve_http(source.load, host=host, port=port, tokens=tokens)
    else:
        serve_stdio(source.load)
