"""Connections that are slow, silent or secret: a real port, served by a thread of this process."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from tests.serve.front.conftest import StandIn, until

from ifonly.errors import FileError
from ifonly.serve import run
from ifonly.serve.app import create_app
from ifonly.serve.config import Config
from ifonly.serve.open import Demo


@contextmanager
def served(pool: StandIn, **settings: Any) -> Iterator[int]:
    """The port of a server."""
    config = Config({"loans": Demo()}, **settings)
    server = run._Server(run._uvicorn(config, create_app(config, pool)))
    with run.bound("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            assert until(lambda: server.started)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(10)


def sent(port: int, text: bytes) -> bytes:
    """What comes back for a text, until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def test_no_part_of_a_reply_waits_for_the_part_before() -> None:
    with (
        run.bound("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_silent_or_slow_client_is_left(pool: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "IDLE", 1)
    head = b"POST /v1/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with served(pool, body_seconds=0.2) as port:
        assert sent(port, b"") == b""
        assert sent(port, head) == b""
        assert sent(port, head + b"Content-Length: 9\r\n\r\n{").startswith(b"HTTP/1.1 408 ")
        whole = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
        began = time.monotonic()
        assert sent(port, whole + head).startswith(b"HTTP/1.1 200 ")
        assert time.monotonic() - began > 0.5
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            for _ in range(3):
                assert client.get("/v1/models").status_code == 200
                time.sleep(0.5)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_certificate_makes_it_secret(pool: StandIn, tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    made += ["-keyout", key, "-out", cert, "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(made, check=True, capture_output=True)
    with served(pool, tls_cert=cert, tls_key=key) as port:
        context = ssl.create_default_context(cafile=str(cert))
        said = httpx.get(f"https://127.0.0.1:{port}/v1/models", verify=context)
    assert said.json() == {"models": ["loans"]}
    assert "max-age" in said.headers["strict-transport-security"]
    key.write_text("no key")
    with pytest.raises(FileError, match="The certificate cannot be used"):
        run._uvicorn(Config({"loans": Demo()}, tls_cert=cert, tls_key=key), None)
