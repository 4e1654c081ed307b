"""Answers to questions with suggested rules are rows that can exist."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly
from ifonly.errors import RuleError

POINTS = {"poor": 1, "fair": 2, "good": 4}
RULES = [
    "living = first + second",
    "garage is none <=> area = 0",
    "if garage not none then area at least 14",
    "quality determines points: fair -> 2, good -> 4, poor -> 1",
]


@cache
def houses(n: int = 600, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    garage = rng.choice(["none", "open", "closed"], n, p=[0.3, 0.4, 0.3])
    first, second = rng.integers(40, 160, n), rng.integers(0, 120, n)
    quality = rng.choice(list(POINTS), n)
    return pd.DataFrame(
        {
            "garage": garage,
            "area": np.where(garage == "none", 0, rng.integers(14, 60, n)),
            "first": first,
            "second": second,
            "living": first + second,
            "quality": quality,
            "points": [POINTS[one] for one in quality],
        }
    )


@cache
def forest() -> Pipeline:
    data = houses()
    value = data["living"] * 4 + data["area"] * 6 + data["points"] * 60
    encode = make_column_transformer(
        (OneHotEncoder(), ["garage", "quality"]), remainder="passthrough"
    )
    model = make_pipeline(encode, RandomForestClassifier(15, random_state=0))
    return model.fit(data, np.where(value > value.quantile(0.6), "dear", "cheap"))


def cheap(count: int) -> pd.DataFrame:
    rows = houses(100, 1)
    return rows[forest().predict(rows) == "cheap"][:count]


def possible(frame: pd.DataFrame) -> np.ndarray:
    garage = (frame["garage"] == "none") == (frame["area"] == 0)
    large = (frame["area"] == 0) | (frame["area"] >= 14)
    total = frame["living"] == frame["first"] + frame["second"]
    return np.asarray(garage & large & total & (frame["quality"].map(POINTS) == frame["points"]))


@pytest.mark.parametrize("method", ["auto", "edits", "neighbours"])
def test_every_row_is_answered_by_rows_that_can_exist(method: str) -> None:
    options: dict[str, Any] = {"data": houses(), "k": 3, "method": method}
    free = ifonly.explain(forest(), cheap(20), **options).frame()
    bound = ifonly.explain(forest(), cheap(20), rules="suggested", **options)
    assert not possible(free).all()
    assert possible(bound.frame()).all()
    if method == "auto":
        assert {str(status) for status in bound.status} == {"found"}


def test_exact_answers_obey_them_too() -> None:
    answers = ifonly.explain(
        forest(), cheap(1), data=houses(), k=1, rules="suggested", method="exact"
    )
    assert len(answers.frame()) == 1
    assert possible(answers.frame()).all()


def test_the_record_has_the_rules_themselves_and_can_be_asked_again() -> None:
    answers = ifonly.explain(forest(), cheap(5), data=houses(), rules="suggested")
    assert answers.record["rules"] == RULES
    again = ifonly.explain_again(answers.record, forest(), cheap(5), data=houses())
    assert again.frame().equals(answers.frame())


GIVEN = {
    "the suggestions": lambda: ifonly.suggest_rules(houses()),
    "a list with the word": lambda: ["suggested"],
    "a list with the suggestions": lambda: [ifonly.suggest_rules(houses())],
    "their texts": lambda: list(ifonly.suggest_rules(houses())),
}


@pytest.mark.parametrize("name", GIVEN)
def test_they_are_given_in_any_form(name: str) -> None:
    word = ifonly.explain(forest(), cheap(3), data=houses(), rules="suggested", k=2)
    other = ifonly.explain(forest(), cheap(3), data=houses(), rules=GIVEN[name](), k=2)
    assert other.record["rules"] == RULES
    assert other.frame().equals(word.frame())


def test_they_stand_beside_other_rules_of_explainer_and_question() -> None:
    explainer = ifonly.Explainer(forest(), data=houses(), rules=["garage fixed", "suggested"])
    assert [str(rule) for rule in explainer.setting.rules] == ["garage fixed", *RULES]
    plain = ifonly.Explainer(forest(), data=houses())
    answers = plain.explain(cheap(2), rules=["suggested", "garage fixed"], k=1)
    assert answers.record["rules"] == [*RULES, "garage fixed"]
    assert possible(answers.frame()).all()


def test_the_word_needs_data() -> None:
    space = ifonly.Space.infer(houses())
    with pytest.raises(RuleError, match="there are no data here"):
        ifonly.Explainer(forest(), space=space, rules="suggested")
    with pytest.raises(RuleError, match="there are no data here"):
        ifonly.Explainer(forest(), data=houses()).explain(cheap(1), row_rules={0: "suggested"})


WANTED = {
    "a garage": (lambda frame: frame["garage"] != "none", "none"),
    "an area": (lambda frame: frame["area"] > 20, "none"),
    "no garage": (lambda frame: frame["garage"] == "none", "open"),
    "no area": (lambda frame: frame["area"] < 5, "open"),
    "good quality": (lambda frame: frame["quality"] == "good", None),
    "four points": (lambda frame: frame["points"] > 3, None),
    "more room": (lambda frame: frame["living"] > 240, None),
}


@pytest.mark.parametrize("name", WANTED)
def test_what_goes_with_a_change_follows_it(name: str) -> None:
    decide, garage = WANTED[name]
    rows = houses(200, 2)
    rows = rows[~decide(rows) & (True if garage is None else rows["garage"] == garage)][:10]
    model = ifonly.as_model(decide, classes=["no", "yes"])
    answers = ifonly.explain(model, rows, data=houses(), k=2, rules="suggested")
    assert {str(status) for status in answers.status} <= {"found", "partial"}
    assert possible(answers.frame()).all()
