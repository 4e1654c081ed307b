"""`ifonly mcp` as a process that speaks over stdin and stdout, asked by the official client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pandas as pd
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from ifonly.contract import Handler

from .asking import ROW, command


def test_an_agent_gets_the_answers_of_explain_whatever_the_model_prints(
    folder: Path, handler: Handler, tmp_path: Path
) -> None:
    arguments, more = command(folder)
    server = StdioServerParameters(command=sys.executable, args=arguments, env=more, cwd=folder)
    question: dict[str, Any] = {"rows": [ROW], "k": 3, "rules": ["job fixed"]}

    async def run(log: Any) -> Any:
        async with Client(stdio_client(server, errlog=log), mode="legacy") as client:
            tools = await client.list_tools()
            refused = await client.call_tool("explain", {**question, "k": "3"})
            return tools, refused, await client.call_tool("explain", question)

    with (tmp_path / "log").open("w") as log:
        tools, refused, result = anyio.run(run, log)
    answers = handler.explainer.explain(pd.DataFrame([ROW]), k=3, rules=["job fixed"])
    assert len(tools.tools) == 7
    assert refused.is_error
    ways = result.structured_content["rows"][0]["answers"]
    assert [way["sentence"] for way in ways] == answers.sentences()[0]
    assert [way["price"] for way in ways] == answers.frame()["price"].tolist()
    said = (tmp_path / "log").read_text()
    assert "loading the model" in said
    assert "asked about" in said
    assert "from compiled code" in said


def test_a_signal_ends_it_and_stdout_has_nothing_but_the_protocol(folder: Path) -> None:
    arguments, more = command(folder)
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **more},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("this is not JSON\n")
            ping = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}
            process.stdin.write(json.dumps(ping) + "\n")
            process.stdin.flush()
            line = json.loads(process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 143
        finally:
            process.kill()
    assert line["jsonrpc"] == "2.0"
