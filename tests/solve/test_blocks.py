"""Many rows are searched together and finished in blocks: the answers are those of one block."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from ifonly.explainer import Explainer
from ifonly.models import Counted, relayed
from ifonly.search import Engine

METHODS: dict[str, Any] = {"gradient": "gradient", "device": Engine(device="cpu")}


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    numbers = {name: rng.integers(0, 50, 60) for name in ("age", "income", "debt")}
    return pd.DataFrame({**numbers, "job": np.array(["a", "b"])[rng.integers(0, 2, 60)]})


@pytest.fixture(scope="module")
def model(data: pd.DataFrame) -> Any:
    encode = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    granted = data["income"] - data["debt"] > 0
    return make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(data, granted)


@pytest.mark.parametrize("name", METHODS)
def test_blocks_give_the_answers_of_all_rows_together(
    name: str, data: pd.DataFrame, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "device":
        pytest.importorskip("torch")
    explainer = Explainer(model, data=data, method=METHODS[name], rules=["age only increases"])
    rows = data[:20].assign(age=data["age"].max())  # some rows cannot change, some are met
    asked = {"row_rules": {3: ["income fixed", "debt fixed", "job fixed", "age fixed"]}, "k": 2}
    target = [bool(one) for one in np.arange(20) % 3 > 0]
    whole = explainer.explain(rows, target=target, **asked)
    monkeypatch.setattr(relayed, "BLOCK", 3)
    parts = explainer.explain(rows, target=target, **asked)
    assert parts.status == whole.status
    assert {"infeasible", "already"} <= {one.value for one in whole.status}
    assert np.array_equal(parts.points, whole.points)
    assert np.array_equal(parts.extra, whole.extra)
    assert parts.notes == whole.notes
    assert parts.record["model_rows"] == whole.record["model_rows"]


class Asked:
    """A model that notes which threads ask it."""

    classes = (0, 1)

    def __init__(self, error: type[BaseException] | None = None) -> None:
        self.error, self.threads = error, set[threading.Thread]()

    def scores(self, codes: np.ndarray) -> Any:
        self.threads.add(threading.current_thread())
        if self.error is not None:
            raise self.error("no")
        return np.concatenate([1 - codes, codes], axis=1)

    def decide(self, codes: np.ndarray) -> None: ...


def test_a_model_is_asked_by_the_calling_thread_alone() -> None:
    model, others = Asked(), set()

    def ask(counted: Counted, rows: np.ndarray) -> np.ndarray:
        others.add(threading.current_thread())
        counted.own(rows[:, None] / 100)
        return counted.scores(rows[:, None] / 100)[:, 1]

    counted = Counted(model, model)
    found = relayed.in_threads(counted, ask, np.array_split(np.arange(100), 9))
    assert np.array_equal(np.concatenate(found), np.arange(100) / 100)
    assert model.threads == {threading.current_thread()}
    assert others.isdisjoint(model.threads)
    assert (counted.rows, counted.calls) == (200, 18)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_of_the_model_ends_all_threads(error: type[BaseException]) -> None:
    model = Asked(error)
    with pytest.raises(error):
        relayed.in_threads(
            Counted(model, model),
            lambda counted, rows: counted.scores(rows[:, None] / 1.0),
            [np.arange(2)] * 20,
        )
    assert not [one for one in threading.enumerate() if one.name.startswith("ThreadPool")]
