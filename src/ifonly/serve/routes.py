"""Routes beside the contract's: the page, health, metadata, figures, the head of the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from ifonly.contract import VERSION
from ifonly.page.assets import INDEX, Asset, assets
from ifonly.serve.denied import Denied
from ifonly.serve.describe import describe
from ifonly.serve.exchange import SCHEMAS, Ask
from ifonly.serve.metrics import Metrics

TYPES = {"integer": "INT64", "number": "FP64", "boolean": "BOOL"}
"""What KServe calls the types of features; any other is BYTES."""


PAGE = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}
"""Headers of the files of the page: nothing from elsewhere, and asked for again by their tag."""


class Live(BaseModel):
    """The server runs."""

    live: bool


class Ready(BaseModel):
    """A model, or the whole server, answers."""

    name: str
    ready: bool


class Models(BaseModel):
    """The names of the models; the first is the default."""

    models: list[str]


class Server(BaseModel):
    """What the server is."""

    name: str
    version: str
    extensions: list[str]


class Tensor(BaseModel):
    """A column of rows."""

    name: str
    datatype: str
    shape: list[int]


class Metadata(BaseModel):
    """What a model takes and returns, in KServe's words."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[Tensor]
    outputs: list[Tensor]


class RecordsHead(BaseModel):
    """How many decision records there are, and the hash of the last."""

    count: int
    hash: str


def service_routes(front: Any, metrics: Metrics) -> APIRouter:
    """The routes of a front, beside those of the contract."""
    router, pool = _health_routes(front), front.pool

    async def asked(model: str, route: str) -> Any:
        said = await pool.ask(Ask(model, route, b"{}"))
        if said.status != 200:
            raise Denied("busy", f"The model {model!r} cannot be described now.", Retry_After="1")
        return json.loads(said.body)

    @router.get("/v2")
    async def server() -> Server:
        """What the server is."""
        from importlib.metadata import version

        return Server(name="ifonly", version=version("ifonly"), extensions=[])

    @router.get("/v2/models/{model}")
    async def metadata(model: str) -> Metadata:
        """What a model takes and returns."""
        said = await asked(front.model(model), "model")
        inputs = [
            Tensor(name=one["name"], datatype=TYPES.get(one["type"], "BYTES"), shape=[-1])
            for one in said["features"]
        ]
        versions, outputs = [said["fingerprints"]["model"]], ["BYTES", "FP64"]
        kind = outputs[said["task"] == "regression"]
        found = [Tensor(name="prediction", datatype=kind, shape=[-1])]
        return Metadata(
            name=model, versions=versions, platform="ifonly", inputs=inputs, outputs=found
        )

    @router.get("/v1/records/head")
    async def head() -> RecordsHead:
        """How many decision records there are, and the hash of the last."""
        if front.journal is None:
            raise Denied("route", "This server keeps no records.", "Start it with --record URL.")
        found = await front.journal.head()
        return RecordsHead(count=found.count, hash=found.hash)

    @router.get("/metrics", include_in_schema=False)
    async def figures() -> Response:
        """Figures for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @router.get("/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        """The description of this service, with the columns of its models."""
        routes = request.app.routes
        base = get_openapi(title="ifonly", version=f"v{VERSION}", routes=routes)
        schemas = {model: await asked(model, SCHEMAS) for model in front.config.models}
        tokens = front.config.tokens is not None
        return JSONResponse(describe(base, schemas, tokens=tokens))

    return router


def page_files() -> dict[str, Asset]:
    """The files of the page by their paths."""
    return {"/": assets()[INDEX], **{f"/page/{name}": one for name, one in assets().items()}}


def page_routes(start: Mapping[str, Any]) -> APIRouter:
    """The page, and what it starts with."""
    router = APIRouter(include_in_schema=False)

    @router.get("/page/start")
    async def starting() -> Response:
        """Rows, options and a title, for who has a token."""
        return JSONResponse(dict(start))

    def add(path: str, asset: Asset) -> None:
        async def endpoint(request: Request) -> Response:
            said = {**PAGE, "ETag": asset.tag}
            if asset.tag in request.headers.get("if-none-match", ""):
                return Response(status_code=304, headers=said)
            if "gzip" not in request.headers.get("accept-encoding", ""):
                return Response(asset.content, media_type=asset.media, headers=said)
            said["Content-Encoding"] = "gzip"
            return Response(asset.packed, media_type=asset.media, headers=said)

        router.add_api_route(path, endpoint, response_model=None)

    for path, asset in page_files().items():
        add(path, asset)
    return router


def _health_routes(front: Any) -> APIRouter:
    """Whether the server runs, and which models answer."""
    router, pool = APIRouter(), front.pool

    @router.get("/v2/health/live")
    async def live() -> Live:
        """Whether the server runs."""
        return Live(live=True)

    @router.get("/v2/health/ready")
    async def ready() -> Ready:
        """Whether every model answers."""
        return _ready("ifonly", all(map(pool.ready, front.config.models)))

    @router.get("/v2/models/{model}/ready")
    async def model_ready(model: str) -> Ready:
        """Whether a model answers."""
        return _ready(model, pool.ready(front.model(model)))

    @router.get("/v1/models")
    async def models() -> Models:
        """The names of the models."""
        return Models(models=list(front.config.models))

    @router.get("/v1/models/{model}")
    async def status(model: str) -> Ready:
        """Whether a model answers."""
        return Ready(name=front.model(model), ready=pool.ready(model))

    return router


def _ready(name: str, ready: bool) -> Ready:
    if not ready:
        raise Denied("busy", f"{name!r} is not ready.", "Ask again in a second.", Retry_After="1")
    return Ready(name=name, ready=True)
