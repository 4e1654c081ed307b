"""How tests ask an app about its jobs, in one event loop."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .standing import StandIn, app_of, rows_of


class Asking(httpx.AsyncClient):
    """Asks an app about its jobs."""

    def __init__(self, app: Any) -> None:
        super().__init__(transport=httpx.ASGITransport(app), base_url="http://here")
        self.app = app

    async def submit(self, count: int = 30, **more: Any) -> str:
        reply = await self.post("/v1/jobs", json={"rows": rows_of(count), **more})
        assert reply.status_code == 202, reply.text
        return str(reply.json()["id"])

    async def state(self, name: str) -> Any:
        return (await self.get(f"/v1/jobs/{name}")).json()

    async def until(self, name: str, *states: str) -> Any:
        end = time.monotonic() + 20
        while (found := await self.state(name))["state"] not in states:
            assert time.monotonic() < end, found
            await asyncio.sleep(0.01)
        return found

    async def result(self, name: str) -> pa.Table:
        reply = await self.get(f"/v1/jobs/{name}/result")
        assert reply.status_code == 200, reply.text
        return pq.read_table(io.BytesIO(reply.content))


@asynccontextmanager
async def living(folder: Path, pool: Any = None, **options: Any) -> AsyncIterator[Asking]:
    app = app_of(folder, StandIn() if pool is None else pool, **options)
    async with app.router.lifespan_context(app), Asking(app) as asking:
        yield asking


def asynchronous(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that asyncio runs."""

    def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        needed = {"tmp_path": tmp_path, "monkeypatch": monkeypatch}
        names = test.__code__.co_varnames[: test.__code__.co_argcount]
        asyncio.run(test(**{name: needed[name] for name in names}))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run
