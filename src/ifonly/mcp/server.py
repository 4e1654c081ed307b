"""A server of tools over one model, on stdin and stdout or over HTTP.

A search runs in a thread, so that the protocol goes on meanwhile. The limits of the handler end it,
and so does a client that cancels the call or hangs up.
"""

from __future__ import annotations

import os
import signal
import sys
import time
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

from ifonly.contract import Handler, Refused
from ifonly.errors import nearest
from ifonly.mcp.tools import TOOLS, in_words, in_words_of_problem, tools_of
from ifonly.models.pace import Watch
from ifonly.serve.exchange import Sight
from ifonly.serve.sight import seen
from ifonly.serve.tokens import ANYONE, Spent
from ifonly.solve.watched import new_watch

INSTRUCTIONS = (
    "These tools explain the decisions of one model. Report only what they reply: the sentences, "
    "and the status and evidence that come with them."
)


def server_of(handler: Handler, spent: Spent | None = None) -> Server[Any]:
    """The tools of a model, for any transport; `spent` counts the rows of tokens with a quota."""
    tools = tools_of(handler)
    turns = anyio.CapacityLimiter(1)

    async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in TOOLS:
            hint = nearest(params.name, TOOLS)
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r:.60}. {hint}".strip())
        token = ANYONE if ctx.request is None else ctx.request.state.token
        rows = (params.arguments or {}).get("rows")
        if spent is not None and isinstance(rows, list):
            spent.take(token, max(0, len(rows) - 1))  # one was taken for the request
        answer = partial(_answer, handler, params, token.sight)
        watch = Watch()
        new_watch.set(lambda: watch)  # the thread has a copy of this context
        try:
            return await anyio.to_thread.run_sync(answer, abandon_on_cancel=True, limiter=turns)
        finally:
            watch.ended = time.monotonic()  # a search that nobody waits for ends

    return Server(
        "ifonly",
        version=version("ifonly"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _answer(handler: Handler, params: CallToolRequestParams, sight: Sight) -> CallToolResult:
    """A reply with its evidence, as somebody may see it; or what is wrong with the call."""
    route, _ = TOOLS[params.name]
    marks = {"fingerprints": handler.fingerprints.model_dump()}
    try:
        reply = seen(handler.answer(route, params.arguments or {}), sight)
    except Refused as refused:
        problem = refused.problem.model_dump(mode="json")
        return _result(in_words_of_problem(problem), problem, is_error=True)
    content = marks | reply.model_dump(mode="json")
    return _result(in_words(route, content), content)


def _result(text: str, content: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    """What a tool returns: words, and the same as JSON."""
    words = TextContent(type="text", text=text)
    return CallToolResult(content=[words], structured_content=content, is_error=is_error)


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
