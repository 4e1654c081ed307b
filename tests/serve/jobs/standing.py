"""A pool that answers at once, in place of worker processes; and an app of jobs alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from ifonly.contract import DecisionRecord, Limits, Refused, row_hash
from ifonly.contract.records.decision_record import NONE
from ifonly.errors import IfonlyError
from ifonly.serve.exchange import Ask, Said, Sight
from ifonly.serve.jobs import JobLimits, Jobs, router
from ifonly.serve.store import open_store

MARKS = {"model": "a" * 16, "space": "b" * 16, "rules": "c" * 16}
FEATURES = [{"name": "age", "type": "integer"}, {"name": "job", "type": "string"}]


@dataclass
class StandIn:
    """Answers that age + 10 would do, after a while."""

    seconds_per_row: float = 0.0
    marks: dict[str, str] = field(default_factory=lambda: dict(MARKS))
    replies: list[Any] = field(default_factory=list)
    """What is said first; an exception is raised."""
    asked: list[int] = field(default_factory=list)
    """The ages that were asked about, in order."""
    models: tuple[str, ...] = ("loans",)

    async def ask(self, ask: Ask) -> Said:
        if ask.route == "model":
            card = {"features": FEATURES, "carried": ["id"], "classes": [{"value": "no"}]}
            return _said(
                {**card, "limits": Limits(rows=50).model_dump(), "fingerprints": self.marks}
            )
        rows = json.loads(ask.body)["rows"]
        if rows and self.replies:
            first: Said | Exception | None = self.replies.pop(0)
            if isinstance(first, Exception):
                raise first
            if first is not None:
                return first
        await asyncio.sleep(self.seconds_per_row * len(rows))
        wrong = [i for i, row in enumerate(rows) if not isinstance(row.get("age"), int)]
        if wrong:
            return problem("data", "It is no number.", field=f"rows[{wrong[0]}].age")
        if json.loads(ask.body).get("k", 1) > 9:
            return problem("option", "k is too large.", field="k")
        self.asked += [row["age"] for row in rows]
        records = tuple(_record(row) for row in rows) if ask.record else ()
        explained = [_explained(row) for row in rows]
        return _said({"rows": explained, "fingerprints": self.marks, "answers": None}, records)


def _said(content: Any, records: tuple[DecisionRecord, ...] = ()) -> Said:
    return Said(200, json.dumps(content).encode(), records)


def problem(kind: str, detail: str, field: str = "") -> Said:
    found = Refused(detail, field=field, kind=kind).problem
    return Said(found.status, found.model_dump_json().encode())


def _explained(row: Any) -> Any:
    own = {"status": "found", "note": "", "sentence": ""}
    if row["age"] % 7 == 0:
        return {**own, "status": "not_found", "sentence": "There is none.", "answers": []}
    values = {**row, "age": row["age"] + 10}
    score = {"prediction": "no", "score": 0.5, "distance": 1.0, "price": 1.5, "extra": False}
    return {**own, "answers": [{"values": values, "sentence": "If only.", **score}] * 2}


def _record(row: Any) -> DecisionRecord:
    return DecisionRecord(
        time=datetime(2026, 1, 2, tzinfo=UTC),
        previous=NONE,
        row_hash=row_hash(row, b"key"),
        row=row,
        status="found",
        predicted="no",
        wanted="yes",
        score=0.5,
        threshold=None,
        ways=[],
        certificate=None,
        reproducible=True,
        run={},
    )


def rows_of(count: int) -> list[dict[str, Any]]:
    return [{"age": 20 + i, "job": "a" if i % 2 else None, "id": i} for i in range(count)]


def app_of(
    folder: Path, pool: Any, *, records: bool = False, limits: JobLimits | None = None
) -> FastAPI:
    """An app whose user is who the header 'who' names; `app.state.jobs` are its jobs."""
    folder.mkdir(exist_ok=True)
    store = open_store(folder / "records.db") if records else None
    jobs = Jobs(folder / "jobs", pool, store, limits)

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        await jobs.start()
        yield
        await jobs.stop()

    app = FastAPI(lifespan=living)
    app.state.jobs, app.state.store = jobs, store
    app.include_router(router(jobs))

    @app.middleware("http")
    async def token(request: Request, go_on: Any) -> Any:
        name = request.headers.get("who", "ann")
        request.state.token = SimpleNamespace(name=name, sight=Sight())
        return await go_on(request)

    @app.exception_handler(IfonlyError)
    async def refuse(request: Request, error: IfonlyError) -> JSONResponse:
        refused = error if isinstance(error, Refused) else Refused.of(error)
        return JSONResponse(refused.problem.model_dump(), refused.problem.status)

    return app
