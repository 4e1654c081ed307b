"""OpenAPI 3.1, with examples that are answered, and replies that are as it says; and figures."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any
from unittest import SkipTest

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from starlette.testclient import TestClient
from tests.serve.front.conftest import ROW, StandIn

from ifonly.contract import ROUTES, Handler
from ifonly.serve.app import create_app
from ifonly.serve.config import Config
from ifonly.serve.open import Demo


@pytest.fixture(scope="module")
def app(handler: Handler) -> Any:
    return create_app(
        Config({"loans": Demo(), "other": Demo()}, allow_hosts=("testserver",)), StandIn(handler)
    )


@pytest.fixture(scope="module")
def client_of_app(app: Any) -> Any:
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@pytest.fixture(scope="module")
def described(client_of_app: TestClient) -> Any:
    return client_of_app.get("/openapi.json").json()


def test_every_route_is_described_in_openapi_3_1(described: Any) -> None:
    assert described["openapi"].startswith("3.1")
    for name in ROUTES:
        for path in (f"/v1/{name}", f"/v1/models/loans/{name}", f"/v1/models/other/{name}"):
            assert "post" in described["paths"][path]
    for path in ("/v1/models/other:explain", "/v2/health/live", "/v2/models/{model}"):
        assert path in described["paths"]
    every = [one for methods in described["paths"].values() for one in methods.values()]
    assert all("default" in one["responses"] for one in every)
    assert len({one["operationId"] for one in every}) == len(every)


def test_the_examples_are_answered_as_described(client_of_app: TestClient, described: Any) -> None:
    tried = 0
    for path, methods in described["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {})
        for example in body.get("application/json", {}).get("examples", {}).values():
            said = client_of_app.post(path, json=example["value"])
            if path.endswith("/examples"):  # real rows are for tokens that show them
                assert said.status_code == 422, said.text
                continue
            assert said.status_code == 200, (path, said.text)
            reply = methods["post"]["responses"]["200"]["content"]["application/json"]["schema"]
            whole = {**reply, "components": described["components"]}
            jsonschema_rs.validate(whole, said.json())
            tried += 1
    assert tried > 3 * len(ROUTES)


CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.response_schema_conformance,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
]


def test_schemathesis_finds_no_fault(app: Any) -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
    found = 0
    for result in schema.exclude(path_regex="/(other|loans/)").get_all_operations():
        operation = result.ok()
        for mode in modes:

            @settings(
                max_examples=2,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def check(case: Any) -> None:
                case.call_and_validate(checks=CHECKS)

            with suppress(Unsatisfiable, SkipTest):
                check()
                found += 1
    assert found > 20


def test_figures_count_requests_rows_and_statuses(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "ifonly.serve"):
        client.post("/v1/explain", json={"rows": [ROW, ROW], "k": 1})
        client.post("/v1/models/other/explain", content="{", headers={"Content-Type": "text/x"})
        client.get("/somewhere")
    text = client.get("/metrics").text
    for line in (
        'ifonly_requests_total{route="/v1/explain",status="200"} 1.0',
        'ifonly_requests_total{route="none",status="404"} 1.0',
        'ifonly_requests_total{route="none",status="415"} 1.0',
        'ifonly_rows_total{model="loans",status="found"} 2.0',
        'ifonly_model_rows_total{model="loans"} 10.0',
        'ifonly_request_seconds_count{route="/v1/explain"} 1.0',
        "ifonly_queue 0.0",
        'ifonly_batch_questions_bucket{le="1.0"} 1.0',
    ):
        assert line in text
