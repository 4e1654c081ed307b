"""A model whose files change is opened again, and no request notices more than new answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ifonly.serve.open import ModelFile

from .asking import Lender, asked, content, question, running, write_model


def test_a_model_is_replaced_under_load(source: ModelFile, run: Callable[..., Any]) -> None:
    bodies = [question(i) for i in range(4)]
    known: dict[str, list[Any]] = {}

    def note(model: Lender) -> None:
        write_model(source.path, model)
        replies = [content(source.load().respond("explain", body)[1]) for body in bodies]
        known[replies[0]["fingerprints"]["model"]] = replies

    note(Lender(shift=5.0))
    note(Lender())
    seen: list[str] = []
    over = False

    async def client(pool: Any, i: int) -> None:
        while not over:
            said = await pool.ask(asked(bodies[i]))
            reply = content(said.body)
            assert said.status == 200
            seen.append(reply["fingerprints"]["model"])
            assert reply == known[seen[-1]][i], "the answers of the model that it names"

    async def load() -> None:
        nonlocal over
        async with running(source, every=0.05) as pool:
            clients = [asyncio.ensure_future(client(pool, i)) for i in range(4)]
            await until(lambda: len(seen) > 4)
            old = seen[0]
            write_model(source.path, Lender(shift=5.0))
            await until(lambda: len(seen) > 4 and old not in seen[-8:])
            source.path.write_bytes(b"half of a mod")
            await until(lambda: bool(pool.failing))
            assert "m" in pool.failing
            assert pool.ready("m")
            before = len(seen)
            await until(lambda: len(seen) > before + 8)
            write_model(source.path, Lender())
            await until(lambda: old in seen[-1:] and not pool.failing)
            over = True
            await asyncio.gather(*clients)

    run(load())


async def until(true: Callable[[], bool]) -> None:
    """Wait for something."""
    while not true():
        await asyncio.sleep(0.01)
