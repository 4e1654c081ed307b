"""A search can be watched, and Ctrl-C keeps what it has found."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.solve import watched
from ifonly.status import Status

RNG = np.random.default_rng(0)
DATA = pd.DataFrame({"a": RNG.integers(0, 90, 300), "b": RNG.normal(size=300).round(2)})


class Model:
    """A model that does something at one of its calls."""

    def __init__(self) -> None:
        self.calls, self.at, self.action = 0, 0, lambda: None

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        if self.calls == self.at:
            self.action()
        return np.asarray(1 / (1 + np.exp(-4 * (frame["a"] / 45 + frame["b"] - 1))))

    def act(self, at: int, action: Callable[[], Any]) -> None:
        self.calls, self.at, self.action = 0, at, action


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def explainer(model: Model) -> ifonly.Explainer:
    return ifonly.Explainer(ifonly.as_model(model, classes=[0, 1]), data=DATA)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in which bars show soon."""
    shown = Terminal()
    streams = types.SimpleNamespace(stderr=shown, modules=sys.modules)
    monkeypatch.setattr(watched, "sys", streams)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(watched, "AFTER", 0.0)
    monkeypatch.setattr(watched, "EVERY", 0.01)
    return shown


LINE = re.compile(r"\rExplaining rows [━─]{24} (\d+)/(\d+), (\d+) model calls?, 0:\d\d *")


def test_a_bar_counts_rows_and_rounds_and_goes(
    explainer: ifonly.Explainer, model: Model, terminal: Terminal
) -> None:
    model.act(4, lambda: time.sleep(0.1))
    explainer.explain(DATA[:1], k=2, plausible=False)
    lines = [tuple(map(int, line)) for line in LINE.findall(terminal.getvalue())]
    assert (0, 1, 4) in lines  # it shows life in the first row
    assert re.fullmatch(r"\r +\r", terminal.getvalue()[terminal.getvalue().rfind("\r", 0, -1) :])


def test_a_bar_shows_after_two_seconds_alone(
    explainer: ifonly.Explainer, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "AFTER", 2.0)
    explainer.explain(DATA[:1], k=1, plausible=False)
    assert terminal.getvalue() == ""


def silenced(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return {"progress": False}


def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return {"progress": lambda done, asked: None}


def dumb(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("TERM", "dumb")
    return {}


def piped(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    return {}


@pytest.mark.parametrize("case", [silenced, told, dumb, piped])
@pytest.mark.parametrize("verb", ["explain", "Explainer"])
def test_there_is_no_bar_where_it_is_not_wanted(
    case: Callable[[pytest.MonkeyPatch], dict[str, Any]],
    verb: str,
    explainer: ifonly.Explainer,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = {"k": 1, "plausible": False, **case(monkeypatch)}
    if verb == "explain":
        ifonly.explain(ifonly.as_model(Model(), classes=[0, 1]), DATA[:1], data=DATA, **options)
    else:
        explainer.explain(DATA[:1], **options)
    assert terminal.getvalue() == ""


def test_a_notebook_shows_a_bar(
    explainer: ifonly.Explainer, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "isatty", lambda self: False)
    shell = type("ZMQInteractiveShell", (), {})()
    notebook = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", notebook)  # type: ignore[arg-type]
    explainer.explain(DATA[:1], k=1, plausible=False)
    assert LINE.search(terminal.getvalue())


def test_a_function_hears_of_rows_done(explainer: ifonly.Explainer) -> None:
    heard: list[tuple[int, int]] = []
    explainer.explain(
        DATA, k=1, plausible=False, progress=lambda done, asked: heard.append((done, asked))
    )
    assert heard[-1] == (len(DATA), len(DATA))


def test_ctrl_c_keeps_what_is_found(explainer: ifonly.Explainer, model: Model) -> None:
    many = pd.concat([DATA] * 4, ignore_index=True)
    model.act(0, lambda: None)
    whole = explainer.explain(many, k=1, plausible=False)
    for share in (0.3, 0.7):
        at = max(3, int(model.calls * share))
        total = model.calls
        model.act(at, lambda: signal.raise_signal(signal.SIGINT))
        answers = explainer.explain(many, k=1, plausible=False, keep=True)
        model.calls = total
        assert answers.record["interrupted"]
        assert {Status.FOUND, Status.SKIPPED} <= set(answers.status)
        assert "interrupted" in answers.notes[answers.status.index(Status.SKIPPED)]
        done = np.flatnonzero(answers.filled[:, 0] & (answers.points == whole.points).all((1, 2)))
        assert len(done)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_rounds_of_a_single_row_can_be_interrupted(
    explainer: ifonly.Explainer, model: Model
) -> None:
    model.act(3, lambda: signal.raise_signal(signal.SIGINT))
    answers = explainer.explain(DATA[:1], k=2, plausible=False, keep=True)
    assert answers.record["interrupted"]
    assert answers.filled.any()  # what the first rounds found was confirmed


@pytest.mark.parametrize("keep", [False, True])
def test_ctrl_c_is_pythons_own_without_keep_and_the_second_time(
    explainer: ifonly.Explainer, model: Model, keep: bool
) -> None:
    def press() -> None:
        for _ in range(1 + keep):
            signal.raise_signal(signal.SIGINT)

    model.act(3, press)
    if keep:  # it ends the call that runs, too
        answers = explainer.explain(DATA[:1], k=1, plausible=False, keep=True)
        assert answers.status == (Status.SKIPPED,)
        return
    with pytest.raises(KeyboardInterrupt):
        explainer.explain(DATA[:1], k=1, plausible=False, keep=False)


SLOW = """
import time, pandas as pd, ifonly
data = pd.DataFrame({"a": range(90), "b": [n % 7 for n in range(90)]})
pause = 0.0
def score(frame):
    time.sleep(pause)
    return (frame["a"] + frame["b"] > 50) * 1.0
explainer = ifonly.Explainer(ifonly.as_model(score, classes=[0, 1]), data=data)
explainer.explain(data[:1])
pause = 0.3
print("ready", flush=True)
answers = explainer.explain(data, k=2, keep=True)
print(time.time(), answers.record["interrupted"], len(answers), flush=True)
"""


def test_a_process_that_gets_a_signal_answers_within_a_second_of_the_call() -> None:
    handled = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{handled}\n{SLOW}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        ended, interrupted, rows = process.stdout.read().split()
    assert (interrupted, rows) == ("True", "90")
    assert float(ended) - sent < 0.3 + 1.0 + 1.0  # the call, the second, and a busy machine
