"""A server of tools over one model, on stdin and stdout or over HTTP.

A search runs in a thread, so that the protocol goes on; the limits of the handler end it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
)

from ifonly.contract import Handler
from ifonly.errors import nearest
from ifonly.mcp.tools import TOOLS, in_words, in_words_of_problem, tools_of

INSTRUCTIONS = (
    "These tools explain the decisions of one model. Report only what they reply: the sentences, "
    "and the status and evidence that come with them."
)


def server_of(handler: Handler) -> Server[Any]:
    """The tools of a model, for any transport."""
    tools = tools_of(handler)
    marks = handler.fingerprints.model_dump()
    turns = anyio.CapacityLimiter(1)

    async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in TOOLS:
            hint = nearest(params.name, TOOLS)
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r:.60}. {hint}".strip())
        route, _ = TOOLS[params.name]
        ask = partial(handler.respond, route, params.arguments or {})
        status, text = await anyio.to_thread.run_sync(ask, abandon_on_cancel=True, limiter=turns)
        return _result(route, status, json.loads(text), marks)

    return Server(
        "ifonly",
        version=version("ifonly"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(
    route: str, status: int, reply: dict[str, Any], marks: dict[str, str]
) -> CallToolResult:
    """A reply with its evidence, or a problem, as the result of a tool."""
    reply = {"fingerprints": marks} | reply if status == 200 else reply
    text = in_words(route, reply) if status == 200 else in_words_of_problem(reply)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=reply,
        is_error=status != 200,
    )


def serve_stdio(load: Callable[[], Handler]) -> None:
    """Serve on stdin and stdout until stdin ends.

    Nothing else reaches stdout: what the model prints goes to stderr.
    """
    with _stdout_kept():
        server = server_of(load())

    async def run() -> None:
        async with stdio_server() as (read, write):
            with redirect_stdout(sys.stderr):
                await server.run(read, write, server.create_initialization_options())

    for number in (signal.SIGINT, signal.SIGTERM):  # a thread that reads stdin would not end
        signal.signal(number, lambda number, frame: os._exit(128 + number))
    anyio.run(run)


def serve_http(load: Callable[[], Handler], *, host: str, port: int, tokens: Any = None) -> None:
    """Serve over HTTP at /mcp until a signal ends it."""
    import uvicorn

    app = server_of(load()).streamable_http_app(host=host, stateless_http=True)
    uvicorn.run(app, host=host, port=port, log_level="warning")


@contextmanager
def _stdout_kept() -> Iterator[None]:
    """What is written to stdout inside goes to stderr, also by compiled code."""
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(own, 1)
        os.close(own)
