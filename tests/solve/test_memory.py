"""Memory follows what is asked for, and no answer depends on how the work is divided."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.metrics import sets
from ifonly.problem.moves import Grid, _places
from ifonly.search import Engine
from ifonly.select import trim
from ifonly.solve import chunks as turns
from ifonly.space import Categorical, Space

NEEDED = Engine()

RNG = np.random.default_rng(5)
DATA = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, 400),
        "income": RNG.normal(3000, 900, 400).round(),
        "job": RNG.choice(list("abcd"), 400),
        "visits": RNG.integers(0, 50, 400),
    }
)


def score(frame: pd.DataFrame) -> np.ndarray:
    total = frame["age"] / 90 + frame["income"] / 6000 + 0.3 * (frame["job"] == "a")
    return np.asarray(total + frame["visits"] / 100 > 1.5).astype(float)


MODEL = ifonly.as_model(score, classes=["no", "yes"])


@contextmanager
def peak() -> Iterator[Callable[[], float]]:
    """A function that says how many MiB were held at the most since the start."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def test_a_grid_grows_with_the_levels_and_not_with_their_pairs() -> None:
    space = Space((Categorical("zip", tuple(f"z{i}" for i in range(10_000))),))
    with peak() as used:
        grid = Grid.of(space)
        assert used() < 20
    assert len(grid.coarse[0]) == 10_000


@given(st.lists(st.integers(-40, 40), min_size=1), st.lists(st.integers(-50, 50), min_size=1))
@settings(max_examples=300, deadline=None)
def test_a_coarse_grid_stands_at_the_nearest_fine_values(
    fine: list[int], coarse: list[int]
) -> None:
    values, wanted = np.unique(fine) / 2.0, np.unique(coarse) / 3.0
    nearest = np.unique(np.abs(values[:, None] - wanted).argmin(axis=0))
    assert np.array_equal(_places(values, wanted), nearest)


def test_many_levels_are_answered_and_shown() -> None:
    levels = [f"z{i}" for i in range(5_000)]
    data = pd.DataFrame({"age": np.arange(10_000) % 90, "zip": levels * 2})
    model = ifonly.as_model(
        lambda frame: (frame["age"] + 20 * (frame["zip"].str.len() > 4) > 60).astype(float),
        classes=["no", "yes"],
    )
    with peak() as used:
        answers = ifonly.explain(model, data[:10], data=data, k=4)
        assert len(answers.frame()) == 40
        assert len(answers.sentences()) == len(answers)
        assert answers.to_html()
        assert used() < 100


def test_many_answers_take_memory_for_few_rows_at_a_time() -> None:
    explainer = ifonly.Explainer(MODEL, data=DATA)
    explainer.explain(DATA[:1], k=1, target="yes")  # what is imported only now does not count
    with peak() as used:
        answers = explainer.explain(DATA[:10], k=120, target="yes")
        assert used() < 60  # 45, and 70 for all rows at once
    assert answers.filled[[status != "already" for status in answers.status]].all()
    assert not answers.frame().duplicated(["query", *DATA]).any()


@pytest.mark.parametrize("options", [{}, {"method": NEEDED}, {"method": "edits"}, {"k": 20}])
@pytest.mark.parametrize("room", [1, 20_000])
def test_no_answer_depends_on_how_the_work_is_divided(
    options: dict[str, Any], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = ["age only increases", "at most 3 features change"]
    asked = {"data": DATA, "rules": rules, "k": 4, **options}
    rows = DATA[:3] if room == 1 else DATA[:6]  # enough to be divided
    whole = ifonly.explain(MODEL, rows, **asked)
    monkeypatch.setattr(turns, "CHUNK", room)
    monkeypatch.setattr(sets, "ROOM", room)
    monkeypatch.setattr(trim, "ROOM", room)
    parts = ifonly.explain(MODEL, rows, **asked)
    measured = parts.metrics()
    monkeypatch.undo()
    assert np.array_equal(parts.points, whole.points)
    assert parts.status == whole.status
    pd.testing.assert_frame_equal(measured, whole.metrics())
