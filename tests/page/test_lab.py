"""The widget in JupyterLab, in a real browser: a notebook is run, and its page is used."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page
from tests.page.conftest import SECONDS
from tests.page.screen import WAYS, word

pytest.importorskip("jupyterlab", reason="JupyterLab is large: `make lab` installs it")

CODE = """
import os
import pandas as pd
import psutil
import ifonly

data = pd.DataFrame({"income": range(10, 70), "job": ["cook", "nurse"] * 30})
model = ifonly.as_model(lambda f: (f["income"] > 40) | (f["job"] == "nurse") & (f["income"] > 25),
                        classes=["refused", "granted"])
explainer = ifonly.Explainer(model, data=data)
listening = lambda: len(psutil.Process().net_connections("tcp"))
before = listening()
page = explainer.page(data[:1], k=2, title="Loans")
print("ports opened:", listening() - before)
page
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook in a JupyterLab of its own."""
    cell = {"cell_type": "code", "source": CODE, "metadata": {}, "outputs": [], "id": "a"}
    cell["execution_count"] = None
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "page.ipynb").write_text(json.dumps(notebook))
    kinds = ("CONFIG", "DATA", "RUNTIME")
    own = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in kinds}
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    options += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    options += ["--LabApp.news_url=None", f"--notebook-dir={tmp_path}"]
    run = [sys.executable, "-m", "jupyterlab", *options]
    log = (tmp_path / "log").open("w")
    with log, subprocess.Popen(run, env=os.environ | own, stdout=log, stderr=log) as process:
        try:
            said = _server(tmp_path / "RUNTIME")
            yield f"{said['url']}lab/tree/page.ipynb?token={said['token']}"
        finally:
            process.send_signal(signal.SIGTERM)


def test_the_page_works_in_a_notebook_without_a_port(lab: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 1000}, locale="en-GB")
    page.set_default_timeout(4 * SECONDS)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(lab)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    for wait in (SECONDS, 4 * SECONDS):  # JupyterLab may take the focus away while it starts
        page.locator(".jp-Notebook .jp-CodeCell").first.click()
        page.keyboard.press("Shift+Enter")
        with suppress(Error):
            page.locator(".ifonly article.way").first.wait_for(timeout=wait)
            break
    page.locator(".ifonly article.way").first.wait_for()
    assert "ports opened: 0" in page.locator(".jp-OutputArea").first.inner_text()
    assert {name for way in ways(page) for name, _ in way["changes"]} == {"income", "job"}
    page.get_by_role("button", name=word("card.lock", label="job"), exact=True).click()
    page.locator("article.card.locked").wait_for()
    page.locator(".ifonly section[aria-busy=false]").first.wait_for()
    for way in ways(page):
        ((name, after),) = way["changes"]
        assert (name, way["outcome"], int(after) >= 41) == ("income", "granted", True)
    origin = lab.partition("/lab")[0]
    assert [url for url in asked if not url.startswith((origin, "data:", "blob:"))] == []
    page.close()


def ways(page: Page) -> list[dict[str, Any]]:
    """The ways on view."""
    shown: list[dict[str, Any]] = page.locator("article.way").evaluate_all(WAYS)
    return shown


def _server(folder: Path) -> Any:
    """What a server says of itself, once it runs."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for file in folder.glob("jpserver-*.json"):
            return json.loads(file.read_text())
        time.sleep(0.1)
    raise AssertionError("JupyterLab did not start")
