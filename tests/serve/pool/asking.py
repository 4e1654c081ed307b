"""How tests ask a pool, and a model whose rows may be slow, hang, or end the process."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ifonly.serve.exchange import Ask
from ifonly.serve.pool import Pool
from ifonly.solve.workers.worker import brought

N = 40
FRAME = pd.DataFrame(
    {
        "customer": [f"c{i}" for i in range(N)],
        "income": np.arange(N),
        "debt": np.arange(N) % 7,
    }
)


class Lender:
    """Grants by income and debt; what else it does with a row depends on the customer's name."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """[n, 2]"""
        names = set(frame["customer"])
        if "exit" in names:
            os._exit(3)
        if "hang" in names:
            time.sleep(60)
        if names & {"slow", "slower"}:
            time.sleep(0.6 if "slower" in names else 0.2)
        odds = np.exp((frame["income"] - 3.0 * frame["debt"] - 20 - self.shift).to_numpy(float))
        return np.column_stack([1 / (1 + odds), odds / (1 + odds)])

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """[n]"""
        return np.asarray(self.classes_[(self.predict_proba(frame)[:, 1] > 0.5).astype(int)])


def write_model(path: Path, model: Any) -> None:
    """Replace a file at once by that of a model, with its code in it."""
    cloudpickle = brought("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    aside = path.with_suffix(".new")
    aside.write_bytes(cloudpickle.dumps(model))
    aside.replace(path)


@asynccontextmanager
async def running(source: Any, workers: int = 2, **options: Any) -> AsyncIterator[Pool]:
    """A pool that has started, and is stopped."""
    options = {"key": b"secret", "keep_rows": True, **options}
    pool = Pool({"m": source}, workers=workers, **options)
    await pool.start()
    try:
        yield pool
    finally:
        await pool.stop(0.0)
    assert not pool._staff.processes


def question(income: int, customer: str = "", **options: Any) -> bytes:
    """A question about one row."""
    row = {"customer": customer or f"c{income}", "income": income, "debt": income % 7}
    return json.dumps({"rows": [row], "k": 1, **options}).encode()


def asked(body: bytes, seconds: float | None = None, **options: Any) -> Ask:
    """A request for answers, within some seconds."""
    deadline = None if seconds is None else time.monotonic() + seconds
    return Ask("m", "explain", body, deadline=deadline, **options)


def content(body: str | bytes) -> Any:
    """What a reply says, without what is counted for a batch."""
    reply = json.loads(body)
    counts = ("model_rows", "model_calls", "other_model_rows")
    for name in counts if "record" in reply else ():
        reply["record"].pop(name)
    return reply
