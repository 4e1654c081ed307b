"""Models behind a network: requests of limited size, made again where they are lost on the way."""

from __future__ import annotations

import io
import threading
import time
import urllib.error
from collections.abc import Callable
from email.message import Message
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import ModelError, OptionError, PredictionError, ServiceError
from ifonly.models.service import PAUSES
from ifonly.status import Status

RNG = np.random.default_rng(0)
DATA = pd.DataFrame({"a": RNG.integers(0, 90, 300), "b": RNG.normal(size=300).round(2)})
ROWS = DATA[:6]


def score(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-4 * (frame["a"] / 45 + frame["b"] - 1))))


class Service:
    """A model that fails in some of its calls, and notes the size of each."""

    def __init__(self, failing: Callable[[int], BaseException | None] = lambda call: None) -> None:
        self.failing, self.sizes, self.threads = failing, [], set()  # type: ignore[var-annotated]

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.sizes.append(len(frame))
        self.threads.add(threading.get_ident())
        error = self.failing(len(self.sizes))
        if error is not None:
            raise error
        return score(frame)


def explained(service: Service, **options: Any) -> ifonly.Answers:
    given = {"data": DATA, "k": 2, "plausible": False, **options}
    model = ifonly.as_model(service, classes=[0, 1], batch_rows=given.pop("batch_rows", None))
    return ifonly.explain(model, ROWS, **given)


@pytest.fixture(scope="module")
def whole() -> ifonly.Answers:
    return explained(Service())


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that would have been made."""
    made: list[float] = []
    monkeypatch.setattr(time, "sleep", made.append)
    return made


@pytest.mark.parametrize("size", [7, 100])
def test_no_request_is_larger_than_batch_rows(size: int, whole: ifonly.Answers) -> None:
    service = Service()
    answers = explained(service, batch_rows=size)
    assert max(service.sizes) == size
    assert np.array_equal(answers.points, whole.points)
    assert answers.record["model_rows"] == whole.record["model_rows"]
    assert answers.record["prepared_rows"] + answers.record["model_rows"] == sum(service.sizes)
    assert len(service.threads) == 1


def test_follow_up_questions_keep_to_batch_rows() -> None:
    service = Service()
    answers = explained(service, batch_rows=50)
    service.sizes.clear()
    answers.sensitive(["a"])
    assert 0 < max(service.sizes) <= 50


@pytest.mark.parametrize("batch_rows", [0, -1, 2.5, True, "many"])
def test_batch_rows_that_mean_nothing_are_refused(batch_rows: Any) -> None:
    with pytest.raises(OptionError, match="batch_rows is"):
        ifonly.as_model(score, classes=[0, 1], batch_rows=batch_rows)
    with pytest.raises(OptionError, match="no effect"):
        ifonly.as_model(score, classes=[0, 1], gradient=score, batch_rows=5)


@pytest.mark.parametrize("every", [100, 10, 3])
@pytest.mark.parametrize("batch_rows", [None, 40])
def test_a_model_that_fails_now_and_then_is_survived(
    every: int, batch_rows: int | None, whole: ifonly.Answers
) -> None:
    service = Service(lambda call: None if call % every else RuntimeError("out of luck"))
    answers = explained(service, batch_rows=batch_rows)
    assert np.array_equal(answers.points, whole.points)
    assert answers.status == whole.status


def test_a_single_row_survives_a_model_that_fails_once() -> None:
    explainer = ifonly.Explainer(ifonly.as_model(service := Service(), classes=[0, 1]), data=DATA)
    service.sizes.clear()
    service.failing = lambda call: RuntimeError("out of luck") if call == 1 else None
    assert explainer.explain(ROWS[:1], k=1, plausible=False).status == (Status.FOUND,)


class Response:
    """What requests and httpx keep in their errors."""

    def __init__(self, code: int) -> None:
        self.status_code = code


class HTTPError(OSError):
    """As that of requests."""

    def __init__(self, code: int) -> None:
        super().__init__("no")
        self.response = Response(code)


class TransportError(Exception):
    """As that of httpx."""


class ReadTimeout(TransportError):
    """As that of httpx."""


def from_urllib(code: int) -> BaseException:
    return urllib.error.HTTPError("http://model", code, "no", Message(), io.BytesIO())


CODES: list[Callable[[int], BaseException]] = [HTTPError, from_urllib]
LOST: list[BaseException] = [
    ConnectionResetError("reset by peer"),
    TimeoutError("timed out"),
    urllib.error.URLError("name not known"),
    ReadTimeout("no answer"),
]


def wrapped(error: BaseException) -> BaseException:
    """The error inside another one, as clients raise it."""
    outer = RuntimeError("the client failed")
    outer.__cause__ = error
    return outer


@pytest.mark.parametrize("error", [*LOST, wrapped(LOST[0]), HTTPError(503), from_urllib(429)])
def test_a_request_that_is_lost_is_made_again(
    error: BaseException, pauses: list[float], whole: ifonly.Answers
) -> None:
    answers = explained(Service(lambda call: None if call % 3 else error), batch_rows=100)
    assert np.array_equal(answers.points, whole.points)
    assert answers.status == whole.status
    assert set(pauses) == {PAUSES[0]}


@pytest.mark.parametrize("error", LOST)
def test_a_service_that_is_never_reached_is_one_error_after_a_few_tries(
    error: BaseException, pauses: list[float]
) -> None:
    service = Service(lambda call: error)
    with pytest.raises(ServiceError, match="service was not reached with 8 rows") as raised:
        explained(service, batch_rows=100)
    assert "connection" in raised.value.hint
    assert type(error).__name__ in raised.value.message
    assert pauses == list(PAUSES)
    assert len(service.sizes) == len(PAUSES) + 1


@pytest.mark.parametrize("made", CODES)
@pytest.mark.parametrize(
    ("code", "hint"),
    [(401, "credentials"), (403, "credentials"), (404, "address"), (413, "batch_rows"), (500, "")],
)
def test_an_http_code_is_named_and_not_repeated_with_pauses(
    made: Callable[[int], BaseException], code: int, hint: str, pauses: list[float]
) -> None:
    with pytest.raises(ModelError, match=f"answered HTTP {code}") as raised:
        explained(Service(lambda call: made(code)))
    assert hint in raised.value.hint
    assert "dtypes" not in str(raised.value)
    assert isinstance(raised.value, PredictionError) == (code in (413, 500))
    assert pauses == []


def test_a_service_that_breaks_off_keeps_what_was_found(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ifonly.solve.chunks.CHUNK", 60_000)
    service = Service()
    explainer = ifonly.Explainer(ifonly.as_model(service, classes=[0, 1]), data=DATA)
    service.sizes.clear()
    explainer.explain(DATA[:90], k=1, plausible=False)
    calls = len(service.sizes)
    service.sizes.clear()
    service.failing = lambda call: ConnectionResetError("gone") if call > calls * 0.7 else None
    answers = explainer.explain(DATA[:90], k=1, plausible=False)
    assert {Status.FOUND, Status.FAILED} <= set(answers.status)
    assert "was not reached" in answers.notes[answers.status.index(Status.FAILED)]
    assert not answers.record["interrupted"]


def test_a_pause_does_not_exceed_a_budget(pauses: list[float]) -> None:
    service = Service()
    explainer = ifonly.Explainer(ifonly.as_model(service, classes=[0, 1]), data=DATA)
    service.failing = lambda call: ConnectionResetError("gone")
    with pytest.raises(ServiceError):
        explainer.explain(ROWS, k=1, plausible=False, budget=0.2)
    assert pauses == []
