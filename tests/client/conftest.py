"""A server of one handler on this machine, by the standard library alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import ifonly
from ifonly.client import Client
from ifonly.contract import Handler

from .models import FRAME, IRIS, SPECIES, granted

Said = tuple[int, str, dict[str, str]]


class Server:
    """What is asked of a handler, and what is said in its place first."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.first: list[Said | None] = []
        """Replies before those of the handler; None: the connection is closed without one."""
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        """The path, headers and body of each request."""
        outer = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append((self.path, dict(self.headers), body))
                said: Said | None
                if outer.first:
                    said = outer.first.pop(0)
                else:
                    said = (*outer.handler.respond(self.path.rpartition("/")[2], body), {})
                if said is None:
                    self.close_connection = True
                    return
                status, text, headers = said
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(text.encode()))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST  # noqa: N815

            def log_message(self, form: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Answer in a thread."""
        Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield
        finally:
            self.http.shutdown()
            self.http.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[[Handler], Server]]:
    """Starts servers of handlers, which end with the test."""
    with ExitStack() as started:

        def start(handler: Handler) -> Server:
            server = Server(handler)
            started.enter_context(server.running())
            return server

        yield start


@pytest.fixture(scope="session")
def mixed() -> ifonly.Explainer:
    order = {"grade": ["low", "mid", "high"]}
    space = ifonly.Space.infer(FRAME, ordinal=order, labels={"pay": "Income", 1: "granted"})
    model = ifonly.as_model(granted, classes=[0, 1])
    return ifonly.Explainer(model, data=FRAME, space=space, rules=["age only increases"])


@pytest.fixture(scope="session")
def forest() -> ifonly.Explainer:
    model = RandomForestClassifier(5, random_state=0).fit(IRIS, SPECIES)
    return ifonly.Explainer(model, data=IRIS)


@pytest.fixture(scope="session")
def line() -> ifonly.Explainer:
    data = IRIS[IRIS.columns[:2]]
    return ifonly.Explainer(LogisticRegression().fit(data, SPECIES > 0), data=data)


@pytest.fixture(scope="session")
def regressor() -> ifonly.Explainer:
    data = IRIS[IRIS.columns[:2]]
    return ifonly.Explainer(LinearRegression().fit(data, IRIS["petal length (cm)"]), data=data)


@pytest.fixture(scope="session")
def shared(mixed: ifonly.Explainer) -> Iterator[Client]:
    server = Server(Handler(mixed))
    with server.running():
        yield ifonly.connect(server.url)
