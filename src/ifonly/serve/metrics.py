"""What is seen of every request: figures for Prometheus, and one line of JSON in the log.

Neither has anything of a request that could be secret: no body, no header, no path as it was sent.
"""

from __future__ import annotations

import json
import logging
import re
import time
import traceback
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ifonly.contract import Refused
from ifonly.serve.denied import reply_to

LOG = logging.getLogger("ifonly.serve")
GONE = 499
"""The status, in the log, of a request whose client hung up."""
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Metrics:
    """The figures of one service.

    Parameters
    ----------
    queued
        How many questions wait.
    """

    def __init__(self, queued: Callable[[], float]) -> None:
        own = self.registry = CollectorRegistry()
        self.requests = Counter("ifonly_requests", "Requests.", ["route", "status"], registry=own)
        self.seconds = Histogram(
            "ifonly_request_seconds", "Latency.", ["route"], buckets=SECONDS, registry=own
        )
        self.rows = Counter("ifonly_rows", "Rows asked.", ["model", "status"], registry=own)
        self.model_rows = Counter(
            "ifonly_model_rows", "Rows that models were asked about.", ["model"], registry=own
        )
        self.together = Histogram(
            "ifonly_batch_questions",
            "Questions that were answered as one batch.",
            buckets=(1, 2, 4, 8, 16, 32, 64),
            registry=own,
        )
        Gauge("ifonly_queue", "Questions that wait.", registry=own).set_function(queued)

    def count(self, route: str, status: int, seconds: float, facts: Mapping[str, Any]) -> None:
        """Count one request."""
        self.requests.labels(route, status).inc()
        self.seconds.labels(route).observe(seconds)
        model = facts.get("model", "")
        for name, count in facts.get("statuses", {}).items():
            self.rows.labels(model, name).inc(count)
        self.model_rows.labels(model).inc(facts.get("model_rows", 0))
        if "together" in facts:
            self.together.observe(facts["together"])

    def text(self) -> bytes:
        """The figures in the format of Prometheus."""
        return generate_latest(self.registry)


class Watch:
    """An ASGI application each of whose requests is counted, and written to the log as one line.

    Parameters
    ----------
    app
        What answers. It may put what is to be logged into `request.state.facts`.
    metrics
        Where requests are counted.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; one that fails unexpectedly gets a problem without details."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.monotonic(), GONE
        given = Headers(scope=scope).get("x-request-id", "")
        own = given if _ID.fullmatch(given) else uuid4().hex
        state = scope.setdefault("state", {})
        facts: dict[str, Any] = {}
        state["facts"] = facts

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = own
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except Exception as error:
            where = {"id": own, "error": type(error).__name__, "at": _places(error)}
            LOG.error("failed", extra={"facts": where})
            if status != GONE:
                raise
            refused = Refused("Answering failed.", f"The log has {own}.", kind="internal")
            await reply_to(refused)(scope, receive, sending)
        finally:
            seconds = time.monotonic() - began
            route = getattr(scope.get("route"), "path", "none")
            self.metrics.count(route, status, seconds, facts)
            named = {"method": scope["method"], "route": route, "status": status}
            if token := state.get("token"):
                named["token"] = token.name
            log("request", **{**facts, "id": own, **named, "seconds": round(seconds, 4)})


def log(event: str, **facts: Any) -> None:
    """Put an event into the log; `Lines` writes it as JSON."""
    LOG.info(event, extra={"facts": facts})


class Lines(logging.Formatter):
    """What is logged as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        now = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "level": record.levelname.lower(), "event": record.getMessage()}
        return json.dumps(line | getattr(record, "facts", {}), default=str)


def _places(error: BaseException) -> list[str]:
    """Where in the code an error was raised; not its message, which may quote what was sent."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in frames[-5:]]
