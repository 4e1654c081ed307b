"""A job of the Python client has the answers of `Explainer.explain`."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
import uvicorn

import ifonly
from ifonly import errors
from ifonly.client.join import answers_of
from ifonly.client.request import request_of
from ifonly.contract import Handler
from ifonly.serve.app import create_app
from ifonly.serve.config import Config
from ifonly.serve.exchange import Ask, Said
from ifonly.serve.jobs import Jobs

DATA = pd.DataFrame({"row": [10, 30, 50, 20], "answers": ["a", "b", "a", "c"]}, index=list("wxyz"))
RICH = ifonly.as_model(lambda frame: frame["row"] > 40, classes=["no", "yes"])
EXPLAINER = ifonly.Explainer(RICH, data=DATA)


class Answering:
    """A pool that is a handler."""

    models, queued = ("rich",), 0
    handler = Handler(EXPLAINER)

    async def ask(self, ask: Ask) -> Said:
        status, text = await asyncio.to_thread(self.handler.respond, ask.route, ask.body)
        return Said(status, text.encode())


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    server = uvicorn.Server(
        uvicorn.Config(lambda: None, port=0, lifespan="off", log_level="critical")
    )

    async def run() -> None:
        pool: Any = Answering()
        jobs = Jobs(tmp_path / "jobs", pool)
        server.config.app = create_app(Config({"rich": pool}), pool, None, jobs)
        await jobs.start()
        await server.serve()
        await jobs.stop()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]
        with ifonly.connect(f"http://127.0.0.1:{port}") as connected:
            yield connected
    finally:
        server.should_exit = True
        thread.join()


def test_a_job_has_the_answers_of_the_explainer(client: Any, tmp_path: Path) -> None:
    rows = pd.concat([DATA[:2]] * 20)
    rules = {3: ["row fixed"], 30: ["row fixed"]}
    targets = ["yes"] * 39 + ["no"]
    options: Any = {
        "k": 2,
        "row_rules": rules,
        "target": targets,
        "rules": [ifonly.fixed("answers")],
    }
    job = client.submit(rows, **options)
    answers, local = job.result(), EXPLAINER.explain(rows, **options)
    assert answers.sentences() == local.sentences()
    assert answers.frame().equals(local.frame())
    assert answers.record["row_rules"] == local.record["row_rules"]
    assert answers.record["target"] == targets
    assert job.progress()["state"] == "fetched"
    assert job.result().status == answers.status  # what was fetched is here
    with pytest.raises(errors.ServiceError, match="gone"):
        client.job(job.id, rows).result()

    other = client.submit(rows, k=1)
    assert other.wait(20) == "done"
    other.save(tmp_path / "result.parquet")
    table = pq.read_table(tmp_path / "result.parquet").to_pandas()
    assert table.columns[0] == "_row"  # the model has a feature of this name
    assert table["row"].tolist() == [41] * 40
    assert [one["state"] for one in client.jobs()] == ["fetched", "fetched"]


def test_answers_of_a_stopped_job_keep_the_names_of_their_rows(tmp_path: Path) -> None:
    """Parts are answered side by side: one that was ended may leave a gap."""
    rows = pd.concat([DATA[:2]] * 3).set_axis(list("abcdef"))
    request = {**request_of(EXPLAINER.setting.space, rows, k=1), "as_answers": True}
    handler = Handler(EXPLAINER)
    parts = [
        json.loads(handler.respond("explain", {**request, "rows": request["rows"][a:b]})[1])
        for a, b in ((0, 2), (4, 5))
    ]
    answers = answers_of([one["answers"] for one in parts], rows, [0, 4])
    assert answers.index == ("a", "b", "e")


def test_a_job_that_is_refused_or_stopped(client: Any) -> None:
    with pytest.raises(errors.OptionError, match="too many"):
        client.submit(DATA, k=50)
    with pytest.raises(errors.TargetError, match="no class 'maybe'"):
        client.submit(DATA, target="maybe")
    job = client.submit(pd.concat([DATA[:2]] * 400), k=1)
    job.stop()
    assert job.wait() == "stopped"
    done = job.progress()["done"]
    if done:
        assert len(job.result()) == done
    else:
        with pytest.raises(errors.ServiceError, match="stopped before the first"):
            job.result()
    with pytest.raises(errors.ServiceError, match="no such job"):
        client.job("nothing").progress()
    with pytest.raises(errors.OptionError, match="not here"):
        client.job(job.id).result()
