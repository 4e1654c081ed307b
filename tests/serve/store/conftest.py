"""Stores over both databases, and records to fill them with."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest

import ifonly
from ifonly.contract import DecisionRecord, Handler
from ifonly.contract.question import Question, ask
from ifonly.serve.store import Store, open_store

from .postgres import running

KEY = b"k" * 32
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
Decide: TypeAlias = Callable[..., DecisionRecord]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with running() as url:
        yield url


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory where there is one, for tests that are not about the disk."""
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty place for a store: a file, or a schema of the server."""
    if request.param == "sqlite":
        return str(tmp_path / "records.db")
    return new_schema(request.getfixturevalue("postgres"))


_numbers = count()


def new_schema(server: str) -> str:
    """The URL of a new, empty schema of a server."""
    import psycopg

    name = f"t{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}&options=-csearch_path%3D{name}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, key=KEY)
    yield store
    store.close()


@pytest.fixture(scope="session")
def handler() -> Handler:
    data = pd.DataFrame({"income": [10, 30, 50, 20], "job": ["a", "b", "a", "c"]})
    rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    return Handler(ifonly.Explainer(rich, data=data))


@pytest.fixture(scope="session")
def decide(handler: Handler) -> Decide:
    """A record of the decision about a row; each is an hour after the one before."""
    known: dict[Any, Any] = {}

    def decided(income: int = 10, *, hour: int = 0, keep: bool = True, **options: Any) -> Any:
        row, asked = {"income": income, "job": "a"}, (income, str(options))
        if asked not in known:
            known[asked] = ask(handler, Question(rows=[row], k=2, **options))
        time = NOON + timedelta(hours=hour)
        return DecisionRecord.of(known[asked], row, time=time, key=KEY, keep=keep)

    return decided


def sql(url: str, *statements: str) -> list[Any]:
    """What the last of some statements returns, run past the store."""
    from ifonly.serve.store.database import database_of

    database = database_of(url)
    connection = database.connect(create=False)
    try:
        cursors = [database.run(connection, statement) for statement in statements]
        return list(cursors[-1]) if cursors[-1].description else []
    finally:
        connection.close()
