"""Records are written before the reply is sent; where they cannot be, there is no reply."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.serve.front.conftest import ROW, Serve, StandIn, record, until

from ifonly.errors import StoreError
from ifonly.serve.store import Kept, KeyReused, Store, Written, open_store
from ifonly.serve.store.journal import Journal

ASKED = {"rows": [ROW, ROW], "k": 1}


@pytest.fixture
def recorded(serve: Serve) -> TestClient:
    return serve(record=True)


def test_every_row_explained_is_recorded(recorded: TestClient) -> None:
    assert recorded.get("/v1/records/head").json() == {"count": 0, "hash": "0" * 64}
    assert recorded.post("/v1/explain", json=ASKED).status_code == 200
    assert recorded.get("/v1/records/head").json()["count"] == 2
    assert recorded.post("/v1/predict", json={"rows": [ROW]}).status_code == 200
    assert recorded.post("/v1/explain", json={"rows": [{}]}).status_code == 422
    assert recorded.get("/v1/records/head").json()["count"] == 2


def test_a_request_with_a_key_is_answered_once(recorded: TestClient, pool: StandIn) -> None:
    head = {"Idempotency-Key": "one"}
    first = recorded.post("/v1/explain", json=ASKED, headers=head)
    again = recorded.post("/v1/explain", json=ASKED, headers=head)
    assert again.content == first.content
    assert len(pool.asks) == 1
    assert recorded.get("/v1/records/head").json()["count"] == 2
    other = recorded.post("/v1/explain", json={"rows": [ROW]}, headers=head)
    assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key")
    for bad in ("", "a b", "x" * 201):
        said = recorded.post("/v1/explain", json=ASKED, headers={"Idempotency-Key": bad})
        assert said.status_code == 422


def test_the_same_key_twice_at_once_is_a_conflict(recorded: TestClient, pool: StandIn) -> None:
    pool.held = True
    head = {"Idempotency-Key": "one"}
    with ThreadPoolExecutor(2) as threads:
        calls = [
            threads.submit(recorded.post, "/v1/explain", json=ASKED, headers=head) for _ in range(2)
        ]
        assert until(lambda: any(call.done() for call in calls))
        pool.held = False
    assert sorted(call.result().status_code for call in calls) == [200, 409]
    assert recorded.get("/v1/records/head").json()["count"] == 2


def test_where_the_store_fails_nothing_is_explained(
    recorded: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Store, parts: Any) -> Any:
        raise StoreError("The disk is full: /var/records.db.")

    head = {"Idempotency-Key": "one"}
    with monkeypatch.context() as failing:
        failing.setattr(Store, "append_all", full)
        said = recorded.post("/v1/explain", json=ASKED, headers=head)
        assert (said.status_code, said.headers["retry-after"]) == (503, "5")
        assert "answers" not in said.text
        assert "records.db" not in said.text
        assert recorded.post("/v1/predict", json={"rows": [ROW]}).status_code == 200
    assert recorded.post("/v1/explain", json=ASKED, headers=head).status_code == 200
    assert recorded.get("/v1/records/head").json()["count"] == 2


def test_what_waits_together_is_written_together(tmp_path: Path) -> None:
    class Slow(Store):
        calls = 0

        def append_all(self, parts: Any) -> Any:
            Slow.calls += 1
            gate.wait(5)
            return super().append_all(parts)

    gate = threading.Event()
    open_store(tmp_path / "r.db").close()
    store = Slow(open_store(tmp_path / "r.db").database)

    async def write() -> list[Any]:
        journal = Journal(store)
        appends = [asyncio.create_task(journal.append([record(ROW)])) for _ in range(20)]
        kept = Kept("k", "t", "h1", 200, b"{}")
        first = asyncio.create_task(journal.append([record(ROW)], reply=kept))
        other = Kept("k", "t", "h2", 200, b"{}")
        second = asyncio.create_task(journal.append([record(ROW)], reply=other))
        await asyncio.sleep(0.05)
        appends[3].cancel()  # whoever hangs up now is recorded all the same
        gate.set()
        done = await asyncio.gather(*appends, first, second, return_exceptions=True)
        head = await journal.head()
        await journal.close()
        return [*done, head.count]

    *done, count = asyncio.run(write())
    assert Slow.calls <= 2
    assert sum(isinstance(one, Written) for one in done) == 20
    assert isinstance(done[-1], KeyReused)
    assert count == 21


def test_a_client_that_hangs_up_stops_its_search(serve: Serve, pool: StandIn) -> None:
    from ifonly.serve.app import create_app
    from ifonly.serve.config import Config
    from ifonly.serve.open import Demo

    pool.held = True
    app = create_app(Config({"loans": Demo()}), pool)
    body = json.dumps(ASKED).encode()
    messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        assert message.get("status", 499) == 499

    head = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/explain", "headers": head}
    scope |= {"query_string": b"", "http_version": "1.1", "scheme": "http"}
    asyncio.run(asyncio.wait_for(app(scope, receive, send), 5))  # type: ignore[arg-type]
    assert pool.cancelled == 1
