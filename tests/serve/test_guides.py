"""The examples of the guides on servers run as they are written, against real ones."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp.client.stdio
import pytest
import typer
import yaml

from ifonly.cli.app import app
from ifonly.serve.config import read_config

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guides"
EXAMPLE = re.compile(r"```python\n(.*?)```\n```text\n(.*?)```\n", re.DOTALL)
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
HERE = "127.0.0.1:8000"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Host and port of the server of the first command, on a free port."""
    command = [sys.executable, "-m", "ifonly", "serve", "--demo", "--port", "0", "--workers", "1"]
    command += ["--jobs", str(tmp_path_factory.mktemp("jobs"))]
    quiet: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    process = subprocess.Popen(command, **quiet)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split("//")[-1].strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.mark.parametrize("page", [ROOT / "README.md", GUIDES / "serve.md"], ids=lambda p: p.name)
def test_curl_gets_the_sentences_that_are_shown(page: Path, address: str) -> None:
    text = page.read_text(encoding="utf-8")
    (command,) = (one for one in CONSOLE.findall(text) if one.startswith("curl"))
    shown = re.search(r"```text\n((?:If only .*\n)+)```", text)
    done = subprocess.run(
        ["bash", "-c", command.replace(HERE, address)], capture_output=True, text=True, check=True
    )
    ways = json.loads(done.stdout)["rows"][0]["answers"]
    assert shown is not None
    assert [way["sentence"] for way in ways] == shown[1].splitlines()


@pytest.mark.parametrize("name", ["serve.md", "ask-a-server.md"])
def test_the_client_of_a_guide_prints_what_is_shown(
    name: str, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run_examples(GUIDES / name, capsys, address)


def test_the_agent_of_the_guide_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    known = [*mcp.client.stdio.DEFAULT_INHERITED_ENV_VARS, "PYTHONPATH"]
    monkeypatch.setattr(mcp.client.stdio, "DEFAULT_INHERITED_ENV_VARS", known)
    run_examples(GUIDES / "agents.md", capsys)


def run_examples(page: Path, capsys: pytest.CaptureFixture[str], address: str = HERE) -> None:
    names: dict[str, Any] = {}
    examples = EXAMPLE.findall(page.read_text(encoding="utf-8"))
    assert examples
    for code, shown in examples:
        exec(code.replace(HERE, address), names)
        assert capsys.readouterr().out == shown
    assert all(status.answered for status in names["answers"].status)


def test_the_settings_of_the_guide_can_be_read(tmp_path: Path) -> None:
    text = (GUIDES / "serve.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (packed,) = re.findall(r"<<END\n(.*?)END\n", text, re.DOTALL)
    for settings in (written, packed):
        path = tmp_path / "service.toml"
        path.write_text(settings)
        assert read_config(path).tokens is not None


def test_the_commands_of_all_pages_have_options_that_exist() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    lines = "\n".join(CONSOLE.findall(text)).replace("\\\n", " ").splitlines()
    own = [line.removeprefix("$ ") for line in lines if line.removeprefix("$ ")[:7] == "ifonly "]
    commands = [shlex.split(re.split(r" >|  ", line, maxsplit=1)[0])[1:] for line in own]
    assert len(commands) > 20
    for command in commands:
        parse(command)


def parse(command: list[str]) -> None:
    """Read a command as typer does; an option that does not exist raises."""
    found: Any = typer.main.get_command(app)
    words = list(command)
    while hasattr(found, "commands"):  # 'ifonly batch rows/' is 'ifonly batch run rows/'
        found = found.commands[words.pop(0) if words[0] in found.commands else "run"]
    found.make_context("ifonly", words)


def steps(path: Path) -> list[tuple[str, str]]:
    """The instructions of a container file, each with what it says."""
    text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in lines if line.strip()]


def test_the_container_runs_the_service_as_an_ordinary_user() -> None:
    said = steps(ROOT / "Containerfile")
    images = [text.split()[0] for step, text in said if step == "FROM"]
    assert images == ["python:3.11-slim"] * 2
    copied = [text.split()[:-1] for step, text in said if step == "COPY" and "--from" not in text]
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    for name in (name for names in copied for name in names):
        assert (ROOT / name).exists()
        assert f"!{name}" in kept
    assert any("--constraint constraints.txt" in text for step, text in said if step == "RUN")
    last = dict(said[len(said) - said[::-1].index(("FROM", images[0])) :])
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", last["USER"])
    assert "/v2/health/ready" in last["HEALTHCHECK"]
    parse(json.loads(last["ENTRYPOINT"])[1:] + json.loads(last["CMD"]))


def test_the_services_of_the_compose_file_cannot_write_where_they_should_not() -> None:
    told = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    own, db = told["services"]["ifonly"], told["services"]["db"]
    for service in (own, db):
        assert service["read_only"] is True
        assert "no-new-privileges:true" in service["security_opt"]
        assert set(service["secrets"]) <= set(told["secrets"])
        assert set(service["networks"]) <= set(told["networks"])
        assert "password" not in json.dumps(service.get("environment", {})).replace(
            "/run/secrets/db_password", ""
        )
    assert own["cap_drop"] == ["ALL"]
    assert all(one.startswith("127.0.0.1:") for one in own["ports"])
    assert "ports" not in db
    assert told["networks"]["records"]["internal"] is True
    parse(["serve", *own["command"]])
    guide = (GUIDES / "serve.md").read_text(encoding="utf-8")
    for secret in told["secrets"].values():
        assert secret["file"].removeprefix("./") in guide
