"""The 1-nearest-neighbour guess about a row's neighbourhood, and the points that it is tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.metrics import Sets, around, boundary, gather
from ifonly.space import Metric

SPACE = ifonly.Space.describe(
    {"name": "age", "low": 18, "high": 90, "mad": 10},
    {"name": "rate", "low": 0, "high": 5, "mad": 0.5, "decimals": 2},
    {"name": "job", "levels": ["a", "b", "c"]},
)
ROWS = pd.DataFrame({"age": [20, 50, 89], "rate": [0.1, 2.5, 4.9], "job": ["a", "b", "c"]})


def old(frame: pd.DataFrame) -> Any:
    return frame["age"] >= 40


@pytest.fixture
def model() -> Any:
    return ifonly.as_model(old, classes=["young", "old"])


@pytest.mark.parametrize("within", ["sphere", "box"])
@pytest.mark.parametrize("radius", [0.5, 1, 2])
def test_points_lie_in_the_shape_the_range_and_on_the_grid(within: str, radius: float) -> None:
    x = SPACE.codes(ROWS)
    points = around(SPACE, x, radius, 500, within=within)
    gaps = Metric.of(SPACE).gaps(points, x[:, None])[..., SPACE.continuous]
    half_a_step = np.array([0.5 / 10, 0.005 / 0.5])
    norm = np.sqrt((np.maximum(0, gaps - half_a_step) ** 2).sum(axis=-1))
    assert (norm.max() if within == "sphere" else gaps.max()) <= radius + 1e-9
    assert (points >= SPACE.low).all()
    assert (points <= SPACE.high).all()
    assert np.array_equal(points, SPACE.round(points))


@pytest.mark.parametrize("within", ["sphere", "box"])
def test_a_row_draws_the_same_points_alone_and_in_a_batch(within: str) -> None:
    x = SPACE.codes(ROWS)
    together = around(SPACE, x, 1, 50, within=within, seed=3)
    assert np.array_equal(together[1:2], around(SPACE, x[1:2], 1, 50, within=within, seed=3))
    assert not np.array_equal(together, around(SPACE, x, 1, 50, within=within, seed=4))


def test_a_sphere_is_filled_evenly_and_every_level_is_as_likely() -> None:
    points = around(SPACE, SPACE.codes(ROWS[1:2]), 1, 20_000)[0]
    gaps = (points - SPACE.codes(ROWS[1:2]))[:, :2] / [10, 0.5]
    # Of a disc's area a quarter lies within half the radius; rounding moves a little of it.
    assert (np.sqrt((gaps**2).sum(axis=1)) <= 0.5).mean() == pytest.approx(0.25, abs=0.02)
    assert np.bincount(points[:, 2].astype(int)) / 20_000 == pytest.approx([1 / 3] * 3, abs=0.02)


def test_the_guess_is_the_outcome_of_the_nearest_example(model: Any) -> None:
    # Between the row, 20, and its answer, 61, the guess changes past 40, where the model does.
    rows = pd.DataFrame({"age": [20], "rate": [1.0], "job": ["a"]})
    right = gather(rows.assign(query=0, age=61), rows, SPACE)
    late = gather(rows.assign(query=0, age=80), rows, SPACE)
    figures = boundary(right, model, radius=4, within="box").iloc[0]
    assert figures["precision"] == 1
    assert figures["recall"] == pytest.approx(1, abs=0.06)  # 40 itself is nearer to 20
    assert figures["accuracy"] == pytest.approx(1, abs=0.04)
    figures = boundary(late, model, radius=4, within="box").iloc[0]
    assert figures["precision"] == 1
    assert figures["recall"] < 0.6


def test_figures_of_the_two_outcomes_mirror_each_other(model: Any) -> None:
    young, aged = ROWS[:1], ROWS[1:2]
    one = Sets(SPACE, SPACE.codes(young), SPACE.codes(aged)[:, None], np.ones((1, 1), dtype=bool))
    table = boundary(one, model, radius=[1, 3])
    assert table["radius"].tolist() == [1, 3]
    assert table["share"].iloc[0] == 0
    assert table["f1"].iloc[0] == 0
    assert table["original_recall"].iloc[0] == pytest.approx(table["accuracy"].iloc[0])


def test_answers_and_the_frame_of_the_same_answers_score_alike(model: Any) -> None:
    data = pd.DataFrame(
        {
            "age": range(18, 91),
            "rate": np.linspace(0, 5, 73).round(2),
            "job": ["a", "b", "c"] * 24 + ["a"],
        }
    )
    answers = ifonly.explain(model, data[:4], data=data, k=3)
    frame = answers.frame()[["query", *answers.space.names]]
    theirs = gather(frame, data[:4], answers.space, k=3)
    pd.testing.assert_frame_equal(boundary(answers, model), boundary(theirs, model))


def test_a_row_without_answers_guesses_nothing(model: Any) -> None:
    nothing = Sets(
        SPACE, SPACE.codes(ROWS), SPACE.codes(ROWS)[:, None], np.zeros((3, 1), dtype=bool)
    )
    table = boundary(nothing, model, radius=1)
    assert table["answers"].tolist() == [0, 0, 0]
    assert (table["f1"] == 0).all()
    assert (table["original_recall"] == 1).all()


def test_a_regressor_is_judged_by_its_range() -> None:
    price = ifonly.as_model(lambda frame: frame["age"] * 2.0, task="regression")
    sets = gather(ROWS.assign(query=range(3), age=70), ROWS, SPACE, wanted=(120, 160))
    assert (boundary(sets, price, radius=2)["share"] > 0).sum() == 2


def test_options_that_mean_nothing_are_refused(model: Any, refused: Callable[..., Any]) -> None:
    sets = gather(ROWS.assign(query=range(3)), ROWS, SPACE)
    kind = ifonly.errors.OptionError
    for options, hint in (
        ({"within": "spher"}, "sphere"),
        ({"distance": "summ"}, "sum"),
        ({"radius": -1}, "positive"),
    ):
        word = str(next(iter(options.values())))
        refused(kind, word, hint=hint, ask=lambda options=options: boundary(sets, model, **options))
