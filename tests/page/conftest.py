"""A real browser before real servers, and hands that use a page: a mouse, a keyboard, a finger.

Every page is watched: a test fails where anything is asked of another origin, where the console has
an error, or where a dialog opens.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import joblib
import pytest
import uvicorn
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, sync_playwright
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tests.serve.front.conftest import StandIn

from ifonly.contract import Handler
from ifonly.datasets import load
from ifonly.datasets.demo import APPLICANT, PAGE_LABELS, demo_model
from ifonly.serve.app import create_app
from ifonly.serve.config import Config
from ifonly.serve.open import Demo
from ifonly.serve.run import bound

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
NO_NETWORK = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-sandbox"]
SIZES = {"mouse": (1280, 900), "keyboard": (1280, 900), "phone": (360, 740)}
SECONDS = 15_000
"""How many milliseconds something may take to appear, on a busy machine."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, for which no name but that of this machine can be looked up.

    It ends with its module: while it runs, this process can run no other event loop.
    """
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt-get install chromium brings Debian's")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=NO_NETWORK)
        yield opened
        opened.close()


@dataclass
class Watched:
    """A page, and what it did that it must not do."""

    page: Page
    origin: str
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda one: self._request(one.url))
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on("dialog", self._dialog)

    def _request(self, url: str) -> None:
        self.asked.append(url)
        if not url.startswith((f"{self.origin}/", "blob:", "data:")):
            self._note(f"asked {url}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note(message.text)

    def _dialog(self, dialog: Dialog) -> None:
        self._note("dialog")
        dialog.dismiss()

    def _note(self, text: str) -> None:
        if "ERR_ABORTED" not in text:  # a question that a newer one replaced
            self.wrong.append(text)


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens an address in a page of some size; what it did wrong fails the test at its end."""
    with ExitStack() as ending:
        opened: list[Watched] = []

        def visited(address: str, hand: str = "mouse", **options: Any) -> Page:
            width, height = SIZES[hand]
            context = browser.new_context(
                viewport={"width": width, "height": height},
                has_touch=hand == "phone",
                is_mobile=hand == "phone",
                **{"locale": "en-GB", "reduced_motion": "reduce", **options},
            )
            ending.callback(context.close)
            context.set_default_timeout(SECONDS)
            page = context.new_page()
            origin = re.match(r"https?://[^/]+", address)
            assert origin is not None
            opened.append(Watched(page, origin[0]))
            page.goto(address)
            return page

        yield visited
        assert [one.wrong for one in opened if one.wrong] == []


@dataclass
class Hand:
    """Somebody who uses a page in one way."""

    page: Page
    kind: str

    def press(self, what: Locator) -> None:
        """Press a button, or tick a box."""
        if self.kind == "keyboard":
            self.reach(what)
            box = what.get_attribute("type") in ("checkbox", "radio")
            self.page.keyboard.press("Space" if box else "Enter")
        elif self.kind == "phone":
            what.tap()
        else:
            what.click()

    def tick(self, what: Locator) -> None:
        """Choose one of several radio buttons."""
        if self.kind == "keyboard":
            self.reach(what.locator("xpath=ancestor::fieldset").locator("input:checked"))
            for _ in range(5):
                if not what.is_checked():
                    self.page.keyboard.press("ArrowDown")
        else:
            self.press(what)

    def choose(self, what: Locator, label: str) -> None:
        """Choose an option of a list."""
        if self.kind == "keyboard":
            self.reach(what)
            self.page.keyboard.type(label)
        else:
            what.select_option(label=label)

    def write(self, what: Locator, text: str) -> None:
        """Write into a field, in place of what it has."""
        if self.kind == "keyboard":
            self.reach(what)
            self.page.keyboard.press("Control+a")
            self.page.keyboard.type(text)
            self.page.keyboard.press("Tab")
        else:
            what.fill(text)
            what.blur()

    def reach(self, what: Locator) -> None:
        """Move the focus to something by the Tab key alone."""
        what.wait_for(state="attached")
        for _ in range(600):
            if what.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {what}")


@pytest.fixture(params=["mouse", "keyboard", "phone"])
def kind(request: pytest.FixtureRequest) -> str:
    """How the page is used."""
    return str(request.param)


@dataclass(frozen=True)
class Site:
    """A running server with a page, and the model of its user in this process."""

    address: str
    model: Any
    rows: Any
    labels: dict[Any, str]
    names: dict[str, str]
    """The column of each label."""

    @property
    def row(self) -> Any:
        """The row that is shown first."""
        return self.rows.iloc[0]


@contextmanager
def command(*arguments: str, **environment: str) -> Iterator[tuple[str, Any]]:
    """The address that a command prints, and its process; SIGINT ends it at last."""
    run = [sys.executable, "-m", "ifonly", *arguments]
    pipe: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(run, env=os.environ | environment, **pipe) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://\S+", line)
            assert found, process.stderr.read() if process.stderr else ""
            yield found[0], process
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


@pytest.fixture(scope="package")
def forest() -> Iterator[Site]:
    """`ifonly page` over a forest on Adult, from files."""
    train, test = load("adult").split()
    known, outcome = train.features[:4000], train.outcome[:4000]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), list(train.categorical)), remainder="passthrough"
    )
    model = make_pipeline(encode, RandomForestClassifier(50, random_state=0, max_leaf_nodes=200))
    model.fit(known, outcome)
    rows = test.features[:200]
    rows = rows[model.predict(rows) == 0][:20]
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("lender.joblib", "train.csv", "rows.csv")]
        joblib.dump(model, paths[0])
        known.to_csv(paths[1], index=False)
        rows.to_csv(paths[2], index=False)
        options = ["--row", "0", "--workers", "1", "--no-browser", "--trust-pickle"]
        files = [paths[0], "--data", paths[1], "--rows", paths[2]]
        rules = ["--rule", "race fixed", "--rule", "gender fixed"]
        with command("page", *files, *rules, *options) as (address, _):
            yield Site(
                address, model, rows, {0: "0", 1: "1"}, {str(name): str(name) for name in rows}
            )


@pytest.fixture(scope="package")
def lender() -> Iterator[Site]:
    """`ifonly demo --page`."""
    with command("demo", "--page", "--no-browser") as (address, _):
        model, _, test = demo_model()
        rows, classes = test.features.loc[[APPLICANT]], {one: PAGE_LABELS[one] for one in (0, 1)}
        names = {PAGE_LABELS[str(name)]: str(name) for name in rows}
        yield Site(address, model, rows, classes, names)


@contextmanager
def served(handler: Handler, start: dict[str, Any]) -> Iterator[str]:
    """The address of a page over a handler of this process."""
    app = create_app(Config({"own": Demo()}, start=start), StandIn(handler))
    with bound("127.0.0.1", 0) as listening:
        settings = uvicorn.Config(app, lifespan="off", ws="none", log_config=None)
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join(10)


def until_file(path: Path, seconds: float = 10.0) -> str:
    """The content of a file, once it is there."""
    end = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return path.read_text()
