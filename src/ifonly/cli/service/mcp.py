"""`ifonly mcp`: the answers of a model as tools for agents."""

from __future__ import annotations

from typing import Annotated

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
from ifonly.cli.service.serve import AllowHost, Data, Demo, Model, TokenFile
from ifonly.errors import MissingExtra, OptionError

Seconds = Annotated[float, typer.Option(help="The most seconds of a search.")]
Http = Annotated[bool, typer.Option("--http", help="Serve over HTTP, not over stdin and stdout.")]
Host = Annotated[str, typer.Option(help="With --http: the address to listen on.")]
Port = Annotated[int, typer.Option(help="With --http: the port; 0 takes a free one.")]


def mcp(
    model: Model = None,
    *,
    data: Data = None,
    outcome: Outcome = "",
    rules: RuleFile = None,
    rule: Rules = None,
    demo: Demo = False,
    seconds: Seconds = 60.0,
    http: Http = False,
    host: Host = "127.0.0.1",
    port: Port = 8001,
    tokens: TokenFile = None,
    allow_host: AllowHost = None,
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    categorical: Named = None,
    ordinal: Orders = None,
    carry: Carry = None,
    missing: Missing = None,
) -> None:
    """Answer agents by the Model Context Protocol: over stdin and stdout, or over HTTP.

    The tools describe the model, check rules, explain, and answer what-if, why and plan. Messages
    go to stderr, and so does what the model prints.
    """
    try:
        from ifonly.contract import Limits
        from ifonly.mcp import serve_stdio
        from ifonly.serve.open import Demo, ModelFile
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "mcp", "mcp") from None
    limits = Limits(seconds=seconds)
    if demo:
        source: Demo | ModelFile = Demo(limits)
    elif model is None or data is None:
        raise OptionError(
            "A model and its training rows are needed.",
            "ifonly mcp model.skops --data train.csv, or ifonly mcp --demo.",
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
            ordinal=tuple(ordinal or ()),
            space={"categorical": categorical or (), "carry": carry or ()},
            limits=limits,
        )
    if not http:
        serve_stdio(source.load)
        return
    try:
        from ifonly.mcp.http import serve_http
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "serve") from None
    names = tuple(allow_host or ())
    serve_http(source.load, host=host, port=port, tokens=tokens, allow_hosts=names, say=say)
