"""The routes of jobs: submit one, see how far it is, stop it, and fetch its result once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse

from ifonly.contract import Problem, Refused, Reply
from ifonly.contract.types import Fingerprints, Strict
from ifonly.serve.exchange import Ask
from ifonly.serve.forms import MEDIA
from ifonly.serve.jobs.job import ENDED, Job
from ifonly.serve.jobs.jobs import GONE, Jobs

PARQUET = "application/vnd.apache.parquet"


class JobStatus(Strict):
    """How far a job is."""

    id: str
    model: str
    state: Literal["queued", "running", "stopped", "failed", "done", "fetched", "deleted"]
    """Of a job that was stopped or has failed, the rows that were answered are the result."""
    reason: str
    """Why it has failed, or what it waits for."""
    created: float
    """When it was submitted, in seconds since 1970."""
    rows: int
    done: int
    """How many of the rows are answered."""
    rows_per_second: float | None
    seconds_left: float | None
    statuses: dict[str, int]
    """How many rows have each status so far."""
    fingerprints: Fingerprints


class JobReply(Reply, JobStatus):
    """One job."""


class JobsReply(Reply):
    """Every job of a token, the oldest first."""

    jobs: list[JobStatus]


def router(jobs: Jobs, spend: Callable[[Any, float], None] | None = None) -> APIRouter:
    """The routes of some jobs, which read who asks from `request.state.token`.

    Parameters
    ----------
    jobs
        Where jobs are kept and run.
    spend
        Takes the rows of a job off the quota of a token.

    Returns
    -------
    APIRouter
        Problems are raised as ifonly's own errors, `Refused` among them.
    """
    problems: dict[int | str, Any] = {
        code: {"model": Problem, "content": {"application/problem+json": {}}}
        for code in (400, 401, 403, 404, 409, 410, 413, 415, 422, 429, 503, 507)
    }
    made = APIRouter(tags=["jobs"], responses=problems)
    _add_submission(made, jobs, spend)

    @made.get("/v1/jobs")
    async def list_jobs(request: Request) -> JobsReply:
        """Your jobs, the oldest first."""
        own = jobs.of(request.state.token.name)
        return JobsReply(jobs=[JobStatus(**job.progress()) for job in own])

    @made.get("/v1/jobs/{job}")
    async def show_job(request: Request, job: str) -> JobReply:
        """How far a job is."""
        return _shown(jobs.find(job, request.state.token.name))

    @made.post("/v1/jobs/{job}/stop")
    async def stop_job(request: Request, job: str) -> JobReply:
        """Stop a job; what is answered is its result."""
        found = jobs.find(job, request.state.token.name)
        await jobs.end(found)
        return _shown(found)

    @made.delete("/v1/jobs/{job}")
    async def delete_job(request: Request, job: str) -> JobReply:
        """Stop a job, and delete its rows and its answers."""
        found = jobs.find(job, request.state.token.name)
        _check_free(found)
        await jobs.delete(found)
        return _shown(found)

    @made.get("/v1/jobs/{job}/result", response_class=StreamingResponse)
    async def fetch_result(request: Request, job: str) -> StreamingResponse:
        """The result as a Parquet file; then the server has neither it nor the rows any more."""
        found = jobs.find(job, request.state.token.name)
        _check_free(found)
        if found.stated.state not in ENDED or found.overdue:
            raise Refused("This job goes on.", "Wait until it has ended.", kind="not-ready")
        size = (found.folder / "result.parquet").stat().st_size
        content = jobs.fetch(found, request.is_disconnected)
        return StreamingResponse(content, 200, {"Content-Length": str(size)}, PARQUET)

    return made


def _add_submission(
    made: APIRouter, jobs: Jobs, spend: Callable[[Any, float], None] | None
) -> None:
    """Add the routes that take a job, for the first model and for each."""
    media = ("application/json", *MEDIA)
    body = {"requestBody": {"required": True, "content": {kind: _content(kind) for kind in media}}}

    async def submit(
        request: Request,
        model: str = "",
        options: Annotated[str, Query(description="With a table: the request as JSON.")] = "{}",
        idempotency_key: Annotated[str, Header(max_length=200)] = "",
    ) -> JSONResponse:
        """Submit rows; the request is that of `explain`, or a table of rows."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        form: Any = MEDIA.get(kind, "contract")
        token, name = request.state.token, model or jobs.pool.models[0]
        said = await request.body()
        ask = Ask(name, "explain", said, form, options.encode(), sight=token.sight)
        known = len(jobs.of(token.name))
        job = await jobs.submit(ask, token.name, idempotency_key)
        if spend is not None and len(jobs.of(token.name)) > known:
            spend(token, job.stated.rows - 1)
        where = {"Location": f"/v1/jobs/{job.stated.id}"}
        return JSONResponse(_shown(job).model_dump(mode="json"), 202, where)

    submitted: dict[str, Any] = {"methods": ["POST"], "status_code": 202, "openapi_extra": body}
    submitted["response_model"] = JobReply
    made.add_api_route("/v1/jobs", submit, operation_id="submit_job", **submitted)
    of_model = "/v1/models/{model}/jobs"
    made.add_api_route(of_model, submit, operation_id="submit_job_of_model", **submitted)


def _shown(job: Job) -> JobReply:
    return JobReply(**job.progress())


def _check_free(job: Job) -> None:
    """Refuse to touch what is gone, or what somebody is fetching."""
    if job.stated.state in GONE:
        raise Refused(f"The result was {job.stated.state}.", "Submit it again.", kind="gone")
    if job.fetching:
        raise Refused("The result is being fetched.", "Wait a moment.", kind="not-ready")


def _content(kind: str) -> dict[str, Any]:
    """The schema of a body of a media type."""
    if kind != "application/json":
        return {"schema": {"type": "string", "format": "binary"}}
    rows = {"type": "array", "items": {"type": "object"}, "minItems": 1}
    return {"schema": {"type": "object", "properties": {"rows": rows}, "required": ["rows"]}}
