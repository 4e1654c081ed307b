"""Who may ask, under which name, how much: what every request passes before it is answered."""

from __future__ import annotations

import asyncio
import hmac
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.serve.front.conftest import ROW, Serve, StandIn, until

from ifonly.errors import FileError, OptionError
from ifonly.serve import tokens as tokens_module
from ifonly.serve.config import Config
from ifonly.serve.denied import Denied
from ifonly.serve.open import Demo
from ifonly.serve.security import Guard
from ifonly.serve.tokens import Quota, Spent, Token, Tokens, new_token, read_tokens

GOOD_HOSTS = ["localhost", "localhost:8000", "127.0.0.1", "[::1]:80", "LOCALHOST", "bank.example."]
BAD_HOSTS = ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[", "a@b"]
BAD_HOSTS += ["::1", "evil@localhost", "localhost/x", "localhost:80:80", "local\u0131host"]


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_a_known_host_is_served(serve: Serve, host: str) -> None:
    said = serve(allow_hosts=("bank.example",)).get("/v1/models", headers={"Host": host.encode()})
    assert said.status_code == 200


@pytest.mark.parametrize("host", BAD_HOSTS)
def test_another_host_is_refused_but_for_health(client: TestClient, host: str) -> None:
    said = client.get("/v1/models", headers={"Host": host.encode()})
    assert (said.status_code, said.json()["type"]) == (421, "urn:ifonly:problem:host")
    assert client.get("/v2/health/live", headers={"Host": host.encode()}).status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://localhost:9000"},
        {"Origin": "http://localhost.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_are_refused(client: TestClient, head: dict[str, str]) -> None:
    for method in ("GET", "OPTIONS"):
        said = client.request(method, "/v1/models", headers=head)
        assert said.status_code == 403
        assert "access-control-allow-origin" not in said.headers


def test_a_page_of_its_own_is_served(client: TestClient) -> None:
    head = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.get("/v1/models", headers=head).status_code == 200


def test_every_reply_has_security_headers_and_an_id(client: TestClient) -> None:
    for path in ("/v1/models", "/nothing"):
        said = client.get(path, headers={"X-Request-ID": "own.id-1"})
        assert said.headers["x-content-type-options"] == "nosniff"
        assert said.headers["cache-control"] == "no-store"
        assert said.headers["x-request-id"] == "own.id-1"
    assert (
        len(client.get("/v1/models", headers={"X-Request-ID": "a b"}).headers["x-request-id"]) == 32
    )


def test_a_token_is_needed_where_there_are_tokens(serve: Serve, tmp_path: Path) -> None:
    secret, line = new_token("desk")
    (tmp_path / "tokens").write_text(f"# who may ask\n\n{line}\n")
    client = serve(tokens=tmp_path / "tokens")
    for head in ("", "Bearer", "Bearer ", f"Basic {secret}", f"Bearer {secret}x", "Bearer é"):
        said = client.get("/v1/models", headers={"Authorization": head.encode()})
        assert (said.status_code, said.headers["www-authenticate"]) == (401, "Bearer"), head
    for path in ("/v1/models", "/metrics", "/openapi.json"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers={"Authorization": f"bearer {secret}"}).status_code == 200
    assert client.get("/v2/health/ready").status_code == 200


def test_tokens_are_compared_in_constant_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [new_token(name) for name in "abc"]
    (tmp_path / "tokens").write_text("\n".join(line for _, line in made))
    compared, exact = [], hmac.compare_digest

    def compare(left: str, right: str) -> bool:
        compared.append(left)
        return exact(left, right)

    monkeypatch.setattr(tokens_module.hmac, "compare_digest", compare)
    found = Tokens(tmp_path / "tokens").find(made[0][0])
    assert found is not None
    assert (found.name, len(compared)) == ("a", 3)


def test_a_token_that_is_taken_out_is_refused_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_module, "CHECKED", 0.0)
    (first, one), (second, two) = new_token("a"), new_token("b")
    path = tmp_path / "tokens"
    path.write_text(f"{one}\n{two}")
    known = Tokens(path)
    assert known.find(first)
    path.write_text(two)
    assert known.find(first) is None
    assert known.find(second)
    path.unlink()
    assert known.find(second) is None


@pytest.mark.parametrize(
    "line",
    [
        "desk",
        "desk xyz",
        "a/b {}",
        "desk {} 5/week",
        "desk {} 0/day",
        "desk {} - exact",
        "a {} - full all x",
    ],
)
def test_a_line_that_cannot_be_read_is_named_without_its_hash(tmp_path: Path, line: str) -> None:
    hashed = "0123456789abcdef" * 4
    (tmp_path / "tokens").write_text(f"# tokens\n{line.format(hashed)}\n")
    with pytest.raises(FileError, match="line 2") as caught:
        read_tokens(tmp_path / "tokens")
    assert hashed not in str(caught.value)


def test_a_file_without_tokens_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("# none yet\n")
    with pytest.raises(FileError, match="no token"):
        Tokens(tmp_path / "tokens")


def test_a_quota_counts_rows_and_says_when_to_come_again(serve: Serve, tmp_path: Path) -> None:
    secret, line = new_token("desk", "10/hour")
    other, more = new_token("other", "10/hour")
    (tmp_path / "tokens").write_text(f"{line}\n{more}")
    client = serve(tokens=tmp_path / "tokens")
    head = {"Authorization": f"Bearer {secret}"}
    asked = {"rows": [ROW] * 15}
    assert client.post("/v1/predict", json=asked, headers=head).status_code == 200
    said = client.post("/v1/predict", json=asked, headers=head)
    assert said.status_code == 429
    assert 6 * 360 - 5 <= int(said.headers["retry-after"]) <= 6 * 360
    head = {"Authorization": f"Bearer {other}"}
    curve = {"rows": [ROW], "curve": "income", "points": 20}
    assert client.post("/v1/predict", json=curve, headers=head).status_code == 200
    said = client.post("/v1/predict", json=curve, headers=head)
    assert 12 * 360 - 5 <= int(said.headers["retry-after"]) <= 12 * 360


def test_a_quota_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(tokens_module.time, "monotonic", lambda: now)
    spent, token = Spent(), Token("desk", quota=Quota(2, 60))
    spent.let_in(token)
    spent.let_in(token)
    with pytest.raises(Denied, match="used up"):
        spent.let_in(token)
    now += 31
    spent.let_in(token)
    with pytest.raises(Denied):
        spent.let_in(token)


def test_another_host_without_tokens_is_refused_at_the_start() -> None:
    with pytest.raises(OptionError, match="there are no tokens"):
        Config({"demo": Demo()}, host="0.0.0.0")


@pytest.mark.parametrize(("limit", "status"), [("queue", 503), ("each", 429)])
def test_too_many_requests_at_once_are_sent_away(
    serve: Serve, pool: StandIn, limit: str, status: int
) -> None:
    client = serve(**{limit: 2})
    pool.held = True
    with ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(client.post, "/v1/model", json={}) for _ in range(4)]
        assert until(lambda: sum(call.done() for call in calls) == 2)
        pool.held = False
    assert sorted(call.result().status_code for call in calls) == [200, 200, status, status]
    assert client.post("/v1/model", json={}).status_code == 200


