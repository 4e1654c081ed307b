"""The page that is shipped is the one that its sources make, and speaks the contract."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
ASSETS = ROOT / "src" / "ifonly" / "page" / "assets"
NODE = (20, 19)
MOST = 100_000
"""The most bytes of the page as it is sent, compressed."""


@pytest.fixture(scope="module")
def tools() -> Path:
    """The folder of the build tools."""
    if (node := shutil.which("node")) is None:
        pytest.skip("Node is not installed")
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", said)[:2])) < NODE:
        pytest.skip(f"Node is {said.strip()}: the page is built by 20.19 or later")
    if not (folder := WEB / "node_modules" / ".bin").is_dir():
        pytest.skip("the build tools are not installed: run `npm --prefix web ci`")
    return folder


def run(*command: str | Path, stdin: str | None = None) -> str:
    """What a command says; its errors fail the test."""
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, input=stdin)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_shipped_files_are_those_that_the_sources_make(tools: Path, tmp_path: Path) -> None:
    run(tools / "vite", "build", "--logLevel", "error", "--outDir", tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shipped = {path.name: path.read_bytes() for path in ASSETS.iterdir()}
    assert sorted(made) == sorted(shipped) == ["icon.svg", "index.html", "page.css", "page.js"]
    assert [name for name in made if made[name] != shipped[name]] == [], "run `make web`"


def test_the_types_of_the_page_are_those_of_the_contract(tools: Path, tmp_path: Path) -> None:
    described = run(sys.executable, ROOT / "scripts" / "write_openapi.py")
    options = json.loads((WEB / "package.json").read_text())["scripts"]["types"].split()[1:-1]
    run(tools / "openapi-typescript", *options, tmp_path / "contract.d.ts", stdin=described)
    made = (tmp_path / "contract.d.ts").read_text()
    assert made == (WEB / "src" / "contract.d.ts").read_text(), "run `make web`"


def test_the_functions_of_the_page_pass_their_own_tests(tools: Path) -> None:
    run(tools / "vitest", "run")


def test_the_page_is_small_and_asks_nobody_else() -> None:
    files = {path.name: path.read_text() for path in ASSETS.iterdir()}
    assert sum(len(gzip.compress(text.encode(), 9)) for text in files.values()) <= MOST
    outside = ["http:", "https:", "//cdn", "@import", "url("]
    assert [mark for mark in outside if mark in files["page.css"] + files["index.html"]] == []
    assert "<style" not in files["index.html"]
    assert files["index.html"].count("<script") == files["index.html"].count('src="page/page.js"')
    assert "eval(" not in files["page.js"]
