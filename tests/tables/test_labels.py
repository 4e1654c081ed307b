"""Labels of features, levels and classes are used wherever people read, and must name something."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly import Space
from ifonly.errors import OptionError

RNG = np.random.default_rng(0)
AREA = RNG.integers(0, 3, 200)
DATA = pd.DataFrame(
    {
        "pay": RNG.integers(10_000, 60_000, 200),
        "job": RNG.choice(["A1", "A2"], 200),
        **{f"area_{name}": (place == AREA) * 1 for place, name in enumerate("nsw")},
    }
)
LABELS = {
    "pay": "Yearly income",
    ("job", "A2"): "manager",
    "area": "Region",
    "area_s": "south",
    1: "granted",
}


def decide(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray((frame["pay"] > 50_000) | ((frame["job"] == "A2") & (frame["area_s"] == 1)))


MODEL = ifonly.as_model(decide, classes=[0, 1])


def explain(labels: Any, rows: int = 1) -> ifonly.Answers:
    refused = DATA[~decide(DATA) & (DATA["job"] == "A1") & (DATA["area_n"] == 1)][:rows]
    space = Space.infer(DATA, labels=labels)
    return ifonly.explain(MODEL, refused, data=DATA, space=space, k=2)


@pytest.fixture(scope="module")
def answers() -> ifonly.Answers:
    return explain(LABELS)


def test_sentences_pages_and_plans_use_them(answers: ifonly.Answers) -> None:
    sentences = " ".join(answers.sentences()[0])
    plans = f"{answers.plan(0, 0)} {answers.plan(0, 1)}"
    for text in (sentences, plans, answers.to_html(), answers._repr_html_()):
        assert "Yearly income" in text
        assert "manager" in text
        assert "Region" in text
        assert "south" in text
    assert "granted" in sentences
    assert "1. job from A1 to manager" in plans
    assert "Region from n to south" in plans


def test_pictures_use_them(answers: ifonly.Answers) -> None:
    shown = [text.get_text() for axes in answers.plot(0).axes for text in axes.texts]
    assert {"Yearly income", "Region", "manager", "south"} <= set(shown)
    made = answers.plot_importance(top=2)
    ticks = [label.get_text() for label in made.axes[0].get_yticklabels()]
    assert len(ticks) == 2
    assert "2 of 5 features" in made.axes[0].get_title(loc="left")


def test_tables_keep_names_and_levels(answers: ifonly.Answers) -> None:
    lines = answers.importance()
    assert sorted(lines["feature"]) == sorted(DATA.columns)
    assert dict(zip(lines["feature"], lines["label"], strict=True))["pay"] == "Yearly income"
    assert set(answers.changes()["feature"]) <= set(DATA.columns)
    assert "A2" in answers.frame()["job"].to_list()
    assert "label" not in explain({}).importance().columns
    again = Space.from_json(answers.space.to_json())
    assert again == answers.space


@pytest.mark.parametrize(
    ("labels", "told", "hint"),
    [
        ({"pey": "x"}, "'pey'", "Did you mean 'pay'"),
        ({"A2": "x"}, "'A2'", "('job', 'A2')"),
        ({2: "x"}, "2", "Known"),
        ({("job", "A3"): "x"}, "('job', 'A3')", "A2"),
        ({("jab", "A1"): "x"}, "'jab'", "Did you mean 'job'"),
        ({"pay": "job"}, "two features 'job'", "of its own"),
    ],
)
def test_a_label_of_nothing_is_told(labels: Any, told: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        explain(labels)
    assert told in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize("top", [0, -1, 1.5, True])
def test_a_top_that_is_no_count_is_told(answers: ifonly.Answers, top: Any) -> None:
    with pytest.raises(OptionError, match="top"):
        answers.plot_importance(top=top)
