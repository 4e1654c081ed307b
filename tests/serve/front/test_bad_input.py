"""Bad input: a 4xx that says what is wrong, and nothing of it in the log."""

from __future__ import annotations

import gzip
import json
import logging
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.serve.front.conftest import ROW, Serve

from ifonly.contract import ROUTES
from ifonly.serve.metrics import Lines

SECRET = "wOnt-be-l0gged"
JSON = {"Content-Type": "application/json"}


def asked(**more: Any) -> str:
    return json.dumps({"rows": [ROW], "k": 1, **more})


BAD = {
    "malformed": ("{", 400, ""),
    "no body": ("", 400, ""),
    "not an object": ("[1]", 400, ""),
    "not utf-8": (b'{"rows": "\xff"}', 400, ""),
    "deep": ('{"rows": ' + "[" * 5000 + "]" * 5000 + "}", 400, ""),
    "huge integer": (asked(seed=10**300), 400, "seed"),
    "very huge integer": ('{"seed": ' + "9" * 10_000 + "}", 400, "seed"),
    "NaN": ('{"rows": [], "k": NaN}', 400, "k"),
    "infinity": ('{"rows": [], "threshold": -Infinity}', 400, "threshold"),
    "duplicate": ('{"rows": [], "k": 1, "k": 2}', 400, "k"),
    "half a character": ('{"rows": [], "target": "\\ud800"}', 400, "target"),
    "unknown field": (asked(kk=1), 422, "kk"),
    "unknown column": (asked(rows=[{**ROW, "pets": 1}]), 422, "rows[0].pets"),
    "absent column": (asked(rows=[{"income": 1}]), 422, "rows[0].debt"),
    "wrong type": (asked(rows=[{**ROW, "income": "12"}]), 422, "rows[0].income"),
    "wrong kind": (asked(rows=[{**ROW, "income": 1.5}]), 422, "rows[0].income"),
    "boolean": (asked(rows=[{**ROW, "income": True}]), 422, "rows[0].income"),
    "list": (asked(rows=[{**ROW, "income": [1]}]), 422, "rows[0].income"),
    "null": (asked(rows=[{**ROW, "income": None}]), 422, "rows[0].income"),
    "beyond any number": (asked(rows=[{**ROW, "debt": 1e200}]), 422, "rows[0].debt"),
    "unknown level": (asked(rows=[{**ROW, "job": "Clerk"}]), 422, "rows[0].job"),
    "unknown rule": (asked(rules=["incom only increases"]), 422, "rules[0]"),
    "rule of no kind": (asked(rules=[7]), 422, "rules[0]"),
    "rule too long": (asked(rules=["x" * 3000]), 422, "rules[0]"),
    "too many rules": (asked(rules=["debt fixed"] * 11), 413, "rules"),
    "k of 0": (asked(k=0), 422, "k"),
    "k too large": (asked(k=6), 422, "k"),
    "k as text": (asked(k="1"), 422, "k"),
    "too many rows": (asked(rows=[ROW] * 21), 413, "rows"),
    "unknown class": (asked(target="maybe"), 422, "target"),
    "range of a classifier": (asked(target={"low": 1}), 422, "target"),
    "threshold": (asked(threshold=1.5), 422, "threshold"),
    "diversity": (asked(diversity=2), 422, "diversity"),
    "weight of no feature": (asked(weights={"pets": 1}), 422, "weights.pets"),
    "version": (asked(version=2), 422, "version"),
    "budget": (asked(budget={"seconds": -1}), 422, "budget.seconds"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_gets_a_problem_with_its_field(serve: Serve, name: str) -> None:
    body, status, field = BAD[name]
    said = serve().post("/v1/explain", content=body, headers=JSON)
    problem = said.json()
    assert (said.status_code, problem["field"]) == (status, field), problem
    assert said.headers["content-type"] == "application/problem+json"
    assert problem["detail"]
    assert problem["status"] == status
    assert problem["type"].startswith("urn:ifonly:problem:")


PLACES = {
    "path": ("GET", "/v1/nothing", 404),
    "model": ("POST", "/v1/models/nobody/explain", 404),
    "path in a model name": ("POST", "/v1/models/..%2f..%2fetc%2fpasswd/explain", 404),
    "dots": ("POST", "/v1/models/../../etc/passwd", 404),
    "kserve model": ("POST", "/v1/models/nobody:explain", 404),
    "kserve verb": ("POST", "/v1/models/loans:delete", 405),
    "metadata": ("GET", "/v2/models/nobody", 404),
    "method": ("GET", "/v1/explain", 405),
    "other method": ("DELETE", "/v1/models/loans/explain", 405),
    "odd method": ("BREW", "/v1/explain", 405),
    "a slash more": ("GET", "/v1/models/", 404),
    "records": ("GET", "/v1/records/head", 404),
    "jobs": ("POST", "/v1/jobs", 404),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_place_that_is_not_there_is_a_problem(client: TestClient, name: str) -> None:
    method, path, status = PLACES[name]
    said = client.request(method, path, json={"rows": []} if method == "POST" else None)
    assert (said.status_code, said.json()["status"]) == (status, status)
    assert said.headers["content-type"] == "application/problem+json"
    if status == 405:
        assert said.headers["allow"] in ("POST", "GET", "POST, GET", "GET, POST")


def test_a_model_that_is_not_there_has_a_hint(client: TestClient) -> None:
    said = client.post("/v1/models/loan/explain", json={})
    assert said.json()["hint"] == "Did you mean 'loans'?"


MEDIA = ["", "text/plain", "application/xml", "multipart/form-data", "application/json; charset=x"]


@pytest.mark.parametrize("kind", MEDIA)
def test_other_media_types_are_refused(client: TestClient, kind: str) -> None:
    said = client.post("/v1/explain", content=asked(), headers={"Content-Type": kind})
    assert said.status_code == 415


def test_a_charset_of_utf_8_is_accepted(client: TestClient) -> None:
    head = {"Content-Type": "Application/JSON; charset=UTF-8"}
    assert client.post("/v1/explain", content=asked(), headers=head).status_code == 200


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_compressed_bodies_are_refused_unread(client: TestClient, name: str) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    said = client.post("/v1/explain", content=bomb, headers=JSON | {"Content-Encoding": name})
    assert (said.status_code, said.headers["accept-encoding"]) == (415, "identity")


def test_a_body_beyond_the_limit_is_refused_while_it_is_read(serve: Serve) -> None:
    client = serve(body=1000)
    assert client.post("/v1/explain", content=b" " * 1001, headers=JSON).status_code == 413

    read = 0

    def parts() -> Any:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield b" " * 100

    said = client.post("/v1/explain", content=parts(), headers=JSON)
    assert said.status_code == 413


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(ROUTES)), st.dictionaries(st.text(max_size=5), anything), st.data())
def test_no_request_is_an_error_of_the_server(
    client_of_all: TestClient, route: str, body: dict[str, Any], data: st.DataObject
) -> None:
    known = list(ROUTES[route].request.model_fields)
    body |= data.draw(st.dictionaries(st.sampled_from(known), anything))
    said = client_of_all.post(f"/v1/{route}", content=json.dumps(body), headers=JSON)
    assert said.status_code in (200, 400, 413, 422)


@pytest.fixture(scope="module")
def client_of_all(handler: Any) -> TestClient:
    from tests.serve.front.conftest import StandIn

    from ifonly.serve.app import create_app
    from ifonly.serve.config import Config
    from ifonly.serve.open import Demo

    app = create_app(Config({"loans": Demo()}), StandIn(handler))
    return TestClient(app, base_url="http://localhost")


def test_nothing_secret_is_logged(
    serve: Serve, caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    from ifonly.serve.tokens import new_token

    secret, line = new_token("desk")
    (tmp_path / "tokens").write_text(line)
    client = serve(tokens=tmp_path / "tokens")
    head = {"Authorization": f"Bearer {secret}", "X-Request-ID": "own-id", "Cookie": SECRET}
    with caplog.at_level(logging.INFO, "ifonly.serve"):
        for key in (secret, SECRET):
            head["Authorization"] = f"Bearer {key}"
            client.post(f"/v1/explain?x={SECRET}", content=asked(), headers=JSON | head)
            client.post(f"/v1/{SECRET}", content=SECRET, headers=JSON | head)
            rows = [{**ROW, "job": SECRET}]
            client.post("/v1/explain", content=asked(rows=rows), headers=JSON | head)
            client.post("/v1/explain", content=asked(rules=[SECRET]), headers=JSON | head)
            client.post(f"/v1/models/{SECRET}/explain", content=asked(), headers=JSON | head)
        client.get("/v1/model", headers={"X-Request-ID": f"{SECRET}\n{{}}"})
    lines = [Lines().format(record) for record in caplog.records]
    assert len([line for line in lines if json.loads(line)["event"] == "request"]) == 11
    assert SECRET not in "".join(lines)
    assert secret not in "".join(lines)
    first = json.loads(lines[0])
    assert first["id"] == "own-id"
    assert first["token"] == "desk"
    assert first["status"] == 200
    assert first["route"] == "/v1/explain"
    assert math.isclose(first["rows"], 1)
