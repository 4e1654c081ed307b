"""Clients of the service in a process of their own, on one core: what they measure is the server.

It reads a task as JSON from stdin, and writes what it saw to stdout. Connections are kept, requests
are made once, and replies are read no further than needed. Only loopback is asked.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from itertools import count, cycle, islice
from typing import Any

HOST = "127.0.0.1"
CORE = 0
"""The core of the clients; the server may use all."""


class Limiter:
    """At most so many requests per second, of all who ask for a turn."""

    def __init__(self, rate: float) -> None:
        self.step, self.next = 1 / rate, time.monotonic()

    async def turn(self) -> None:
        """Wait for the next turn."""
        self.next = max(self.next + self.step, time.monotonic())
        await asyncio.sleep(self.next - time.monotonic())


def request(
    task: dict[str, Any], body: bytes, *, more: str = "", length: int | None = None
) -> bytes:
    """The bytes of a POST."""
    token = f"Authorization: Bearer {task['token']}\r\n" if task.get("token") else ""
    head = (
        f"POST {task['path']} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
        f"{token}{more}Content-Length: {len(body) if length is None else length}\r\n\r\n"
    )
    return head.encode() + body


async def reply(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status and the body of a reply."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0] or 0)
    return int(head[9:12]), await reader.readexactly(length)


async def steady(task: dict[str, Any], found: dict[str, Any], requests: Iterator[bytes]) -> None:
    """One client that asks again as soon as it has its reply, or when its turn has come."""
    reader, writer = await asyncio.open_connection(HOST, task["port"])
    limiter: Limiter | None = task.get("limiter")
    while time.monotonic() < task["end"]:
        if limiter is not None:
            await limiter.turn()
        if reader.at_eof():  # the server closes what was idle for long
            reader, writer = await asyncio.open_connection(HOST, task["port"])
        began = time.monotonic()
        if began > task["end"]:
            break
        try:
            writer.write(next(requests))
            status, body = await reply(reader)
        except (OSError, asyncio.IncompleteReadError) as error:
            found["errors"].append(type(error).__name__)
            reader, writer = await asyncio.open_connection(HOST, task["port"])
            continue
        found["replies"] += 1
        if status != 200:
            found["errors"].append(f"{status} {body[:200]!r}")
        elif task["start"] <= (now := time.monotonic()) <= task["end"]:
            found["seconds"].append(now - began)
    writer.close()


async def slow(task: dict[str, Any], found: dict[str, Any], requests: Iterator[bytes]) -> None:
    """A client whose body never arrives: one byte every half second."""
    while time.monotonic() < task["end"]:
        reader, writer = await asyncio.open_connection(HOST, task["port"])
        for byte in next(requests):
            if time.monotonic() > task["end"] or reader.at_eof():
                break
            writer.write(bytes([byte]))
            await asyncio.sleep(0.5)
        writer.close()


async def hang_up(task: dict[str, Any], found: dict[str, Any], requests: Iterator[bytes]) -> None:
    """A client that asks and leaves."""
    while time.monotonic() < task["end"]:
        await task["limiter"].turn()
        _, writer = await asyncio.open_connection(HOST, task["port"])
        writer.write(next(requests))
        await asyncio.sleep(0.01)
        writer.close()


async def flood(task: dict[str, Any], found: dict[str, Any], requests: Iterator[bytes]) -> None:
    """A client that asks on and on without waiting for replies."""
    while time.monotonic() < task["end"]:
        reader, writer = await asyncio.open_connection(HOST, task["port"])
        for one in islice(requests, 20):
            await task["limiter"].turn()
            if time.monotonic() > task["end"] or reader.at_eof():
                break
            writer.write(one)
        writer.close()


async def bomb(task: dict[str, Any], found: dict[str, Any], requests: Iterator[bytes]) -> None:
    """A client that sends what is meant to hurt."""
    for one in cycle(bombs(task)):
        await task["limiter"].turn()
        if time.monotonic() > task["end"]:
            return
        reader, writer = await asyncio.open_connection(HOST, task["port"])
        try:
            writer.write(one)
            status, _ = await asyncio.wait_for(reply(reader), 5)
            found["statuses"][status] = found["statuses"].get(status, 0) + 1
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass
        writer.close()


def bombs(task: dict[str, Any]) -> list[bytes]:
    """Deep nesting, a huge number, many keys, a compressed body, a false length, no JSON."""
    many = json.dumps({f"x{i}": i for i in range(20_000)}).encode()
    rows = json.loads(task["bodies"][0])["rows"]
    return [
        request(task, b"[" * 100_000),
        request(task, b'{"rows": ' + b"9" * 1_000_000 + b"}"),
        request(task, many),
        request(task, b"\x1f\x8b" + b"\0" * 1000, more="Content-Encoding: gzip\r\n"),
        request(task, b"{}", length=2**40),
        request(task, b"\xff\xfe\0{"),
        request(task, json.dumps({"rows": rows * 1000, "k": 20}).encode()),
        request(task, json.dumps({"rows": rows, "k": 10**9}).encode()),
    ]


KINDS = {one.__name__: one for one in (steady, slow, hang_up, flood, bomb)}


async def run(task: dict[str, Any]) -> dict[str, Any]:
    """What the clients of a task saw."""
    found: dict[str, Any] = {"seconds": [], "errors": [], "statuses": {}, "replies": 0}
    task["start"] = time.monotonic() + task.get("warm", 0)
    task["end"] = task["start"] + task["lasts"]
    if task.get("rate"):
        task["limiter"] = Limiter(task["rate"])
    made = [request(task, body.encode()) for body in task["bodies"]]
    clients = []
    for number, kind in zip(count(), [kind for kind, n in task["clients"] for _ in range(n)]):
        turned = [*made[number % len(made) :], *made[: number % len(made)]]
        clients.append(KINDS[kind](task, found, cycle(turned)))
    said = await asyncio.gather(*clients, return_exceptions=True)
    found["errors"] += [repr(one) for one in said if isinstance(one, BaseException)]
    return found


if __name__ == "__main__":
    os.sched_setaffinity(0, {CORE})
    print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
