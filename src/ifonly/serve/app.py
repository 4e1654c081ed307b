"""The front of the service: the contract over HTTP, and aliases of it for KServe.

It never searches and never reads a large body: it asks the pool of workers, has the records of
what they answer written, and replies.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import time
from typing import Any, Literal

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp

from ifonly.contract import ROUTES, Refused
from ifonly.errors import IfonlyError, StoreError, nearest
from ifonly.serve.config import Config
from ifonly.serve.denied import PROBLEM, Denied, reply_to
from ifonly.serve.exchange import Ask, Said
from ifonly.serve.forms import KSERVE, MEDIA
from ifonly.serve.jobs import router as job_routes
from ifonly.serve.metrics import GONE, Metrics, Watch, log
from ifonly.serve.routes import page_files, page_routes, service_routes
from ifonly.serve.security import JSON, Guard
from ifonly.serve.store import Kept, KeyReused
from ifonly.serve.store.journal import Journal
from ifonly.serve.tokens import Spent, Token, Tokens

DEADLINE = "X-Deadline-Seconds"
"""The header with the seconds after which what is found is the reply."""
OPTIONS = "options"
"""The parameter with the JSON of a request whose rows are a table in the body."""
KEY = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class Front:
    """What the routes share: settings, the pool, the journal of records, and quotas.

    Parameters
    ----------
    config
        The settings.
    pool
        The workers.
    journal
        Where records are written; None: nowhere.
    """

    def __init__(self, config: Config, pool: Any, journal: Journal | None) -> None:
        self.config, self.pool, self.journal = config, pool, journal
        self.spent = Spent()
        self._open: set[tuple[str, str]] = set()

    def model(self, name: str) -> str:
        """The name of a model, where there is one."""
        if name not in self.config.models:
            hint = nearest(name, self.config.models)
            raise Denied("route", f"There is no model {name!r:.60}.", hint)
        return name

    async def answer(
        self, request: Request, model: str, route: str, form: Any = "contract"
    ) -> Response:
        """The reply to a request about a model; it is recorded before it is sent."""
        token: Token = request.state.token
        ask = await self._read(request, self.model(model), route, form)
        request.state.facts["model"] = model
        key = request.headers.get(KEY)
        if key is None or self.journal is None:
            said = await self._asked(request, ask, token)
            return await self._recorded(said, None)
        if not _KEY.fullmatch(key):
            raise Denied("option", f"{key!r:.60} is not a key.", "Use 1 to 200 letters.", field=KEY)
        same = hashlib.sha256(repr((model, route, form, ask.options)).encode() + ask.body)
        if kept := await self.journal.replay(token.name, key, same.hexdigest()):
            return _reply(kept.status, kept.body)
        mark = token.name, key
        if mark in self._open:
            raise Denied("conflict", "A request with this key is being answered.", Retry_After="1")
        self._open.add(mark)
        try:
            said = await self._asked(request, ask, token)
            own = Kept(key, token.name, same.hexdigest(), said.status, said.body)
            return await self._recorded(said, own)
        finally:
            self._open.discard(mark)

    async def _read(self, request: Request, model: str, route: str, form: Any) -> Ask:
        """What is asked of the pool."""
        body, headers = await request.body(), request.headers
        media = headers.get("content-type", JSON).partition(";")[0].strip().lower()
        options = request.query_params.get(OPTIONS, "{}")
        if body and media != JSON:
            if form != "contract" or "rows" not in ROUTES[route].request.model_fields:
                raise Denied("media", f"This route takes no {media}.", f"Send {JSON}.")
            form = MEDIA[media]
        elif OPTIONS in request.query_params:
            hint = "Put them into the body."
            raise Denied("option", "These are for tables.", hint, field=OPTIONS)
        return Ask(
            model,
            route,
            body if request.method == "POST" else b"{}",
            form,
            options.encode(),
            deadline=_deadline(headers.get(DEADLINE), self.config.seconds),
            sight=request.state.token.sight,
            who=request.state.token.name,
            record=self.journal is not None,
        )

    async def _asked(self, request: Request, ask: Ask, token: Token) -> Said:
        """The reply of the pool; a client that hangs up stops its search."""
        asked = asyncio.ensure_future(self.pool.ask(ask))
        gone = asyncio.ensure_future(_hung_up(request))
        try:
            await asyncio.wait({asked, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise ClientDisconnect
            said: Said = asked.result()
        finally:
            asked.cancel()
            gone.cancel()
        request.state.facts.update(said.facts, worker_seconds=said.facts.get("seconds", 0.0))
        self.spent.take(token, max(0, said.facts.get("rows", 1) - 1))
        return said

    async def _recorded(self, said: Said, own: Kept | None) -> Response:
        """The reply, once its records are on disk."""
        if self.journal is None or not said.records:
            return _reply(said.status, said.body)
        written = await self.journal.append(said.records, reply=own)
        kept = written.reply or said
        return _reply(kept.status, kept.body)


def create_app(
    config: Config,
    pool: Any,
    journal: Journal | None = None,
    jobs: Any = None,
) -> ASGIApp:
    """The service as an ASGI application.

    Parameters
    ----------
    config
        The settings.
    pool
        The workers, which whoever runs the application starts and stops.
    journal
        Where records are written; None: nowhere.
    jobs
        The jobs; None: there are none.

    Returns
    -------
    ASGIApp
        The routes behind the guard, every request watched.
    """
    front = Front(config, pool, journal)
    metrics = Metrics(lambda: float(pool.queued))
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.include_router(_contract_routes(front))
    app.include_router(service_routes(front, metrics))
    app.include_router(page_routes(config.start))
    if jobs is not None:
        app.include_router(job_routes(jobs, front.spent.take))
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)
    guard = Guard(
        app,
        hosts=(*config.allow_hosts, config.name),
        tokens=None if config.tokens is None else Tokens(config.tokens),
        spent=front.spent,
        media=MEDIA,
        body=config.body,
        bodies={} if jobs is None else {"/jobs": jobs.limits.body},
        seconds=config.body_seconds,
        most=config.queue,
        each=config.each,
        public=page_files(),
    )
    return Watch(guard, metrics)


def _contract_routes(front: Front) -> APIRouter:
    """The routes of the contract, of the default model and of each by name; and KServe's."""
    router = APIRouter(include_in_schema=False)

    def add(path: str, route: str, form: Literal["contract", "kserve"], methods: list[str]) -> None:
        async def endpoint(request: Request) -> Response:
            model = request.path_params.get("model", front.config.default)
            return await front.answer(request, model, route, form)

        router.add_api_route(path, endpoint, methods=methods, response_model=None)

    for name in ROUTES:
        methods = ["GET", "POST"] if name == "model" else ["POST"]
        add(f"/v1/{name}", name, "contract", methods)
        add(f"/v1/models/{{model}}/{name}", name, "contract", methods)
    for name in KSERVE:
        add(f"/v1/models/{{model}}:{name}", name, "kserve", ["POST"])
    return router


