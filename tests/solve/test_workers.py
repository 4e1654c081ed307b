"""Several processes give the answers of one, and end as one does."""

from __future__ import annotations

import os
import threading
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.errors import OptionError
from ifonly.search import Engine, Neighbours, Union
from ifonly.solve import chunks
from ifonly.solve.workers import crew
from ifonly.status import Status

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "age": RNG.integers(18, 70, 200),
        "pay": RNG.normal(30, 9, 200).round(1),
        "job": RNG.choice(["cook", "clerk", "smith"], 200),
    }
)
Y = np.where(DATA["pay"] + 0.2 * DATA["age"] + 4 * (DATA["job"] == "clerk") > 42, "yes", "no")
ROWS = DATA[Y == "no"][:12]


def pipeline(last: Any) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encode = make_column_transformer((OneHotEncoder(), ["job"]), (StandardScaler(), ["age", "pay"]))
    return make_pipeline(encode, last).fit(DATA, Y)


LINEAR = pipeline(LogisticRegression())
FOREST = pipeline(RandomForestClassifier(5, max_depth=4, random_state=0))


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rows or so are a chunk."""
    monkeypatch.setattr(chunks, "CHUNK", 12_000)


def same(one: ifonly.Answers, two: ifonly.Answers) -> bool:
    """Whether answers are equal to the last bit, in all that is said of them."""
    counts = {"model_rows", "model_calls"}
    assert {n: v for n, v in one.record.items() if n not in counts} == {
        n: v for n, v in two.record.items() if n not in counts
    }
    names = ("points", "filled", "score", "row_score", "extra", "usual", "bound")
    arrays = [(getattr(one, name), getattr(two, name)) for name in names]
    assert [name for name, (a, b) in zip(names, arrays, strict=True) if _bits(a) != _bits(b)] == []
    return (one.status, one.notes) == (two.status, two.notes)


def _bits(array: Any) -> bytes:
    return b"" if array is None else np.asarray(array).tobytes()


ACTS = ifonly.CausalModel({"pay": ("age",)}, {"pay": lambda causes: 0.3 * causes["age"]})
CASES: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "engine": (FOREST, {}, {}),
    "layers": (LINEAR, {}, {"diversity": 0.9}),
    "rules": (FOREST, {"rules": ["age only increases", "job fixed"]}, {}),
    "row rules": (FOREST, {}, {"row_rules": {1: ["pay fixed"], 5: ["age + pay <= 90"]}}),
    "gradient": (LINEAR, {"method": "gradient"}, {}),
    "exact": (LINEAR, {"method": "exact"}, {}),
    "union": (LINEAR, {"method": Union((Neighbours(), Engine()))}, {}),
    "certify": (LINEAR, {}, {"certify": 5}),
    "threshold": (FOREST, {}, {"threshold": 0.7, "target": "yes"}),
    "allowance": (FOREST, {}, {"budget": {"model_rows_per_row": 400}}),
    "causes": (FOREST, {"causes": ACTS}, {}),
    "plausible": (FOREST, {}, {"plausible": 0.05}),
}


@pytest.mark.parametrize("case", CASES)
def test_two_workers_give_the_answers_of_one(case: str) -> None:
    model, prepared, asked = CASES[case]
    explainer = ifonly.Explainer(model, data=DATA, **prepared)
    one = explainer.explain(ROWS, k=2, **asked)
    assert same(one, explainer.explain(ROWS, k=2, workers=2, **asked))


def test_two_workers_answer_odd_and_failing_rows_as_one_does() -> None:
    class Odd(Exception):
        """An error that cannot be pickled."""

        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    class Fussy(Neighbours):
        def search(self, problem: Any, k: int) -> Any:
            if (problem.x[:, 0] == ROWS["age"].iloc[4]).any():
                raise Odd(1, 2)
            return super().search(problem, k)

    rows = ROWS.astype({"job": object})
    rows.iloc[2, 2] = "pilot"
    explainer = ifonly.Explainer(FOREST, data=DATA, method=Fussy())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (explainer.explain(rows, k=2, workers=workers) for workers in (1, 2))
    assert same(one, two)
    assert "Odd: 1 and 2" in two.notes[4]
    assert two.status[4] is Status.FAILED
    assert "pilot" in two.notes[2]


def test_a_model_with_locks_goes_to_workers_and_one_with_an_open_file_does_not(
    tmp_path: Path, refused: Any
) -> None:
    lock, local = threading.RLock(), threading.local()

    def locked(frame: pd.DataFrame) -> Any:
        with lock:
            local.calls = getattr(local, "calls", 0) + 1
            return (frame["pay"] > 30) * 1.0

    model = ifonly.as_model(locked, classes=["no", "yes"])
    one, two = (ifonly.explain(model, ROWS, data=DATA, k=1, workers=workers) for workers in (1, 2))
    assert same(one, two)
    (tmp_path / "file").touch()
    with (tmp_path / "file").open("rb") as file:
        held = ifonly.as_model(lambda frame: locked(frame) + 0 * file.tell(), classes=["no", "yes"])
        refused(
            OptionError,
            "The model cannot be sent to worker processes",
            "BufferedReader",
            hint="opens what it needs",
            ask=lambda: ifonly.explain(held, ROWS, data=DATA, k=1, workers=2),
        )


def test_workers_have_one_thread_and_the_settings_and_warnings_of_the_first_process(
    tmp_path: Path,
) -> None:
    from threadpoolctl import threadpool_info
    from xgboost import XGBClassifier

    trees = XGBClassifier(n_estimators=2, n_jobs=4).fit(DATA[["age", "pay"]], Y == "yes")
    forest = RandomForestClassifier(3, n_jobs=4).fit(DATA[["age", "pay"]], Y)
    here = os.getpid()

    def score(frame: pd.DataFrame) -> Any:
        if os.getpid() != here:
            from joblib import effective_n_jobs
            from sklearn import get_config

            said = [one["num_threads"] for one in threadpool_info()]
            said += [forest.n_jobs, trees.n_jobs, effective_n_jobs(4)]
            said += ['"nthread":"1"' in trees.get_booster().save_config()]
            (tmp_path / str(os.getpid())).write_text(str({int(one) for one in said}))
            warnings.warn(get_config()["transform_output"], stacklevel=1)
        return forest.predict_proba(frame[["age", "pay"]])[:, 1]

    explainer = ifonly.Explainer(ifonly.as_model(score, classes=["no", "yes"]), data=DATA)
    with config_context(transform_output="pandas"), pytest.warns(UserWarning, match="pandas"):
        explainer.explain(ROWS, k=1, workers=2)
    assert {file.read_text() for file in tmp_path.iterdir()} == {"{1}"}
    assert (forest.n_jobs, trees.n_jobs) == (4, 4)


def test_rows_are_reported_in_their_order() -> None:
    heard: list[int] = []
    explainer = ifonly.Explainer(FOREST, data=DATA)
    answers = explainer.explain(
        ROWS, k=1, workers=2, progress=lambda done, asked: heard.append(done)
    )
    assert heard == sorted(heard)
    assert heard[-1] == len(ROWS)
    assert answers.record["model_calls"] > 0


def test_a_budget_holds_over_all_workers() -> None:
    explainer = ifonly.Explainer(FOREST, data=DATA)
    answers = explainer.explain(ROWS, k=1, workers=2, budget={"model_rows": 2000})
    assert 0 < answers.record["model_rows"] <= 2000
    assert {Status.FOUND} < set(answers.status)
    late = explainer.explain(ROWS, k=1, workers=2, budget=1e-6)
    assert set(late.status) == {Status.SKIPPED}


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "two", None])
def test_workers_are_a_number_or_all(workers: Any, refused: Any) -> None:
    explainer = ifonly.Explainer(FOREST, data=DATA)
    ask = partial(explainer.explain, ROWS, workers=workers)
    refused(OptionError, f"workers is {workers!r}", hint="1 or more, or 'all'", ask=ask)


def test_all_workers_are_the_cores_and_a_daemon_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= crew.count_of("all") <= (os.cpu_count() or 1)
    assert crew.count_of(7) == 7
    monkeypatch.setattr(crew.multiprocessing, "current_process", lambda: DAEMON)
    assert crew.count_of(7) == 1


class DAEMON:
    daemon = True
