"""A front with a stand-in for the workers: one thread in this process, one question at a time."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from starlette.testclient import TestClient

from ifonly import Explainer
from ifonly.contract import DecisionRecord, Handler, Limits, Refused
from ifonly.serve.app import create_app
from ifonly.serve.config import Config
from ifonly.serve.exchange import SCHEMAS, Ask, Said
from ifonly.serve.forms import reply_of, request_of
from ifonly.serve.open import Demo
from ifonly.serve.sight import shown_rows
from ifonly.serve.store import open_store
from ifonly.serve.store.journal import Journal

ROW = {"income": 1500, "debt": 900.5, "job": "clerk"}


class StandIn:
    """Answers in a thread, without batches."""

    def __init__(self, handler: Handler) -> None:
        self.handler, self.asks = handler, list[Ask]()
        self.queued, self.cancelled, self.held, self.open = 0, 0, False, True

    def ready(self, model: str) -> bool:
        return self.open

    async def ask(self, ask: Ask) -> Said:
        self.asks.append(ask)
        try:
            while self.held:
                await asyncio.sleep(0.01)
            return await asyncio.to_thread(self.said, ask)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def said(self, ask: Ask) -> Said:
        if ask.route == SCHEMAS:
            return Said(200, json.dumps(self.handler.schemas()).encode())
        try:
            request = request_of(ask, self.handler.limits)
            reply = self.handler.answer(ask.route, request)
        except Refused as refused:
            return Said(refused.problem.status, refused.problem.model_dump_json().encode())
        rows, asked = getattr(reply, "rows", []), SimpleNamespace(**request)
        statuses = Counter(one.status for one in rows if hasattr(one, "status"))
        facts = {
            "rows": shown_rows(asked, reply),
            "statuses": statuses,
            "model_rows": 10,
            "together": 1,
        }
        records: tuple[DecisionRecord, ...] = ()
        if ask.record and ask.route == "explain":
            records = tuple(record(row) for row in request["rows"])
        return Said(200, reply_of(ask, reply), records, facts)


def record(row: dict[str, Any]) -> DecisionRecord:
    """A record of a decision about a row; what it says is of no matter here."""
    said: dict[str, Any] = {"status": "found", "predicted": "no", "wanted": "yes", "score": 0.1}
    said |= {"threshold": 0.5, "ways": [], "certificate": None, "reproducible": True, "run": {}}
    return DecisionRecord(time=datetime.now(UTC), row_hash="0" * 64, row=row, **said)


@pytest.fixture(scope="session")
def lender() -> tuple[Any, pd.DataFrame]:
    """A small model that lends, and its data."""
    random, n = np.random.default_rng(0), 200
    data = pd.DataFrame(
        {
            "income": random.integers(1000, 6000, n),
            "debt": random.integers(0, 3000, n) / 2,
            "job": random.choice(["clerk", "nurse", "cook"], n),
        }
    )
    granted = np.where(data["income"] - data["debt"] > 2800, "yes", "no")
    columns = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    return make_pipeline(columns, LogisticRegression(max_iter=2000)).fit(data, granted), data


@pytest.fixture(scope="session")
def handler(lender: tuple[Any, pd.DataFrame]) -> Handler:
    """The model with its data and a rule."""
    model, data = lender
    explainer = Explainer(model, data=data, rules=["debt only decreases"])
    return Handler(explainer, Limits(rows=20, batch_rows=50, k=5, rules=10))


Serve = Callable[..., TestClient]


@pytest.fixture
def pool(handler: Handler) -> StandIn:
    return StandIn(handler)


@pytest.fixture
def serve(pool: StandIn, tmp_path: Path) -> Iterator[Serve]:
    """Makes a client of a front with some settings."""
    with ExitStack() as ending:

        def served(*, record: bool = False, **settings: Any) -> TestClient:
            config = Config({"loans": Demo(), "other": Demo()}, **settings)
            journal = Journal(open_store(tmp_path / "records.db")) if record else None
            app = create_app(config, pool, journal)
            client = TestClient(app, base_url="http://localhost", raise_server_exceptions=True)
            ending.enter_context(client)
            if journal is not None:
                ending.callback(lambda: client.portal and client.portal.call(journal.close))
            return client

        yield served


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()


def until(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()
