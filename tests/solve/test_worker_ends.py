"""Worker processes end as one process does: by Ctrl-C, by a signal, by a crash of the model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import ModelError
from ifonly.solve import chunks
from ifonly.status import Status

ROWS = pd.DataFrame({"age": range(20, 44), "pay": [n % 29 for n in range(24)]})
DATA = pd.DataFrame({"age": range(18, 98), "pay": [n % 40 for n in range(80)]})


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rows or so are a chunk."""
    monkeypatch.setattr(chunks, "CHUNK", 8_000)


def test_ctrl_c_keeps_what_workers_have_found(tmp_path: Path) -> None:
    here, begun = os.getpid(), tmp_path / "begun"

    def score(frame: pd.DataFrame) -> Any:
        if os.getpid() != here and (frame["age"] == ROWS["age"].iloc[-1]).any():
            begun.touch()
            time.sleep(0.05)
        return (frame["pay"] > 30) * 1.0

    def press() -> None:
        while not begun.exists():
            time.sleep(0.01)
        os.kill(here, signal.SIGINT)

    model = ifonly.as_model(score, classes=["no", "yes"])
    explainer = ifonly.Explainer(model, data=DATA)
    threading.Thread(target=press, daemon=True).start()
    answers = explainer.explain(ROWS, k=1, plausible=False, workers=2, keep=True)
    assert answers.record["interrupted"]
    assert answers.status[0] is Status.FOUND
    left = answers.status[-1]
    assert left in (Status.SKIPPED, Status.FOUND)
    assert ("interrupted" in answers.notes[-1]) is (left is Status.SKIPPED)


UNGUARDED = """
import time, pandas as pd, ifonly
data = pd.DataFrame({"a": range(90), "b": [n % 7 for n in range(90)]})
def score(frame):
    time.sleep(pause)
    return (frame["a"] + frame["b"] > 50) * 1.0
from ifonly.solve import chunks
chunks.CHUNK, pause = 20_000, 0.0
explainer = ifonly.Explainer(ifonly.as_model(score, classes=[0, 1]), data=data)
print(explainer.explain(data[:30], k=1, workers=2), flush=True)
pause = 0.3
for keep in (True, False):
    print("ready", flush=True)
    try:
        answers = explainer.explain(data, k=2, keep=keep, workers=2)
        print(answers.record["interrupted"], len(answers), flush=True)
    except KeyboardInterrupt:
        print("ended", flush=True)
"""


def test_a_script_needs_no_guard_and_ctrl_c_in_its_terminal_ends_it(tmp_path: Path) -> None:
    handled = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    script = tmp_path / "script.py"
    script.write_text(f"{handled}\n{UNGUARDED}")
    command = [sys.executable, str(script)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "<Answers: 30 rows, k=1: 30 found>\n"
        for said in ("True 90\n", "ended\n"):
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
            assert process.stdout.readline() == said
        rest, errors = process.communicate()
    assert (rest, process.returncode) == ("", 0)
    assert "Traceback" not in errors  # loky may speak of what killed workers have left


def test_chunks_of_a_worker_that_is_killed_are_answered_by_another(tmp_path: Path) -> None:
    here, killed = os.getpid(), tmp_path / "killed"

    def score(frame: pd.DataFrame) -> Any:
        if os.getpid() != here and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return (frame["pay"] > 30) * 1.0

    explainer = ifonly.Explainer(ifonly.as_model(score, classes=["no", "yes"]), data=DATA)
    one = explainer.explain(ROWS, k=1)
    two = explainer.explain(ROWS, k=1, workers=2)
    assert np.array_equal(one.points, two.points)
    assert one.status == two.status
    assert killed.exists()


def test_a_model_that_ends_every_worker_is_an_error(refused: Any) -> None:
    here = os.getpid()

    def score(frame: pd.DataFrame) -> Any:
        if os.getpid() != here:
            os._exit(1)
        return (frame["pay"] > 30) * 1.0

    explainer = ifonly.Explainer(ifonly.as_model(score, classes=["no", "yes"]), data=DATA)
    ask = partial(explainer.explain, ROWS, k=1, workers=2)
    refused(ModelError, "A worker process died", hint="fewer `workers`", ask=ask)


def test_workers_do_not_outlive_a_process_that_is_killed(tmp_path: Path) -> None:
    listed = "print(*(one.pid for one in multiprocessing.active_children()), flush=True)"
    start = UNGUARDED[: UNGUARDED.index("for keep")]
    script = tmp_path / "script.py"
    script.write_text(f"import multiprocessing\n{start}\n{listed}\ntime.sleep(60)")
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        one.stdout.readline()
        workers = [int(pid) for pid in one.stdout.readline().split()]
        assert len(workers) == 2
        one.kill()
        assert one.stdout.read() == ""  # it ends when the last of them has closed it
