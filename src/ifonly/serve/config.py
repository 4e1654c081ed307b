"""The settings of a service, from the command line or from a TOML file.

    host = "0.0.0.0"
    tokens = "tokens.txt"
    record = "records.db"

    [models.loans]
    path = "loans.skops"
    data = "train.csv"
    outcome = "granted"
    rules = "rules.txt"
    units = { income = "EUR" }
    space = { categorical = ["zip"] }
    limits = { rows = 100, k = 5 }

The first model is the one of `/v1/explain`; each has its own under `/v1/models/loans/explain`.
Paths are meant from the folder of the file.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, SkipValidation, TypeAdapter, ValidationError

from ifonly.contract import Limits
from ifonly.errors import FileError, IfonlyError, OptionError, absent, nearest
from ifonly.serve.exchange import Source
from ifonly.serve.open import Demo, ModelFile
from ifonly.serve.security import check_exposed

Settings = TypeVar("Settings")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PATHS = ("tokens", "record_key", "sign", "jobs", "tls_cert", "tls_key", "path", "data", "rules")


@dataclass(frozen=True)
class Config:
    """What a service is.

    Parameters
    ----------
    models
        Where each model comes from, by its name; the first is the one of routes without a name.
    host, port
        Where to listen; port 0 takes a free one.
    workers
        How many processes answer; None: one per core.
    allow_hosts
        Names of the server beside those of loopback.
    tokens
        The file of tokens; needed where the host is not loopback.
    record
        The path or URL of the store of decision records; None: nothing is recorded.
    record_key
        The file of the key of rows' hashes; None: beside the store.
    sign
        The file of the private key that records are signed with; None: they are not.
    keep_rows
        Whether records hold the rows.
    jobs
        The folder of jobs; None: there are none.
    jobs_keep
        How many days the result of a job waits to be fetched.
    tls_cert, tls_key
        The files of the certificate and its key.
    body, body_seconds
        The most bytes of a body, and how long it may take to arrive.
    seconds
        The most seconds of a request.
    queue, each
        How many requests may be answered at once: of all, and of one token, or of one address where
        there are no tokens.
    grace
        How many seconds requests have to end when the service stops.
    start
        What the page starts with, as `ifonly.page.start.start_of` makes it: {'title': 'Loans'}.
    window, together
        How many seconds a question waits for others, and how many rows a batch has at the most.

    Raises
    ------
    OptionError
        A setting cannot be used.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True)

    models: Mapping[str, SkipValidation[Source]]
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int | None = None
    allow_hosts: tuple[str, ...] = ()
    tokens: Path | None = None
    record: str | None = None
    record_key: Path | None = None
    sign: Path | None = None
    keep_rows: bool = True
    jobs: Path | None = None
    jobs_keep: float = 7.0
    tls_cert: Path | None = None
    tls_key: Path | None = None
    body: int = field(default_factory=lambda: Limits().body)
    body_seconds: float = 20.0
    seconds: float = 60.0
    queue: int = 256
    each: int = 64
    grace: float = 30.0
    window: float = 0.003
    together: int = 64
    start: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.models:
            raise OptionError("There is no model.", "Name its file, or try --demo.")
        for name in self.models:
            check_name(name)
        check_exposed(self.host, self.tokens)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise OptionError(
                "A certificate and its key go together.", "Give --tls-cert and --tls-key."
            )
        counts = ("queue", "each", "together", "workers", "jobs_keep")
        for name in ("body", "body_seconds", "seconds", *counts):
            if (value := getattr(self, name)) is not None and not value > 0:
                raise OptionError(f"{name} is {value}.", "Give a positive number.")
        if not 0 <= self.port < 2**16:
            raise OptionError(f"There is no port {self.port}.", "Ports are 0 to 65535.")

    @property
    def processes(self) -> int:
        """How many processes answer."""
        return self.workers or len(os.sched_getaffinity(0))

    @property
    def name(self) -> str:
        """The host as it stands in addresses."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def default(self) -> str:
        """The model of routes without a name."""
        return next(iter(self.models))


def check_name(name: str) -> None:
    """Refuse a name that a route cannot have: a path, for one.

    >>> check_name("../loans")
    Traceback (most recent call last):
    ...
    ifonly.errors.OptionError: '../loans' cannot be the name of a model.
    <BLANKLINE>
    Hint: Use letters, digits, '.', '-' and '_', a letter or digit first.
    """
    if not _NAME.fullmatch(name):
        raise OptionError(
            f"{name!r:.60} cannot be the name of a model.",
            "Use letters, digits, '.', '-' and '_', a letter or digit first.",
        )


def read_config(path: Path) -> Config:
    """The settings of a TOML file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Config

    Raises
    ------
    FileError, OptionError
        It cannot be read, or has what no setting is.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise absent(path) from None
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be read as TOML: {error}.") from None
    if isinstance(record := given.get("record"), str) and "://" not in record:
        given["record"] = str(path.parent / record)
    models = given.pop("models", {})
    if not isinstance(models, dict) or not all(isinstance(one, dict) for one in models.values()):
        raise OptionError("models is not a table of tables.", "Write [models.NAME] over each.")
    sources = {name: _source(name, table, path.parent) for name, table in models.items()}
    return _made(Config, given | {"models": sources}, path.parent, "")


def _source(name: str, table: dict[str, Any], folder: Path) -> Source:
    """The model of a table; `demo = true` is that of the demonstration."""
    check_name(name)
    where, table = f"models.{name}.", dict(table)
    if table.pop("demo", False):
        return _made(Demo, table, folder, where)
    return _made(ModelFile, table, folder, where)


def _made(kind: type[Settings], given: dict[str, Any], folder: Path, where: str) -> Settings:
    """Settings of a type, from a table of TOML; a path is meant from the folder."""
    known = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise OptionError(f"There is no setting {where}{name}.", nearest(name, known))
    paths = {name: folder / given[name] for name in _PATHS if isinstance(given.get(name), str)}
    try:
        return TypeAdapter(kind).validate_python(given | paths)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        own = first.get("ctx", {}).get("error")
        if isinstance(own, IfonlyError):
            raise own from None
        place = ".".join(map(str, first["loc"]))
        raise OptionError(f"The setting {where}{place} cannot be used: {first['msg']}.") from None