def guarded(messages: list[Any], **options: Any) -> tuple[int, dict[str, str], list[str]]:
    """The status and headers of a reply to a request whose body comes in some messages."""
    sent: list[Any] = []
    ran: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        ran.append((await receive())["body"].decode())

    async def receive() -> Any:
        if not messages:
            await asyncio.sleep(60)
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    head = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/explain", "headers": head}
    asyncio.run(Guard(app, **options)(scope, receive, send))
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]} if sent else {}
    return sent[0]["status"] if sent else 0, head, ran


def part(size: int, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


def test_a_body_that_comes_slowly_is_given_up() -> None:
    status, head, ran = guarded([part(3)], seconds=0.05)
    assert (status, head["connection"], ran) == (408, "close", [])


def test_a_client_that_hangs_up_while_it_sends_gets_nothing() -> None:
    assert guarded([part(3), {"type": "http.disconnect"}])[0] == 0


def test_bodies_together_stay_within_the_memory() -> None:
    assert guarded([part(600), part(600, False)], held=1000)[0] == 503
    assert guarded([part(600), part(300, False)], held=1000)[2] == ["x" * 900]


def test_a_path_may_take_larger_bodies() -> None:
    assert guarded([part(60, False)], body=50)[0] == 413
    assert guarded([part(60, False)], body=50, bodies={"/explain": 70})[2] == ["x" * 60]


def test_a_web_socket_is_closed() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Guard(None)({"type": "websocket"}, None, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}]
