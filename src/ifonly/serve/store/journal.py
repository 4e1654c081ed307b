"""The one writer of a store: what waits together is written in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ifonly.contract import DecisionRecord
from ifonly.serve.store.entry import Head, Kept, Written
from ifonly.serve.store.store import Part, Store

Result = TypeVar("Result")


class Journal:
    """A `Store` for an event loop: its calls are made in a thread, one after the other.

    Parameters
    ----------
    store
        Where records go.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, "ifonly-journal")
        self._waiting: list[tuple[Part, asyncio.Future[Written]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def append(
        self, records: Sequence[DecisionRecord], *, reply: Kept | None = None
    ) -> Written:
        """As `Store.append`. What waits meanwhile is written at once; a reply may be cancelled,
        and its records are written all the same.
        """
        future: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        self._waiting.append(((records, reply), future))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await asyncio.shield(future)

    async def replay(self, token: str, key: str, request_hash: str) -> Kept | None:
        """As `Store.replay`."""
        return await self._call(self.store.replay, token, key, request_hash)

    async def head(self) -> Head:
        """As `Store.head`."""
        return await self._call(self.store.head)

    async def close(self) -> None:
        """Write what waits, and close the store."""
        if self._writing is not None:
            await self._writing
        await self._call(self.store.close)
        self._thread.shutdown()

    async def _write(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            written: Sequence[Written | Exception]
            try:
                written = await self._call(self.store.append_all, [part for part, _ in waiting])
            except Exception as error:
                written = [error] * len(waiting)
            for (_, future), done in zip(waiting, written, strict=True):
                if future.cancelled():
                    continue
                if isinstance(done, Written):
                    future.set_result(done)
                else:
                    future.set_exception(done)
                    future.exception()  # whoever asked may have hung up

    async def _call(self, function: Callable[..., Result], *args: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)
