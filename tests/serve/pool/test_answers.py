"""Requests are answered by processes, in batches, with the answers of `Explainer.explain`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ifonly.contract import row_hash
from ifonly.errors import FileError
from ifonly.serve.exchange import SCHEMAS
from ifonly.serve.open import ModelFile

from .asking import asked, content, question, running


def test_many_at_once_have_the_answers_that_each_has_alone(
    source: ModelFile, run: Callable[[Any], Any]
) -> None:
    handler = source.load()
    bodies = [question(i % 9, k=1 + i % 2) for i in range(24)] + [b"{", b'{"rows": [{}]}']

    async def ask_all() -> Any:
        async with running(source) as pool:
            assert pool.ready("m")
            schemas = await pool.ask(replace(asked(b""), route=SCHEMAS))
            assert json.loads(schemas.body).keys() == handler.schemas().keys()
            return await asyncio.gather(*(pool.ask(asked(body)) for body in bodies))

    said = run(ask_all())
    for body, one in zip(bodies, said, strict=True):
        status, text = handler.respond("explain", body)
        assert (one.status, content(one.body)) == (status, content(text))
    assert max(one.facts["together"] for one in said) > 3
    calls = sum(one.facts["model_rows"] for one in said)
    assert calls > 24 * 10, "what the model was asked is counted, and shared among the requests"


def test_records_and_facts_come_with_the_reply(
    source: ModelFile, run: Callable[[Any], Any]
) -> None:
    async def ask() -> Any:
        async with running(source, workers=1) as pool:
            return await asyncio.gather(
                *(pool.ask(asked(question(i, reasons=i > 1), record=True)) for i in (1, 2))
            )

    for income, said in zip((1, 2), run(ask()), strict=True):
        (record,), row = said.records, json.loads(question(income))["rows"][0]
        assert (record.row, record.row_hash) == (row, row_hash(row, b"secret"))
        assert (record.status, record.reproducible) == ("found", True)
        told = [one.feature for one in record.reasons]
        assert told == (["income", "debt"] if income > 1 else [])
        assert said.facts["rows"] == 1
        assert said.facts["statuses"] == {"found": 1}


def test_a_model_that_cannot_be_opened_is_an_error_at_the_start(
    source: ModelFile, run: Callable[[Any], Any]
) -> None:
    source.path.write_bytes(b"no model")

    async def start() -> None:
        async with running(source, workers=1):
            pass

    with pytest.raises(FileError):
        run(start())


def test_jobs_wait_for_others_and_leave_them_a_worker(
    source: ModelFile, run: Callable[[Any], Any]
) -> None:
    order: list[str] = []

    async def ask() -> None:
        async with running(source) as pool:

            async def one(name: str, body: bytes, **options: Any) -> None:
                assert (await pool.ask(asked(body, **options))).status == 200
                order.append(name)

            parts = [one("job", question(1, "slow"), background=True) for _ in range(3)]
            jobs = asyncio.gather(*parts)
            await asyncio.sleep(0.05)
            assert pool.queued == 2, "one worker is left free"
            await asyncio.gather(*(one("user", question(i)) for i in range(5)))
            await jobs

    run(ask())
    assert order[:5].count("user") >= 4


def test_requests_with_many_rows_leave_others_a_worker(
    source: ModelFile, run: Callable[[Any], Any]
) -> None:
    many = json.loads(question(1, "slow"))
    many = json.dumps({**many, "rows": many["rows"] * 70}).encode()

    async def ask() -> None:
        async with running(source) as pool:
            large = asyncio.gather(*(pool.ask(asked(many)) for _ in range(2)))
            await asyncio.sleep(0.05)
            assert pool.queued == 1, "one worker is left free"
            assert (await pool.ask(asked(question(2)))).status == 200
            assert not large.done()
            assert [one.status for one in await large] == [200, 200]

    run(ask())


def test_a_pool_that_stops_answers_what_it_has_taken(
    source: ModelFile, run: Callable[[Any], Any]
) -> None:
    async def stop() -> None:
        async with running(source, workers=1) as pool:
            tasks = [asyncio.ensure_future(pool.ask(asked(question(i, "slow")))) for i in range(3)]
            await asyncio.sleep(0.1)
            stopping = asyncio.ensure_future(pool.stop(20.0))
            await asyncio.sleep(0)
            assert not pool.ready("m")
            assert (await pool.ask(asked(question(1)))).status == 503
            assert [one.status for one in await asyncio.gather(*tasks)] == [200] * 3
            await stopping

    run(stop())


def test_a_worker_without_work_takes_over_what_another_has_not_begun(
    source: ModelFile, run: Callable[..., Any]
) -> None:
    order: list[int] = []

    async def ask() -> None:
        async with running(source, window=0.05) as pool:

            async def one(k: int, customer: str = "") -> None:
                assert (await pool.ask(asked(question(1, customer, k=k)))).status == 200
                order.append(k)

            first = asyncio.ensure_future(one(9))  # has one worker
            await asyncio.sleep(0.02)
            assert not pool.queued
            await asyncio.gather(one(1, "slower"), *(one(k) for k in range(2, 6)), first)

    run(ask())
    assert order.index(1) >= 3, "those behind the slow one did not wait for it"
