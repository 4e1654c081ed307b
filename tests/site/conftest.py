"""The built site, served on this machine. `make docs` builds it and says where it lies."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.page.conftest import CHROMIUM, NO_NETWORK

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Site:
    """The folder of a built site, and the address at which it is served."""

    folder: Path
    address: str

    @property
    def pages(self) -> list[str]:
        """Every page, by its path."""
        found = (one.relative_to(self.folder).as_posix() for one in self.folder.rglob("*.html"))
        return sorted(found)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing about it."""

    def log_message(self, *arguments: object) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The site that `make docs` has built."""
    if "IFONLY_SITE" not in os.environ:
        pytest.skip("no site: `make docs` builds it and runs these tests")
    folder = ROOT / os.environ["IFONLY_SITE"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Site(folder, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without another host; without a GPU, which would only be imitated here."""
    if CHROMIUM is None:
        pytest.skip("no chromium here: apt-get install chromium brings Debian's")
    with sync_playwright() as playwright:
        args = [*NO_NETWORK, "--disable-gpu"]
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        yield opened
        opened.close()
