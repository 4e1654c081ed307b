"""What a client makes of servers that are slow, busy, strange or not there."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly import errors
from ifonly.contract import Handler, Refused

from .conftest import Server

DATA = pd.DataFrame({"income": [10, 30, 50, 20], "job": ["a", "b", "a", "c"]})
RICH = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
EXPLAINER = ifonly.Explainer(RICH, data=DATA)
ROW = DATA[:1]
Serve = Callable[[Handler], Server]


@pytest.fixture
def server(serve: Serve) -> Server:
    return serve(Handler(EXPLAINER))


def problem(kind: str, detail: str, wait: str = "") -> tuple[int, str, dict[str, str]]:
    found = Refused(detail, "Do.", kind=kind, field="here").problem
    return found.status, found.model_dump_json(), {"Retry-After": wait} if wait else {}


def test_it_says_who_asks_and_keeps_its_connection(server: Server) -> None:
    with ifonly.connect(server.url, "s3cret", model="a/b") as client:
        answers = client.explain(ROW, k=1)
        client.explain(ROW, k=1)
        assert "s3cret" not in repr(client) + repr(vars(client))
        assert len(client._connection.idle) == 1
    assert answers.sentences() == [["If only income were 41 (not 10): yes (1.00)."]]
    path, headers, body = server.seen[1]
    assert path == "/v1/models/a%2Fb/explain"
    assert headers["Authorization"] == "Bearer s3cret"
    assert body["rows"] == [{"income": 10, "job": "a"}]
    assert [path for path, *_ in server.seen] == [
        "/v1/models/a%2Fb/model",
        *["/v1/models/a%2Fb/explain"] * 2,
    ]


def test_a_busy_server_is_asked_again_when_it_says_so(server: Server) -> None:
    client = ifonly.connect(server.url)
    client.space  # noqa: B018  # so that the next request is a question
    server.first = [
        problem("quota", "Too many.", "0"),
        problem("busy", "Busy.", "0"),
        None,
    ]
    assert client.explain(ROW, k=1).status == ("found",)
    keys = {headers["Idempotency-Key"] for _, headers, _ in server.seen[1:]}
    assert (len(server.seen), len(keys)) == (5, 1)
    for replies in (
        [problem("quota", "Too many.", "0")] * 9,
        [problem("busy", "Too many.")],
    ):
        server.first, server.seen = list(replies), []
        with pytest.raises(errors.ServiceError, match="Too many") as caught:
            client.explain(ROW, k=1)
        assert caught.value.passing
        assert len(server.seen) == min(4, len(replies))
    server.first = [problem("quota", "Too many.", "3600")]
    with pytest.raises(errors.ServiceError, match="Too many"):
        client.explain(ROW, k=1)


@pytest.mark.parametrize(
    ("said", "kind", "message"),
    [
        (problem("token", "A token is needed."), errors.ServiceError, "A token is needed"),
        (problem("data", "Wrong."), errors.DataError, "Wrong"),
        (problem("target", "Wrong."), errors.TargetError, "Wrong"),
        (problem("model", "Wrong."), errors.ModelError, "Wrong"),
        (problem("service", "Wrong."), errors.ServiceError, "Wrong"),
        ((502, "<html>", {}), errors.ServiceError, "replied 502"),
        ((200, "<html>", {}), errors.ServiceError, "not JSON"),
        ((307, "", {"Location": "/"}), errors.ServiceError, "replied 307"),
        ((404, "[]", {}), errors.ServiceError, "replied 404"),
    ],
    ids=["token", "data", "target", "model", "service", "proxy", "page", "elsewhere", "list"],
)
def test_problems_are_errors_of_their_kind(
    server: Server, said: Any, kind: type[Exception], message: str
) -> None:
    client = ifonly.connect(server.url)
    client.space  # noqa: B018
    server.first = [said]
    with pytest.raises(ifonly.IfonlyError, match=message) as caught:
        client.explain(ROW)
    assert type(caught.value) is kind
    assert caught.value.field == ("here" if "problem" in said[1] else "")


def test_a_server_that_describes_no_model(server: Server) -> None:
    for said in ("{}", "[]", '{"space": 3}'):
        server.first = [(200, said, {})]
        with pytest.raises(errors.ServiceError, match="does not describe a model"):
            ifonly.connect(server.url).explain(ROW)


def test_a_server_that_is_not_there_or_never_replies() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(errors.ServiceError, match=r"did not reply within 0.1 seconds"):
            ifonly.connect(url, timeout=0.1).explain(ROW)
        assert time.monotonic() - began < 5
    with pytest.raises(errors.ServiceError, match=r"cannot be reached: .*refused"):
        ifonly.connect(url).explain(ROW)


def test_connections_that_break_again_and_again(server: Server) -> None:
    server.first = [None] * 4
    with pytest.raises(errors.ServiceError, match="cannot be reached"):
        ifonly.connect(server.url).explain(ROW)
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"url": "ftp://here"}, "no address"),
        ({"url": "here"}, "no address"),
        ({"url": "http://here:99999999"}, "no address"),
        ({"url": "http://me:you@here"}, "no address"),
        ({"url": 3}, "no address"),
        ({"url": "http://here", "token": "a\nb"}, "token"),
        ({"url": "http://here", "timeout": 0}, "timeout is 0"),
        ({"url": "http://here", "timeout": True}, "timeout is True"),
        ({"url": "http://here", "model": 3}, "model is 3"),
    ],
    ids=str,
)
def test_addresses_that_cannot_be_used(given: Any, message: str) -> None:
    with pytest.raises(errors.OptionError, match=message) as caught:
        ifonly.connect(**given)
    assert "you" not in str(caught.value)


def test_answers_can_be_saved(server: Server) -> None:
    answers = ifonly.connect(server.url).explain(ROW, k=1)
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.sentences() == answers.sentences()
    assert json.loads(answers.to_json())["index"] == {"tuple": [0]}