def _deadline(text: str | None, most: float) -> float:
    """The moment of a deadline, on the clock of time.monotonic."""
    try:
        seconds = most if text is None else float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise Denied("option", f"{text!r:.60} is no number of seconds.", "Give 5.", field=DEADLINE)
    return time.monotonic() + min(seconds, most)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _reply(status: int, body: bytes) -> Response:
    return Response(body, status, media_type=JSON if status < 400 else PROBLEM)


async def _refused(request: Request, error: Any) -> Response:
    """The reply to a request that raised one of ifonly's errors."""
    if isinstance(error, KeyReused):
        error = Refused(error.message, error.hint, field=KEY, kind="option")
    elif isinstance(error, StoreError):
        log("store", error=type(error).__name__)
        message = "The decision cannot be recorded, so it is not explained."
        error = Denied("store", message, "Ask again later.", Retry_After="5")
    return reply_to(error if isinstance(error, Refused) else Refused.of(error))


async def _unrouted(request: Request, error: Any) -> Response:
    """The reply to a request that no route takes."""
    if error.status_code == 405:
        allowed = error.headers.get("Allow", "") if error.headers else ""
        message = f"{request.method:.20} is not a method of this route."
        return reply_to(Denied("method", message, f"Send {allowed}.", Allow=allowed))
    if error.status_code == 404:
        return reply_to(Denied("route", "There is no such path.", "GET /openapi.json lists them."))
    return reply_to(Denied("json", str(error.detail)))


async def _invalid(request: Request, error: Any) -> Response:
    """The reply to a request whose path or query does not fit."""
    first = error.errors()[0]
    return reply_to(Denied("request", f"{first['msg']}.", field=str(first["loc"][-1])))


async def _gone(request: Request, error: Any) -> Response:
    return Response(status_code=GONE)


_HANDLERS: dict[type[Exception], Any] = {
    IfonlyError: _refused,
    HTTPException: _unrouted,
    RequestValidationError: _invalid,
    ClientDisconnect: _gone,
}
