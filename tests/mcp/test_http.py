"""`ifonly mcp --http` as a process, asked by the official client and by others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pandas as pd
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from ifonly.contract import Handler
from ifonly.serve.tokens import new_token

from .asking import ROW, command, text_of


@pytest.fixture(scope="module")
def secrets() -> dict[str, str]:
    """The secrets of tokens by their names, filled by the server's fixture."""
    return {}


@pytest.fixture(scope="module")
def url(folder: Path, secrets: dict[str, str]) -> Iterator[str]:
    """The address of a server with two tokens: one sees scores, and one has a small quota."""
    lines = []
    for name, quota, scores in (("desk", "-", "full"), ("letter", "14/day", "hidden")):
        secrets[name], line = new_token(name, quota, scores)
        lines.append(line)
    (folder / "tokens.txt").write_text("\n".join(lines))
    arguments, more = command(folder)
    process = subprocess.Popen(
        [sys.executable, *arguments, "--http", "--port", "0", "--tokens", "tokens.txt"],
        cwd=folder,
        env={**os.environ, **more},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if line.startswith("Serving"))
        yield said.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=20)


def call(url: str, secret: str, name: str, **arguments: Any) -> Any:
    """The result of a tool, by a client with a token."""

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool(name, arguments)

    return anyio.run(run)


def test_the_answers_over_http_are_those_of_explain(
    url: str, secrets: dict[str, str], handler: Handler
) -> None:
    result = call(url, secrets["desk"], "explain", rows=[ROW], k=2, rules=["job fixed"])
    answers = handler.explainer.explain(pd.DataFrame([ROW]), k=2, rules=["job fixed"])
    ways = result.structured_content["rows"][0]["answers"]
    assert [way["sentence"] for way in ways] == answers.sentences()[0]
    assert [way["price"] for way in ways] == answers.frame()["price"].tolist()


def test_a_token_sees_what_it_may_and_no_more_rows_than_its_quota(
    url: str, secrets: dict[str, str]
) -> None:
    result = call(url, secrets["letter"], "explain", rows=[ROW], k=1)
    row = result.structured_content["rows"][0]
    assert row["score"] is None
    assert "(0." not in text_of(result)
    # Each client also asks what the server is and which tools it has: 3 requests, 3 with 9 rows.
    call(url, secrets["letter"], "what_if", rows=[ROW] * 9)
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Authorization": f"Bearer {secrets['letter']}"}
    reply = httpx.post(url, json=body, headers=headers)
    assert (reply.status_code, reply.json()["type"]) == (429, "urn:ifonly:problem:quota")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer guessed"}, 401),
        ({"Host": "elsewhere.example"}, 421),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_others_are_refused(
    url: str, secrets: dict[str, str], headers: dict[str, str], status: int
) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    own = {"Authorization": f"Bearer {secrets['desk']}", "Content-Type": "application/json"}
    reply = httpx.post(url, content=body, headers=own | headers)
    assert reply.status_code == status
    assert secrets["desk"] not in reply.text
