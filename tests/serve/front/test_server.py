"""A real server on a real port: `ifonly serve` with two workers, records, jobs and tokens."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import joblib
import pytest
from tests.serve.front.conftest import ROW, until

from ifonly.contract import Handler
from ifonly.serve.tokens import new_token

pytestmark = pytest.mark.xdist_group("server")
ASKED = {"rows": [ROW], "k": 2}


@dataclass(frozen=True)
class Server:
    """A process that serves, and how to reach it."""

    process: subprocess.Popen[str]
    url: str
    secret: str
    log: Path

    def client(self) -> httpx.Client:
        head = {"Authorization": f"Bearer {self.secret}"}
        return httpx.Client(base_url=self.url, headers=head, timeout=30)


def start(folder: Path, lender: Any, *more: str) -> Server:
    """Start a server of a model; its files lie in the folder."""
    model, data = lender
    joblib.dump(model, folder / "loans.joblib")
    data.to_csv(folder / "train.csv", index=False)
    secret, line = new_token("desk", scores="rounded")
    (folder / "tokens").write_text(line)
    command = [sys.executable, "-m", "ifonly", "serve", "loans.joblib", "--trust-pickle"]
    command += ["--data", "train.csv", "--port", "0", "--tokens", "tokens", "--workers", "1"]
    command += ["--rule", "debt only decreases", "--jobs", "jobs", *more]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdout is not None
    with process.stdout as said:
        found = re.search(r"http://127\.0\.0\.1:\d+", said.readline())
    if found is None:
        process.kill()
        pytest.fail((folder / "log").read_text())
    return Server(process, found[0], secret, folder / "log")


@pytest.fixture(scope="module")
def server(lender: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start(tmp_path_factory.mktemp("server"), lender)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def test_it_answers_records_and_counts(server: Server, handler: Handler) -> None:
    with server.client() as client:
        before = client.get("/v1/records/head").json()["count"]
        said = client.post("/v1/explain", json=ASKED).json()
        own = json.loads(handler.answer("explain", ASKED).model_dump_json())
        changes = [[way["changes"] for way in one["rows"][0]["answers"]] for one in (said, own)]
        assert changes[0] == changes[1]
        assert client.get("/v1/records/head").json()["count"] == before + 1
        assert "ifonly_requests_total" in client.get("/metrics").text
        job = client.post("/v1/jobs", json=ASKED).json()["id"]
        assert until(lambda: client.get(f"/v1/jobs/{job}").json()["state"] == "done", 20)
        assert client.get(f"/v1/jobs/{job}/result").content[:4] == b"PAR1"
    assert httpx.get(f"{server.url}/v1/models").status_code == 401


def test_a_deadline_gives_what_is_found_by_then(server: Server) -> None:
    rows = [{**ROW, "income": 1000 + i} for i in range(400)]
    with server.client() as client:
        began = time.monotonic()
        head = {"X-Deadline-Seconds": "0.5"}
        said = client.post("/v1/explain", json={"rows": rows, "k": 4}, headers=head)
        assert said.status_code == 200
        assert time.monotonic() - began < 10
        assert len(said.json()["rows"]) == len(rows)


def raw(server: Server, text: bytes) -> socket.socket:
    host, _, port = server.url.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    connection.sendall(text)
    return connection


def head_of(server: Server, **more: str) -> bytes:
    lines = {"Host": "localhost", "Authorization": f"Bearer {server.secret}"}
    lines |= {"Content-Type": "application/json"} | more
    text = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"POST /v1/explain HTTP/1.1\r\n{text}\r\n".encode()


def test_what_is_no_http_or_too_much_is_refused(server: Server) -> None:
    for text, status in (
        (b"garbage\r\n\r\n", b"400"),
        (head_of(server, Content_Length="99999999999"), b"413"),
        (head_of(server, Content_Length="-5"), b"400"),
        (head_of(server, Content_Length="5", Transfer_Encoding="chunked"), b"4"),
        (head_of(server, X="x" * 100_000), b"4"),
    ):
        with raw(server, text) as connection:
            said = connection.recv(1000)
        assert said.split(b" ")[1].startswith(status), said


def test_a_client_that_hangs_up_is_logged_and_harms_nobody(server: Server) -> None:
    body = json.dumps({"rows": [{**ROW, "income": 1000 + i} for i in range(900)]}).encode()
    with raw(server, head_of(server, Content_Length=str(len(body))) + body):
        time.sleep(0.3)
    assert until(lambda: '"status": 499' in server.log.read_text(), 20)
    with server.client() as client:
        assert client.post("/v1/explain", json=ASKED).status_code == 200


def test_nothing_secret_is_in_its_log(server: Server) -> None:
    with server.client() as client:
        client.post("/v1/explain", json={"rows": [{**ROW, "job": "spy-4711"}]})
    text = server.log.read_text()
    assert server.secret not in text
    assert "spy-4711" not in text
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert {"started", "request"} <= {line["event"] for line in lines}


@pytest.fixture(scope="module")
def other(lender: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that a test may harm."""
    running = start(tmp_path_factory.mktemp("other"), lender)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def test_on_a_full_disk_requests_are_refused_and_nothing_is_lost(other: Server) -> None:
    rows = {"rows": [{**ROW, "income": 1000 + i} for i in range(15)], "k": 1}
    files = [path.stat().st_size for path in other.log.parent.glob("ifonly-records.db*")]
    free = resource.RLIM_INFINITY
    pid, kind = other.process.pid, resource.RLIMIT_FSIZE
    with other.client() as client:
        resource.prlimit(pid, kind, (max(files) + 200_000, free))
        try:
            codes = [client.post("/v1/explain", json=rows).status_code for _ in range(12)]
            before = client.get("/v1/records/head").json()["count"]
        finally:
            resource.prlimit(pid, kind, (free, free))
        assert set(codes) == {200, 503}
        assert before == 15 * codes.count(200)
        assert client.post("/v1/explain", json=rows).status_code == 200
        assert client.get("/v1/records/head").json()["count"] == before + 15


def test_sigterm_finishes_what_runs(other: Server) -> None:
    rows = [{**ROW, "income": 1000 + i} for i in range(300)]
    with other.client() as client, ThreadPoolExecutor(1) as thread:
        asked = thread.submit(client.post, "/v1/explain", json={"rows": rows, "k": 1})
        assert until(lambda: "ifonly_queue" in client.get("/metrics").text, 20)
        time.sleep(0.2)
        os.kill(other.process.pid, signal.SIGTERM)
        assert asked.result(60).status_code == 200
    assert other.process.wait(30) == 0
    assert '"event": "stopped", "head": ' in other.log.read_text()


def test_a_model_that_cannot_be_opened_is_said_once(tmp_path: Path, capsys: Any) -> None:
    from ifonly.cli import main

    (tmp_path / "m.joblib").write_bytes(b"x")
    (tmp_path / "t.csv").write_text("a\n1\n")
    arguments = ["serve", str(tmp_path / "m.joblib"), "--data", str(tmp_path / "t.csv")]
    more = ["--port", "0", "--record", "none", "--workers", "2"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, *more])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "--trust-pickle" in said
    assert said.count("runs code when it is opened") == 1
