"""An answer that only fills a place is marked in the frame, in the metrics and in its sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd

import ifonly
from ifonly.search import Engine

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {"income": RNG.integers(10, 90, 200), "age": RNG.integers(18, 80, 200), "job": ["a", "b"] * 100}
)
RICH = ifonly.as_model(lambda frame: frame["income"] >= 50, classes=["no", "yes"])
ROWS = DATA[DATA["income"] < 40][:8]


def test_places_for_which_there_is_no_other_way_are_filled_and_marked() -> None:
    answers = ifonly.explain(RICH, ROWS, data=DATA, k=3)
    assert answers.filled.all()
    assert not answers.extra[:, 0].any()
    assert answers.extra[:, 1:].all()
    assert answers.frame()["extra"].tolist() == [False, True, True] * len(ROWS)
    assert answers.metrics()["extra"].tolist() == [2] * len(ROWS)
    for first, *others in answers.sentences():
        assert first == first.partition(" A smaller")[0]
        assert all("A smaller change is enough." in one for one in others)
    again = ifonly.Answers.from_json(answers.to_json())
    assert np.array_equal(again.extra, answers.extra)
    assert np.array_equal(answers[2:4].extra, answers.extra[2:4])


def test_a_column_that_the_model_does_not_read_changes_only_to_fill_a_place() -> None:
    answers = ifonly.explain(RICH, ROWS, data=DATA, k=3)
    unread = answers.changed()[:, :, 1:].any(axis=2)
    assert not (unread & ~answers.extra).any()


def test_the_former_choice_marks_nothing() -> None:
    former = Engine(needed=False, tight=False)
    answers = ifonly.explain(RICH, ROWS, data=DATA, k=3, method=former)
    assert not answers.extra.any()
