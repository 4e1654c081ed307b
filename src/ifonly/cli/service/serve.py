"""`ifonly serve`: a model, or several, over HTTP; and `ifonly tokens`: who may ask it."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
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
from ifonly.errors import MissingExtra, OptionError

RECORDS = "ifonly-records.db"
"""Where decisions are recorded, unless --record says otherwise."""


class Scores(StrEnum):
    """How replies show scores."""

    FULL = "full"
    ROUNDED = "rounded"
    HIDDEN = "hidden"


Model = Annotated[Path | None, typer.Argument(help="The model, as for `ifonly explain --model`.")]
Data = Annotated[Path | None, typer.Option(help="The rows that the model was trained on.")]
Demo = Annotated[bool, typer.Option("--demo", help="Serve the model of `ifonly demo`.")]
Name = Annotated[str, typer.Option(help="The name of the model; by default that of its file.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="A TOML file with these settings and [models.NAME].")
]
Host = Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 by default.")]
Port = Annotated[int | None, typer.Option(help="8000 by default; 0 takes a free one.")]
Workers = Annotated[int | None, typer.Option(help="How many processes answer; one per core.")]
TokenFile = Annotated[Path | None, typer.Option(help="Who may ask; see `ifonly tokens new`.")]
AllowHost = Annotated[
    list[str] | None, typer.Option(help="A name of this server in requests, beside localhost.")
]
Record = Annotated[
    str | None,
    typer.Option(
        help=f"Where decisions are recorded: a file, {RECORDS} by default, or postgresql://...; "
        "'none': nowhere. The demo records nothing by default."
    ),
]
RecordKey = Annotated[
    Path | None, typer.Option(help="The key of rows' hashes; by default beside the records.")
]
Sign = Annotated[
    Path | None, typer.Option(help="Sign records: the private key, see `ifonly keys make`.")
]
KeepRows = Annotated[
    bool | None, typer.Option("--keep-rows/--no-keep-rows", help="Whether records hold the rows.")
]
JobFolder = Annotated[Path | None, typer.Option("--jobs", help="The folder of jobs.")]
JobsKeep = Annotated[float | None, typer.Option(help="Days that results of jobs wait; 7.")]
Cert = Annotated[Path | None, typer.Option(help="The certificate for TLS.")]
Key = Annotated[Path | None, typer.Option(help="The key of the certificate.")]
Seconds = Annotated[float | None, typer.Option(help="The most seconds of a request; 60.")]
Body = Annotated[int | None, typer.Option(help="The most bytes of a request.")]
Each = Annotated[int | None, typer.Option(help="The most at once of one token or address; 64.")]
Queue = Annotated[int | None, typer.Option(help="The most requests at once; 256.")]


def serve(
    model: Model = None,
    *,
    data: Data = None,
    outcome: Outcome = "",
    rules: RuleFile = None,
    rule: Rules = None,
    demo: Demo = False,
    name: Name = "",
    config: ConfigFile = None,
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    tokens: TokenFile = None,
    allow_host: AllowHost = None,
    record: Record = None,
    record_key: RecordKey = None,
    sign: Sign = None,
    keep_rows: KeepRows = None,
    jobs: JobFolder = None,
    jobs_keep: JobsKeep = None,
    tls_cert: Cert = None,
    tls_key: Key = None,
    seconds: Seconds = None,
    body: Body = None,
    queue: Queue = None,
    each: Each = None,
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    categorical: Named = None,
    ordinal: Orders = None,
    carry: Carry = None,
    missing: Missing = None,
) -> None:
    """Serve a model over HTTP, for this machine only unless --host and --tokens say otherwise.

    The address is printed once requests are answered; the log goes to stderr. SIGTERM and Ctrl-C
    finish what runs.
    """
    stated: dict[str, Any] = {"host": host, "port": port, "workers": workers, "tokens": tokens}
    stated |= {"record": record, "record_key": record_key, "keep_rows": keep_rows, "jobs": jobs}
    stated |= {"sign": sign}
    stated |= {"tls_cert": tls_cert, "tls_key": tls_key, "seconds": seconds, "body": body}
    stated |= {"queue": queue, "each": each, "jobs_keep": jobs_keep}
    stated |= {"allow_hosts": tuple(allow_host or ()) or None}
    stated = {option: value for option, value in stated.items() if value is not None}
    source: dict[str, Any] = {"path": model, "data": data, "outcome": outcome, "rules": rules}
    source |= {"rule": tuple(rule or ()), "trust": tuple(trust or ()), "inputs": inputs}
    source |= {"trust_pickle": trust_pickle, "missing": tuple(missing or ())}
    source |= {"ordinal": tuple(ordinal or ())}
    source |= {"space": {"categorical": categorical or (), "carry": carry or ()}}
    if [model is not None, demo, config is not None].count(True) != 1:
        raise OptionError(
            "Give a model, --demo, or --config FILE, and one of them.",
            "ifonly serve model.skops --data train.csv, or ifonly serve --demo.",
        )
    _run(source, config, name, stated)


def _run(source: dict[str, Any], file: Path | None, name: str, stated: dict[str, Any]) -> None:
    """Serve a model by its source, the demo where that has no path, or what a file states."""
    try:
        from ifonly.serve.config import Config, read_config
        from ifonly.serve.open import Demo, ModelFile
        from ifonly.serve.run import serve as run
        from ifonly.serve.security import LOOPBACK
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "serve") from None
    if file is not None:
        config = replace(read_config(file), **stated)
    elif source["path"] is None:
        config = Config({name or "demo": Demo()}, **stated)
    else:
        if source["data"] is None:
            raise OptionError("The training rows are needed.", "Give --data train.csv.")
        own = name or source["path"].name.partition(".")[0]
        config = Config({own: ModelFile(**source)}, **{"record": RECORDS} | stated)
    if config.record == "none":
        config = replace(config, record=None)
    if config.record is not None:
        where = config.record.rpartition("@")[2]  # without a password
        say(f"Decisions are recorded in {where}; --record none: nowhere.")
    if config.host not in LOOPBACK and config.tls_cert is None:
        say("Tokens and rows travel as they are: use --tls-cert, or a proxy that has TLS.")
    run(config, lambda address: typer.echo(f"Serving {', '.join(config.models)} at {address}"))


def new_token(
    name: Annotated[str, typer.Argument(help="Who will use it, for the log.")],
    *,
    quota: Annotated[str, typer.Option(help="Rows, such as 600/minute; -: no limit.")] = "-",
    scores: Annotated[Scores, typer.Option(help="How replies show scores.")] = Scores.FULL,
    rows: Annotated[bool, typer.Option("--rows", help="Show real rows of the data.")] = False,
) -> None:
    """Make a token: it is shown once, on stderr; stdout has the line for the file of tokens."""
    try:
        from ifonly.serve.tokens import new_token as made
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "serve") from None
    secret, line = made(name, quota, scores, "rows" if rows else "no-rows")
    say(f"The token, which is not shown again: {secret}")
    typer.echo(line)
