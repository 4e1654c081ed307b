"""What agents get of the tools, by the official client in this process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import anyio
import pandas as pd
import pytest
from mcp import Client, MCPError
from mcp.types import CallToolResult

import ifonly
from ifonly.cli import main
from ifonly.contract import Handler
from ifonly.errors import MissingExtra
from ifonly.mcp import server_of

from .asking import ROW, text_of

Call = Callable[..., CallToolResult]


@pytest.fixture
def call(handler: Handler) -> Call:
    """What a call of a tool comes back with."""

    def ask(name: str, **arguments: Any) -> CallToolResult:
        async def run() -> CallToolResult:
            async with Client(server_of(handler)) as client:
                await client.list_tools()  # so that the client checks replies by their schemas
                return await client.call_tool(name, arguments)

        return anyio.run(run)

    return ask


def test_the_tools_have_the_columns_of_the_model(handler: Handler) -> None:
    async def run() -> Any:
        async with Client(server_of(handler)) as client:
            return await client.list_tools()

    tools = {tool.name: tool for tool in anyio.run(run).tools}
    assert list(tools) == [
        "describe_model",
        "check_rules",
        "explain",
        "reasons",
        "what_if",
        "why",
        "plan",
    ]
    for name in ("explain", "reasons", "what_if", "why", "plan"):
        assert tools[name].input_schema["$defs"]["Row"]["properties"] == {
            "age": {"type": "integer", "description": "From 18 to 69 in the data."},
            "income": {"type": "integer", "description": "From 1000 to 5900 in the data."},
            "job": {"enum": ["clerk", "nurse"]},
        }
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert all("fingerprints" in tool.output_schema["properties"] for tool in tools.values())


def test_explain_has_the_sentences_and_the_evidence(call: Call, handler: Handler) -> None:
    answers = handler.explainer.explain(pd.DataFrame([ROW]), k=2, rules=["job fixed"])
    result = call("explain", rows=[ROW], k=2, rules=["job fixed"])
    (row,) = result.structured_content["rows"]
    assert not result.is_error
    assert [way["price"] for way in row["answers"]] == answers.frame()["price"].tolist()
    assert result.structured_content["fingerprints"]["model"] == answers.record["model_fingerprint"]
    lines = text_of(result).split("\n")
    assert lines[0] == f"Row 0: found. The model says refused with a score of {row['score']:.3g}."
    assert lines[1:3] == [f"{i}. {one}" for i, one in enumerate(answers.sentences()[0], 1)]
    assert answers.record["rules_fingerprint"] in lines[-1]


def test_what_is_proved_is_said(call: Call) -> None:
    result = call("explain", rows=[ROW], k=1, certify=True)
    proof = result.structured_content["rows"][0]["certificate"]
    assert "Proved." in text_of(result) if proof["proved"] else "Not proved." in text_of(result)


def test_the_other_tools_say_in_words_what_they_reply(call: Call) -> None:
    way = call("explain", rows=[ROW], k=1).structured_content["rows"][0]["answers"][0]
    changes = {change["feature"]: change["after"] for change in way["changes"]}
    assert text_of(call("what_if", rows=[way["values"]])).startswith("Row 0: granted (granted: 0.")
    assert "  nurse: " in text_of(call("what_if", rows=[ROW], curve="job"))
    assert text_of(call("plan", row=ROW, changes=changes)).startswith("1. ")
    assert text_of(call("plan", row=ROW, changes={})).startswith("Nothing changes.")
    rules = ["age at most 20", "income onyl increases"]
    checked = text_of(call("check_rules", row=ROW, rules=rules))
    assert "Rule 0: age at most 20\n" in checked
    assert "Rule 1: not understood (at character 7)" in checked
    assert "Did you mean 'only'?" in checked
    assert "can satisfy all of: age only increases; age at most 20." in checked
    assert "age at most 20" in text_of(call("why", rows=[ROW], rules=rules[:1]))
    described = text_of(call("describe_model"))
    assert "decides between granted, refused." in described
    assert "income: continuous, from 1000 to 5900." in described
    assert "Rules in force: age only increases." in described


def test_a_row_without_ways_has_its_status_and_the_reason(call: Call) -> None:
    result = call("explain", rows=[ROW], rules=["age at most 20"])
    assert not result.is_error
    assert text_of(result).startswith("Row 0: infeasible. ")
    assert "'age at most 20'" in text_of(result)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({}, ["rows: This field is absent."]),
        ({"rows": [ROW], "j": 3}, ["j: There is no field 'j'."]),
        (
            {"rows": [{**ROW, "age": "30", "job": "nurs"}]},
            ["rows[0].age: '30' is not a number.", "rows[0].job: 'nurs' is not a known level."],
        ),
        ({"rows": [ROW], "rules": ["agee fixed"]}, ["rules[0]: ", "Did you mean 'age'?"]),
        ({"rows": [ROW], "target": "paid"}, ["target: The model has no class 'paid'."]),
        ({"rows": [ROW], "k": 100}, ["k: 100 answers per row are too many."]),
    ],
)
def test_a_call_that_is_refused_says_where_and_what_to_do(
    call: Call, arguments: dict[str, Any], lines: list[str]
) -> None:
    result = call("explain", **arguments)
    assert result.is_error
    assert result.structured_content["type"].startswith("urn:ifonly:problem:")
    for line in lines:
        assert line in text_of(result)


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(handler: Handler) -> None:
    async def run() -> None:
        async with Client(server_of(handler)) as client:
            with pytest.raises(MCPError, match=r"no tool 'explian'\. Did you mean 'explain'"):
                await client.call_tool("explian")

    anyio.run(run)


def test_a_search_does_not_block_the_protocol_and_ends_when_its_call_is_cancelled() -> None:
    frame = pd.DataFrame({"a": range(40), "b": range(40, 0, -1)})
    calls: list[int] = []

    def slow(rows: pd.DataFrame) -> Any:
        calls.append(len(rows))
        time.sleep(0.02)
        return rows["a"] * rows["b"] > 300

    model = ifonly.as_model(slow, classes=["no", "yes"])
    server = server_of(Handler(ifonly.Explainer(model, data=frame)))
    rows = frame.to_dict("records")

    async def run() -> None:
        async with Client(server) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "explain", {"rows": rows, "k": 20})
            before = len(calls)
            while len(calls) < before + 3:
                await anyio.sleep(0.01)
            assert len((await client.list_tools()).tools) == 7
            group.cancel_scope.cancel()
        asked = len(calls)
        async with Client(server) as client:
            result = await client.call_tool("describe_model")  # it waits for its turn
            assert not result.is_error
            assert len(calls) <= asked + 2

    anyio.run(run)


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ifonly.mcp", "ifonly.mcp.server", "ifonly.mcp.tools"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtra, match=r"ifonly\[mcp\]"):
        import_module("ifonly.mcp")


@pytest.mark.parametrize("arguments", [[], ["model.skops"]])
def test_without_a_model_the_command_says_what_to_give(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["mcp", *arguments])
    assert ended.value.code == 2
    assert "ifonly mcp --demo" in capsys.readouterr().err
    assert capsys.readouterr().out == ""
