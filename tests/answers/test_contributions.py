"""What each change of an answer contributes, and what each feature could do alone: by hand."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression

import ifonly
from ifonly.search import Engine

N = 80


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    jobs = rng.choice(["clerk", "cook", "pilot"], N)
    return pd.DataFrame(
        {
            "income": rng.integers(10, 90, N),
            "debt": rng.integers(0, 40, N),
            "home": rng.choice(["own", "rent"], N),
            **{f"job_{one}": (jobs == one).astype(int) for one in ("clerk", "cook", "pilot")},
        },
        index=[f"p{row}" for row in range(N)],
    )


def lend(frame: pd.DataFrame) -> np.ndarray:
    """Income less debt, more for an own home, much more for a pilot with one."""
    home = frame["home"].to_numpy() == "own"
    room = frame["income"] - frame["debt"] + 6 * home + 20 * home * frame["job_pilot"]
    return np.asarray(1 / (1 + np.exp(-(room - 45) / 9)))


RULES = ["debt only decreases", "income changes by at most 25"]


@pytest.fixture(scope="module")
def answers(data: pd.DataFrame) -> ifonly.Answers:
    model = ifonly.as_model(lend, classes=["no", "yes"])
    explainer = ifonly.Explainer(model, data=data, rules=RULES)
    return explainer.explain(data[:9], k=4, row_rules={2: ["home fixed"]})


GROUPS = {"income": ["income"], "debt": ["debt"], "home": ["home"]} | {
    "job": ["job_clerk", "job_cook", "job_pilot"]
}


def slow_values(row: pd.DataFrame, goal: pd.DataFrame, changed: list[str]) -> dict[str, float]:
    """The Shapley value of each change, over every order, one model row at a time."""
    total, orders = dict.fromkeys(changed, 0.0), list(permutations(changed))
    for order in orders:
        now = row.copy()
        for name in order:
            before = lend(now)[0]
            now[GROUPS[name]] = goal[GROUPS[name]].to_numpy()
            total[name] += (lend(now)[0] - before) / len(orders)
    return total


def test_contributions_are_shapley_values_of_the_users_own_model(
    answers: ifonly.Answers, data: pd.DataFrame
) -> None:
    frame, table = answers.frame(), answers.contributions()
    assert table["exact"].all()
    for (q, a), lines in table[table["query"] < 3].groupby(["query", "answer"]):
        goal = frame[(frame["query"] == q) & (frame["answer"] == a)]
        wants_yes = answers.wanted[int(q)] == "yes"
        slow = slow_values(data[q : q + 1], goal[data.columns], lines["feature"].tolist())
        for name, value in zip(lines["feature"], lines["contribution"], strict=True):
            assert value == pytest.approx(slow[name] if wants_yes else -slow[name])
        assert set(lines.index) == {f"p{q}"}
    assert len(table.groupby(["query", "answer"])) == answers.filled.sum()


def test_contributions_sum_to_what_the_answer_gains(answers: ifonly.Answers) -> None:
    sums = answers.contributions().groupby(["query", "answer"])["contribution"].sum()
    gains = (answers.score - answers.row_score[:, None])[answers.filled]
    assert sums.to_numpy() == pytest.approx(gains)


def test_columns_of_one_category_are_one_change(answers: ifonly.Answers) -> None:
    table = answers.contributions()
    jobs = table[table["feature"] == "job"]
    assert len(jobs)
    assert set(jobs["before"]) | set(jobs["after"]) <= {"clerk", "cook", "pilot"}
    assert set(table["feature"]) <= set(GROUPS)
    assert set(answers.responsiveness()["feature"]) == set(GROUPS)


def test_one_row_and_one_answer_are_a_part_of_all(answers: ifonly.Answers) -> None:
    table = answers.contributions()
    one = answers.contributions(3, answer=1)
    part = table[(table["query"] == 3) & (table["answer"] == 1)]
    pd.testing.assert_frame_equal(one, part, check_dtype=False)
    every = answers.responsiveness()
    pd.testing.assert_frame_equal(answers.responsiveness(-1), every[every["query"] == 8])


def test_more_changes_than_twelve_are_drawn_and_said_to_be() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({f"x{j}": rng.integers(0, 9, 60) for j in range(14)})
    weights = rng.normal(size=14) / 40
    odds = ifonly.as_model(lambda f: 0.5 + (f - 4) @ weights, classes=[0, 1])
    answers = ifonly.explain(odds, data[:2], data=data, k=2)
    real = answers.examples(n=4, rules=False)
    table = real.contributions()
    many = table.groupby(["query", "answer"])["feature"].transform("size") > 12
    assert many.any()
    assert (table["exact"] == ~many).all()
    sums = table.groupby(["query", "answer"])["contribution"].sum()
    assert sums.to_numpy() == pytest.approx((real.score - real.row_score[:, None])[real.filled])
    # The model is a sum: any order adds the same.
    worth = dict(zip(data.columns, weights, strict=True))
    moved = (table["after"] - table["before"]) * table["feature"].map(worth)
    side = np.where(np.array(real.wanted)[table["query"]] == 1, 1, -1)
    assert table["contribution"].to_numpy() == pytest.approx(side * moved)


def test_with_causes_actions_count_with_what_follows_from_them() -> None:
    rng = np.random.default_rng(3)
    age = rng.integers(20, 60, 60)
    data = pd.DataFrame({"age": age, "income": 2 * age + rng.integers(0, 30, 60)})
    graph, equations = {"income": ("age",)}, {"income": lambda f: 2 * f["age"]}
    causes = ifonly.CausalModel(graph, equations, actions=("age", "debt"))
    data["debt"] = rng.integers(0, 20, 60)
    odds = ifonly.as_model(
        lambda f: (f["income"] - f["age"] - f["debt"]) / 80, classes=["no", "yes"]
    )
    answers = ifonly.explain(odds, data[:4], data=data, k=3, causes=causes)
    table = answers.contributions()
    acted = answers.acted_features()[answers.filled]
    assert len(table) == acted.sum()
    sums = table.groupby(["query", "answer"])["contribution"].sum()
    gains = (answers.score - answers.row_score[:, None])[answers.filled]
    assert sums.to_numpy() == pytest.approx(gains)
    # A year adds two of income, so one to the score's sum; a debt takes one off.
    side = np.where(np.array(answers.wanted)[table["query"]] == "yes", 1, -1)
    worth = table["feature"].map({"age": 1, "debt": -1})
    moved = side * worth * (table["after"] - table["before"]) / 80
    assert table["contribution"].to_numpy() == pytest.approx(moved)
    assert set(table["feature"]) == {"age", "debt"}


def test_a_regressor_and_several_classes_have_contributions_too(data: pd.DataFrame) -> None:
    numbers = data[["income", "debt"]]
    linear = LinearRegression().fit(numbers, numbers["income"] - 2 * numbers["debt"])
    answers = ifonly.explain(linear, numbers[:3], data=numbers, k=2, target=(60, None))
    table = answers.contributions()
    factor = table["feature"].map({"income": 1.0, "debt": -2.0})
    assert table["contribution"].to_numpy() == pytest.approx(
        factor * (table["after"] - table["before"])
    )
    three = np.digitize(numbers["income"] - numbers["debt"], [10, 40])
    forest = RandomForestClassifier(5, random_state=0).fit(numbers, three)
    other = ifonly.explain(forest, numbers[:3], data=numbers, k=2, target="other")
    sums = other.contributions().groupby(["query", "answer"])["contribution"].sum()
    gains = (other.score - other.row_score[:, None])[other.filled]
    assert sums.to_numpy() == pytest.approx(gains)


def slow_share(row: pd.DataFrame, name: str, data: pd.DataFrame, wanted: str, *, home: bool) -> Any:
    """The number of values of a feature that the rules allow, and the share with the outcome."""
    own = row[GROUPS[name]].iloc[0].tolist()
    columns = GROUPS[name]
    values = sorted(set(map(tuple, data[columns].to_numpy().tolist())) - {tuple(own)})
    if name == "debt":
        values = [one for one in values if one[0] < own[0]]
    if name == "income":
        values = [one for one in values if abs(one[0] - own[0]) <= 25]
    if name == "home" and home:
        values = []
    if not values:
        return 0, np.nan
    tried = pd.concat([row] * len(values), ignore_index=True)
    tried[columns] = pd.DataFrame(values, columns=columns)
    return len(values), np.mean((lend(tried) > 0.5) == (wanted == "yes"))


def test_responsiveness_equals_trying_every_value(
    answers: ifonly.Answers, data: pd.DataFrame
) -> None:
    table = answers.responsiveness()
    assert len(table) == 9 * 4
    for line in table.itertuples():
        q = int(line.query)
        row, wanted = data[q : q + 1], answers.wanted[q]
        count, share = slow_share(row, line.feature, data, wanted, home=q == 2)
        assert line.values == count
        assert line.share == pytest.approx(share, nan_ok=True)


def test_frames_have_the_library_and_the_labels_of_the_user(data: pd.DataFrame) -> None:
    plain = pl.from_pandas(data[["income", "debt"]])
    space = ifonly.Space.infer(plain, labels={"income": "Yearly income"})
    odds = ifonly.as_model(
        lambda f: (f["income"] - f["debt"]).to_numpy() / 90, classes=["no", "yes"]
    )
    answers = ifonly.explain(odds, plain[:2], data=plain, space=space, k=2)
    for table in (answers.contributions(), answers.responsiveness()):
        assert isinstance(table, pl.DataFrame)
        assert set(table["label"]) <= {"Yearly income", "debt"}
        assert set(table["feature"]) <= {"income", "debt"}


def test_rows_without_answers_have_no_contributions(data: pd.DataFrame) -> None:
    model = ifonly.as_model(lend, classes=["no", "yes"])
    fixed = [f"{name} fixed" for name in ("income", "debt", "home", "job")]
    answers = ifonly.Explainer(model, data=data, rules=fixed, method=Engine("small")).explain(
        data[:2], k=1
    )
    assert len(answers.contributions()) == 0
    assert answers.responsiveness()["share"].isna().all()
    assert (answers.responsiveness()["values"] == 0).all()


def test_what_cannot_be_asked_is_refused(answers: ifonly.Answers, refused: Any) -> None:
    saved = ifonly.Answers.from_json(answers.to_json())
    for ask in (saved.contributions, saved.responsiveness, saved.examples):
        refused(ifonly.errors.OptionError, "have no model", hint="Ask again", ask=ask)
    refused(
        ifonly.errors.OptionError,
        "no answer 9",
        hint="from 0",
        ask=lambda: answers.contributions(0, 9),
    )
    refused(
        ifonly.errors.OptionError,
        "no row 99",
        hint="0 to 8",
        ask=lambda: answers.responsiveness(99),
    )
