"""Where an outcome holds: rules that can be read back, a sentence, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor

import ifonly
from ifonly import Answers, as_model
from ifonly.answers.regions.region import Region
from ifonly.errors import OptionError
from ifonly.rules import as_rules

RNG = np.random.default_rng(2)
DATA = pd.DataFrame(
    {
        "income": RNG.integers(10, 90, 300) * 1000,
        "debt": RNG.integers(0, 40, 300) * 100,
        "job title": RNG.choice(["clerk", "cook, chef", "none"], 300),
        "flag": RNG.random(300) < 0.5,
    }
)
GRANTED = DATA["income"] - 5 * DATA["debt"] + 9000 * (DATA["job title"] == "clerk") > 42_000


def encoded(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{"job title": frame["job title"].map({"clerk": 0, "none": 1}).fillna(2)})


@pytest.fixture(scope="module")
def answers() -> Answers:
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    encode = make_column_transformer((OneHotEncoder(), ["job title"]), remainder="passthrough")
    boosting = GradientBoostingClassifier(n_estimators=12, random_state=0)
    model = make_pipeline(encode, boosting).fit(DATA, np.where(GRANTED, "yes", "no"))
    rows = DATA[model.predict(DATA) == "no"][:5]
    return ifonly.explain(model, rows, data=DATA, k=2, target="yes")


def obeying(answers: Answers, region: Region) -> np.ndarray:
    """bool [n]: the rows of the data that obey the rules of a region."""
    codes = answers.space.codes(DATA)
    obey = np.ones(len(DATA), dtype=bool)
    for rule in as_rules(list(region.rules), answers.space):
        obey &= rule.holds(answers.space, codes, codes[:, None])[:, 0]
    return obey


@pytest.mark.parametrize("answer", [None, 0])
def test_the_rules_of_a_region_read_back_and_hold_the_outcome(
    answers: Answers, answer: int | None
) -> None:
    model = answers.asked_further().setting.model
    wanted = "no" if answer is None else "yes"
    for row in range(len(answers)):
        region = answers.region(row, answer)
        inside = obeying(answers, region)
        said = np.array(model.classes)[model.decide(answers.space.codes(DATA))]
        assert region.proved
        assert region.share == 1
        assert region.coverage == inside.mean()
        assert inside.any() or answer == 0
        assert (said[inside] == wanted).all()
        assert region.precision == 1 or np.isnan(region.precision)
        assert str(region).startswith(f"{wanted} as long as ")


def test_a_region_has_its_row(answers: Answers) -> None:
    for row in range(len(answers)):
        rules = as_rules(list(answers.region(row).rules), answers.space)
        x = answers.x[[row]]
        assert all(rule.holds(answers.space, x, x[:, None]).all() for rule in rules)


def test_a_region_is_a_sentence_with_labels_and_thousands() -> None:
    data = DATA[["income", "debt"]]
    rich = as_model(lambda f: f["income"] > 40_000, classes=["no", "yes"])
    space = ifonly.Space.infer(data, labels={"income": "Yearly income", "no": "refused"})
    answers = ifonly.explain(rich, data[:1].assign(income=20_000), space=space, data=data, k=1)
    region = answers.region(0)
    assert region.rules == ("income at most 40000",)
    assert region.sentence == (
        "refused as long as Yearly income is at most 40,000. Sampled, not proved: at least 99.0 % "
        "of such rows, with 95 % confidence."
    )
    assert not region.proved
    assert 0.98 < region.share < 1
    assert region.precision == 1


def test_tolerances_have_one_line_per_answer_and_feature(answers: Answers) -> None:
    frame = answers.tolerances()
    assert len(frame) == answers.filled.sum() * len(answers.space)
    assert (frame["share"] == 1).all()
    numbers = frame[frame["feature"] == "income"]
    income = answers.points[answers.filled][:, answers.space.index("income")]
    assert (numbers["low"] <= income).all()
    assert (numbers["high"] >= income).all()
    assert numbers["values"].iloc[0].endswith(f"{int(numbers['high'].iloc[0]):,}")
    flag = frame[frame["feature"] == "flag"]
    assert flag["free"].all()
    assert flag["values"].iloc[0] == "no, yes"
    assert frame[["low", "high"]][frame["feature"] == "job title"].isna().all(axis=None)


def test_tolerances_come_in_the_library_of_the_rows() -> None:
    data = pl.DataFrame({"income": [10, 30, 50, 70], "start": [1.5, 2.5, 3.5, 4.5]})
    rich = as_model(lambda f: np.asarray(f["income"]) > 40, classes=["no", "yes"])
    frame = ifonly.explain(rich, data[:1], data=data, k=1).tolerances()
    assert isinstance(frame, pl.DataFrame)
    assert frame["feature"].to_list() == ["income", "start"]


def test_a_regression_keeps_its_side_of_the_range() -> None:
    data = DATA[["income", "debt"]]
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(data, data["income"] / 1000)
    answers = ifonly.explain(model, data[:3], data=data, k=1, target=(95, None))
    for row in range(3):
        region = answers.region(row)
        inside = obeying_numbers(answers, region, data)
        assert region.proved
        assert (model.predict(data[inside]) < 95).all()
        assert region.sentence.startswith("at most 95 ") or "whatever" in region.sentence


def obeying_numbers(answers: Answers, region: Any, data: pd.DataFrame) -> np.ndarray:
    codes = answers.space.codes(data)
    rules = as_rules(list(region.rules), answers.space)
    held = [rule.holds(answers.space, codes, codes[:, None])[:, 0] for rule in rules]
    return np.all(held, axis=0) if held else np.ones(len(data), dtype=bool)


def test_what_cannot_be_asked_is_refused(
    answers: Answers, refused: Callable[..., Exception]
) -> None:
    refused(OptionError, "9", hint="frame", ask=lambda: answers.region(0, 9))
    refused(OptionError, "99", hint="", ask=lambda: answers.region(99))
    saved = Answers.from_json(answers.to_json())
    refused(OptionError, "file", hint="Ask again", ask=lambda: saved.region(0))
    refused(OptionError, "file", hint="Ask again", ask=lambda: saved.tolerances())
