"""Examples and prototypes are rows of the data, and nothing shows them where they are private."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.answers.questions import examples as module
from ifonly.errors import OptionError, TargetError
from ifonly.problem.goal import Goal
from ifonly.status import Status

N = 120


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, N),
            "debt": rng.integers(0, 40, N).astype(float),
            "job": rng.choice(["a", "b", "c"], N),
        },
        index=[f"p{row}" for row in range(N)],
    )
    frame.loc["p7":"p9", "debt"] = 3.25  # off the grid of whole numbers
    frame.loc["p4", "debt"] = None
    frame.iloc[60:70] = frame.iloc[50:60].to_numpy()  # ten rows are there twice
    return frame.astype({"income": int, "debt": float})


def lend(frame: pd.DataFrame) -> np.ndarray:
    room = frame["income"] - frame["debt"].fillna(20) + 8 * (frame["job"] == "b")
    return np.asarray(1 / (1 + np.exp(-(room - 45) / 9)))


RULES = ["debt only decreases", "job fixed"]
MODEL = ifonly.as_model(lend, classes=["no", "yes"])


@pytest.fixture(scope="module")
def answers(data: pd.DataFrame) -> ifonly.Answers:
    explainer = ifonly.Explainer(MODEL, data=data, rules=RULES)
    return explainer.explain(data[:8], k=2, row_rules={1: ["income changes by at most 30"]})


def brute(answers: ifonly.Answers, data: pd.DataFrame, q: int, n: int, *, rules: bool) -> list[int]:
    """The places of the n nearest rows of the data with the wanted outcome, one by one."""
    row, seen, found = data.iloc[q], set(), []
    codes = answers.space.codes(data)
    price, yes = answers.metric.price(codes, answers.x[q]), lend(data) > 0.5
    for place in np.argsort(price, kind="stable"):
        other = data.iloc[place]
        key = tuple(other.fillna(-1))
        if yes[place] != (answers.wanted[q] == "yes"):
            continue
        same = row["job"] == other["job"]
        gaps = np.isnan([row["debt"], other["debt"]])
        less = gaps.all() or (not gaps.any() and other["debt"] <= row["debt"])
        near = q != 1 or abs(other["income"] - row["income"]) <= 30
        if key not in seen and (not rules or (same and less and near)):
            found.append(int(place))
            seen.add(key)
    return found[:n]


@pytest.mark.parametrize("rules", [True, False])
def test_examples_are_the_nearest_rows_of_the_data_that_fit(
    answers: ifonly.Answers, data: pd.DataFrame, rules: bool
) -> None:
    real = answers.examples(n=4, rules=rules)
    frame = real.frame()
    for q, places in enumerate(real.record["examples"]):
        assert places == brute(answers, data, q, 4, rules=rules)
        shown = frame[frame["query"] == q][list(data.columns)].reset_index(drop=True)
        pd.testing.assert_frame_equal(shown, data.iloc[places].reset_index(drop=True))
        own = real.price()[q][real.filled[q]]
        assert (np.diff(own) >= 0).all()
    assert ((lend(frame) > 0.5) == (frame["prediction"] == "yes")).all()
    assert frame["score"].to_numpy() == pytest.approx(
        np.where(frame["prediction"] == "yes", lend(frame), 1 - lend(frame))
    )


@dataclass(frozen=True)
class WithDebtOf:
    """That the debt is at most so much."""

    most: float
    asks: int = 0

    def margin(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.asarray(self.most - points[:, 1] + 0.5)

    def over(self, space: ifonly.Space) -> WithDebtOf:
        return self


def test_what_is_demanded_of_answers_is_demanded_of_real_rows_and_of_single_values(
    data: pd.DataFrame,
) -> None:
    explainer = ifonly.Explainer(MODEL, data=data)
    explainer.setting = replace(explainer.setting, demands=(WithDebtOf(5),))
    answers = explainer.explain(data[1:3], k=1)
    assert (answers.examples(n=3).frame()["debt"] <= 5).all()
    assert (answers.examples(n=3, rules=False).frame()["debt"] > 5).any()
    share = answers.responsiveness().set_index(["query", "feature"])["share"]
    assert (data["debt"][1:3] > 5).all()
    assert share[:, "income"].eq(0).all()


def test_few_rows_that_fit_are_a_status_with_a_reason(answers: ifonly.Answers) -> None:
    real = answers.examples(n=60)
    assert {Status.PARTIAL} <= set(real.status) <= {Status.PARTIAL, Status.NOT_FOUND}
    short = real.status.index(Status.PARTIAL)
    count = len(real.record["examples"][short])
    assert real.notes[short].startswith(f"Only {count} row")
    assert real.notes[short].endswith("the wanted outcome and obey the rules.")


def test_examples_of_one_row_are_those_of_all(answers: ifonly.Answers) -> None:
    every, one = answers.examples(n=2), answers.examples(3, n=2)
    assert one.record["examples"] == [every.record["examples"][3]] == every[3].record["examples"]
    assert one.sentences() == [every.sentences()[3]]
    assert one.changes().equals(every[3].changes())
    assert len(one) == 1


def test_examples_are_answers_that_can_be_saved_and_asked(answers: ifonly.Answers) -> None:
    real = answers.examples(n=2)
    again = ifonly.Answers.from_json(real.to_json())
    assert again.frame().equals(real.frame())
    assert again.record["examples"] == real.record["examples"]
    gains = (real.score - real.row_score[:, None])[real.filled]
    sums = real.contributions().groupby(["query", "answer"])["contribution"].sum()
    assert sums.to_numpy() == pytest.approx(gains)
    assert "<html" in real.to_html()


def test_the_model_is_asked_about_few_rows(data: pd.DataFrame) -> None:
    many = pd.concat([data.assign(income=data["income"] + part / 100) for part in range(20)])
    asked: list[int] = []

    def watched(frame: pd.DataFrame) -> np.ndarray:
        asked.append(len(frame))
        return lend(frame)

    model = ifonly.as_model(watched, classes=["no", "yes"])
    answers = ifonly.explain(model, many[:1], data=many, k=1)
    asked.clear()
    answers.examples(0, n=1)
    assert sum(asked) < len(many) / 2


def test_chunks_give_the_same_examples(
    answers: ifonly.Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answers.examples(n=3).record["examples"]
    monkeypatch.setattr(module, "PAIRS", 1)
    monkeypatch.setattr(module, "FIRST", 1)
    assert answers.examples(n=3).record["examples"] == whole


def test_rows_that_have_the_outcome_or_cannot_be_asked_about_keep_their_status(
    data: pd.DataFrame,
) -> None:
    rows = data[lend(data) > 0.45][:6]
    answers = ifonly.explain(MODEL, rows, data=data, k=1, target="yes")
    real = answers.examples(n=1)
    have = lend(rows) > 0.5
    assert have.any()
    assert [one is Status.ALREADY for one in real.status] == have.tolist()
    assert [len(one) for one in real.record["examples"]] == (~have).astype(int).tolist()


def test_a_stated_threshold_decides_of_real_rows_too(data: pd.DataFrame) -> None:
    rows = data[lend(data) < 0.7][:4]
    answers = ifonly.explain(MODEL, rows, data=data, k=1, threshold=0.8, target="yes")
    real = answers.examples(n=2)
    assert real.filled.all()
    assert (lend(real.frame()) >= 0.8).all()


def test_examples_of_any_other_class_have_theirs() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.integers(0, 50, 90), "b": rng.integers(0, 9, 90)})
    tree = DecisionTreeClassifier(random_state=0).fit(data, np.digitize(data["a"], [15, 35]))
    answers = ifonly.explain(tree, data[:5], data=data, k=2, target="other")
    frame = answers.examples(n=6).frame()
    assert frame["prediction"].tolist() == tree.predict(frame[["a", "b"]]).tolist()
    own = tree.predict(data[:5])[frame["query"]]
    assert (frame["prediction"] != own).all()


def test_a_real_row_is_judged_with_the_columns_that_it_carries() -> None:
    data = pd.DataFrame({"a": np.arange(40) % 10, "month": ["may", "june"] * 20})
    model = ifonly.as_model(lambda f: (f["a"] > 3) & (f["month"] == "june"), classes=["no", "yes"])
    space = ifonly.Space.infer(data, carry=["month"])
    rows = pd.DataFrame({"a": [2], "month": ["june"]})
    answers = ifonly.explain(model, rows, data=data, space=space, k=1)
    places = answers.examples(0, n=3, rules=False).record["examples"][0]
    assert set(data["month"][places]) == {"june"}
    assert data["a"][places].tolist() == [5, 5, 5]
    chosen = ifonly.prototypes(model, data, space=space, n=2, criticisms=0)
    wanted = chosen["outcome"] == "yes"
    assert (data["month"][chosen["row"][wanted]] == "june").all()


def test_prototypes_are_rows_that_the_model_gives_the_outcome(data: pd.DataFrame) -> None:
    frame = ifonly.prototypes(MODEL, data, n=3, criticisms=2)
    assert frame.groupby(["outcome", "kind"]).size().to_dict() == {
        (outcome, kind): n
        for outcome in ("no", "yes")
        for kind, n in (("prototype", 3), ("criticism", 2))
    }
    real = data.iloc[frame["row"]]
    pd.testing.assert_frame_equal(frame[list(data.columns)], real)
    assert ((lend(real) > 0.5) == (frame["outcome"] == "yes")).all()
    assert frame["row"].is_unique
    other = ifonly.prototypes(ifonly.Explainer(MODEL, data=data), n=3, criticisms=2)
    assert other["row"].tolist() == frame["row"].tolist()
    tables = pl.from_pandas(data)
    model = ifonly.as_model(lambda f: lend(f.to_pandas()), classes=["no", "yes"])
    assert ifonly.prototypes(model, tables, n=1)["row"].to_list() == (
        ifonly.prototypes(MODEL, data, n=1)["row"].to_list()
    )


@pytest.mark.parametrize("again", [False, True])
def test_private_rows_are_not_shown(data: pd.DataFrame, refused: Any, again: bool) -> None:
    explainer = ifonly.Explainer(MODEL, data=data, share_rows=False)
    answers = explainer.explain(data[:1], k=1)
    if again:
        saved = ifonly.Answers.from_json(answers.to_json())
        assert saved.record["share_rows"] is False
        answers = ifonly.explain_again(saved.record, MODEL, data[:1], data=data)
    refused(OptionError, "private", hint="none of them", ask=lambda: answers.examples(0))
    ask = lambda: ifonly.prototypes(explainer)  # noqa: E731
    refused(OptionError, "private", hint="none of them", ask=ask)
    assert len(answers.contributions(0))
    assert len(answers.responsiveness(0))


def test_saved_answers_hold_no_row_of_the_data(data: pd.DataFrame) -> None:
    marked = data.assign(income=data["income"] * 1000 + np.arange(N))
    model = ifonly.as_model(lambda f: f["income"] > 60_000, classes=["no", "yes"])
    saved = ifonly.Explainer(model, data=marked, share_rows=False).explain(marked[:1], k=1)
    inside = [str(one) for one in marked["income"][1:] if str(one) in saved.to_json()]
    assert len(inside) <= 2  # the ends of the range, which the space has


def test_what_means_nothing_is_refused(
    answers: ifonly.Answers, data: pd.DataFrame, refused: Any
) -> None:
    for n in (0, 1.5, True):
        refused(
            OptionError, f"n is {n!r}", hint="1 or more", ask=lambda n=n: answers.examples(0, n)
        )
        refused(
            OptionError,
            "n is",
            hint="1 or more",
            ask=lambda n=n: ifonly.prototypes(MODEL, data, n=n),
        )
    wide = answers.examples(0).frontier
    refused(OptionError, "real rows", hint="`examples` was called on", ask=wide)
    refused(OptionError, "rules is", hint="True", ask=lambda: answers.examples(0, rules="some"))
    bare = ifonly.explain(MODEL, data[:1], space=answers.space, k=1)
    refused(OptionError, "no real rows", hint="Give `data`", ask=lambda: bare.examples(0))
    explainer = ifonly.Explainer(MODEL, data=data)
    twice = lambda: ifonly.prototypes(explainer, data)  # noqa: E731
    refused(OptionError, "already", hint="explainer", ask=twice)
    wrong = lambda: ifonly.Explainer(MODEL, data=data, share_rows="no")  # noqa: E731
    refused(OptionError, "share_rows is 'no'", hint="True or False", ask=wrong)
    numbers = data[["income"]]
    linear = LinearRegression().fit(numbers, numbers["income"])
    refused(
        TargetError, "regressor", hint="as_model", ask=lambda: ifonly.prototypes(linear, numbers)
    )
