"""The contract over HTTP: the same replies as those of the handler, in every form."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from starlette.testclient import TestClient
from tests.serve.front.conftest import ROW, Serve, StandIn

import ifonly
from ifonly.contract import Handler
from ifonly.serve.exchange import Sight
from ifonly.serve.sight import seen

ASKED = {"rows": [ROW], "k": 2}


def test_a_reply_is_that_of_the_handler(client: TestClient, handler: Handler) -> None:
    said = client.post("/v1/explain", json=ASKED)
    own = json.loads(handler.answer("explain", ASKED).model_dump_json())
    assert said.status_code == 200
    assert said.json()["rows"] == own["rows"]
    assert said.headers["content-type"] == "application/json"


def test_every_model_has_routes_of_its_own(client: TestClient, pool: StandIn) -> None:
    for path in ("/v1/model", "/v1/models/other/model"):
        assert client.get(path).json() == client.post(path, json={}).json()
    assert [ask.model for ask in pool.asks] == ["loans", "loans", "other", "other"]


def test_kserve_asks_with_instances(client: TestClient) -> None:
    said = client.post("/v1/models/loans:explain", json={"instances": [ROW], "k": 2}).json()
    own = client.post("/v1/explain", json=ASKED).json()
    assert said["explanations"] == own["rows"]
    said = client.post("/v1/models/loans:predict", json={"instances": [ROW]}).json()
    assert said["predictions"][0]["prediction"] == own["rows"][0]["prediction"]


def test_kserve_reads_health_and_metadata(client: TestClient, pool: StandIn) -> None:
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").json() == {"name": "ifonly", "ready": True}
    assert client.get("/v2/models/loans/ready").status_code == 200
    assert client.get("/v1/models").json() == {"models": ["loans", "other"]}
    said = client.get("/v2/models/loans").json()
    kinds = {one["name"]: one["datatype"] for one in said["inputs"]}
    assert kinds == {"income": "INT64", "debt": "FP64", "job": "BYTES"}
    assert client.get("/v2").json()["name"] == "ifonly"
    pool.open = False
    said = client.get("/v2/health/ready")
    assert (said.status_code, said.headers["retry-after"]) == (503, "1")
    assert client.get("/v2/health/live").status_code == 200


def table(frame: pd.DataFrame, form: str) -> tuple[bytes, str]:
    if form == "parquet":
        return frame.to_parquet(), "application/vnd.apache.parquet"
    own, file = pa.Table.from_pandas(frame, preserve_index=False), io.BytesIO()
    with pa.ipc.new_stream(file, own.schema) as stream:
        stream.write_table(own)
    return file.getvalue(), "application/vnd.apache.arrow.stream"


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_tables_are_rows(client: TestClient, form: str) -> None:
    body, kind = table(pd.DataFrame([ROW, {**ROW, "job": "cook"}]), form)
    said = client.post(
        "/v1/explain", content=body, headers={"Content-Type": kind}, params={"options": '{"k": 1}'}
    )
    own = client.post("/v1/explain", json={"rows": [ROW, {**ROW, "job": "cook"}], "k": 1})
    assert said.json()["rows"] == own.json()["rows"]


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_bad_tables_are_refused(client: TestClient, form: str) -> None:
    good, kind = table(pd.DataFrame([ROW] * 21), form)
    head = {"Content-Type": kind}

    def status(path: str, body: bytes, options: str = "{}") -> Any:
        return client.post(path, content=body, headers=head, params={"options": options})

    assert status("/v1/explain", good).json()["detail"] == "There are 21 rows or more."
    assert status("/v1/explain", good[:-40]).status_code in (400, 413)
    assert status("/v1/explain", b"PAR1" + bytes(80)).status_code == 400
    assert status("/v1/predict", good, "{").status_code == 400
    assert status("/v1/predict", good, '{"rows": []}').status_code == 422
    assert status("/v1/plan", good).status_code == 415
    assert client.post("/v1/explain?options={}", json=ASKED).status_code == 422
    unknown, _ = table(pd.DataFrame([{**ROW, "pets": 1}]), form)
    assert status("/v1/explain", unknown).json()["field"] == "rows[0].pets"


def test_a_small_file_that_unpacks_to_much_is_refused(client: TestClient) -> None:
    import numpy as np
    import pyarrow.parquet as pq

    file, zeros = io.BytesIO(), np.zeros(3_000_000)
    pq.write_table(pa.table(dict.fromkeys(ROW, zeros)), file, compression="zstd")
    head = {"Content-Type": "application/vnd.apache.parquet"}
    said = client.post("/v1/score_batch", content=file.getvalue(), headers=head)
    assert said.status_code == 413


def test_a_deadline_reaches_the_workers(client: TestClient, pool: StandIn) -> None:
    client.post("/v1/model", json={}, headers={"X-Deadline-Seconds": "2.5"})
    client.post("/v1/model", json={})
    first, second = (ask.deadline for ask in pool.asks)
    assert first is not None
    assert second is not None
    assert 50 < second - first < 70
    for bad in ("soon", "-1", "0", "nan", "inf"):
        said = client.post("/v1/model", json={}, headers={"X-Deadline-Seconds": bad})
        assert (said.status_code, said.json()["field"]) == (422, "X-Deadline-Seconds")


def test_sight_is_that_of_the_token(serve: Serve, tmp_path: Any) -> None:
    from ifonly.serve.tokens import new_token

    heads, lines = {}, []
    for word in ("full", "rounded", "hidden"):
        secret, line = new_token(word, scores=word)
        heads[word] = {"Authorization": f"Bearer {secret}"}
        lines.append(line)
    (tmp_path / "tokens").write_text("\n".join(lines))
    client = serve(tokens=tmp_path / "tokens")
    said = {w: client.post("/v1/explain", json=ASKED, headers=h).json() for w, h in heads.items()}
    ways = {word: one["rows"][0]["answers"][0] for word, one in said.items()}
    exact = ways["full"]["score"]
    assert ways["rounded"]["score"] == round(exact, 1) != exact
    assert ways["hidden"]["score"] is None
    assert f"({exact:.2f})" in ways["full"]["sentence"]
    assert f"({exact:.2f})" not in ways["rounded"]["sentence"] + ways["hidden"]["sentence"]
    hidden = client.post("/v1/score_batch", json={"rows": [ROW]}, headers=heads["hidden"]).json()
    assert hidden["scores"] == [None]
    told = client.post("/v1/reasons", json={"rows": [ROW]}, headers=heads["hidden"]).json()
    asked = {**ASKED, "reasons": True}
    said = client.post("/v1/explain", json=asked, headers=heads["hidden"]).json()
    for row in (told["rows"][0], said["rows"][0]):
        assert row["reasons"][0]["sentence"]
        assert {one["weight"] for one in row["reasons"]} == {None}
    assert told["rows"][0]["gap"] is None
    for name, value in (("threshold", 0.4), ("margin", 0.1)):
        for path, body in (("/v1/explain", ASKED), ("/v1/score_batch", {"rows": [ROW]})):
            said = client.post(path, json=body | {name: value}, headers=heads["rounded"])
            assert (said.status_code, said.json()["field"]) == (422, name)
    assert client.get("/openapi.json", headers=heads["full"]).json()["security"] == [{"token": []}]


def test_real_rows_are_shown_to_tokens_that_say_so(serve: Serve, tmp_path: Any) -> None:
    from ifonly.serve.tokens import new_token

    made = {word: new_token(word, rows=word) for word in ("rows", "no-rows")}
    (tmp_path / "tokens").write_text("\n".join(line for _, line in made.values()))
    client = serve(tokens=tmp_path / "tokens")
    shown, refused = (
        client.post("/v1/examples", json=ASKED, headers={"Authorization": f"Bearer {secret}"})
        for secret, _ in made.values()
    )
    assert shown.json()["rows"][0]["answers"]
    assert refused.status_code == 422
    assert "real rows" in refused.json()["detail"]


def test_no_score_of_a_regressor_is_left_where_scores_are_hidden() -> None:
    data = pd.DataFrame({"size": range(10, 60), "age": [i % 7 for i in range(50)]})
    model = ifonly.as_model(
        lambda frame: frame["size"] * 1234.567 + frame["age"], task="regression"
    )
    handler = Handler(ifonly.Explainer(model, data=data))
    asked = {"rows": [{"size": 20, "age": 3}], "target": {"low": 40_000}, "k": 2}
    for route, body in (
        ("explain", asked),
        ("reasons", asked),
        ("predict", {"rows": asked["rows"], "curve": "size", "points": 3}),
        ("score_batch", {"rows": asked["rows"]}),
    ):
        reply = handler.answer(route, body)
        hidden = seen(reply, Sight("hidden")).model_dump_json()
        rounded = seen(reply, Sight("rounded")).model_dump_json()
        assert "24694" in reply.model_dump_json()
        assert "24694" not in hidden + rounded
        assert "25000" in rounded
        full = re.findall(r": ([0-9,.]+)\.\"", reply.model_dump_json())
        assert not any(f": {number}." in hidden + rounded for number in full)
