"""Rules that people ask for: percentages, ratios, products, sums of flags, names of groups."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly import Space
from ifonly.errors import RuleError
from ifonly.rules import Box, as_rules, parse, to_plain
from ifonly.rules.rule import repaired
from ifonly.testing import check_rule, random_codes

WAYS_TO_PAY = ["cash", "card", "wire"]


@pytest.fixture(scope="module")
def loans() -> pd.DataFrame:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"income": random.integers(5, 50, 200) * 100})
    table["loan"] = random.integers(1, 40, 200) * 100
    table["rate"] = random.uniform(0.01, 0.2, 200).round(2)
    pays = random.integers(0, 3, 200)
    for place, name in enumerate(WAYS_TO_PAY):
        table[name] = pays == place
    return table


@pytest.fixture(scope="module")
def outcome(loans: pd.DataFrame) -> Any:
    return np.where(loans["income"] - loans["loan"] - 5000 * loans["rate"] > 200, "yes", "no")


@pytest.fixture(scope="module")
def lender(loans: pd.DataFrame, outcome: Any) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(loans, outcome)


@pytest.fixture(scope="module")
def tree(loans: pd.DataFrame, outcome: Any) -> Any:
    return DecisionTreeClassifier(max_depth=4, random_state=0).fit(loans, outcome)


@pytest.fixture(scope="module")
def explainer(lender: Any, loans: pd.DataFrame) -> ifonly.Explainer:
    return ifonly.Explainer(lender, data=loans)


@pytest.fixture(scope="module")
def refused_rows(lender: Any, loans: pd.DataFrame) -> pd.DataFrame:
    return loans[lender.predict(loans) == "no"][:5]


def test_every_answer_obeys_what_people_ask_for(
    explainer: ifonly.Explainer, refused_rows: pd.DataFrame
) -> None:
    rules = ["income changes by at most 40%", "loan / income <= 0.5", "cash + card + wire = 1"]
    rules += ["rate * loan <= 150", "loan changes => loan decreases by at least 10%"]
    answers = explainer.explain(refused_rows, k=3, rules=rules, plausible=False)
    assert set(answers.status) == {"found"}
    new, places = answers.frame(), answers.frame()["query"]
    own = refused_rows.iloc[places]
    assert (abs(new["income"] - own["income"]) <= 0.4 * own["income"] + 1e-9).all()
    assert (new["loan"] / new["income"] <= 0.5).all()
    assert (new["rate"] * new["loan"] <= 150 + 1e-9).all()
    assert (new[WAYS_TO_PAY].sum(axis=1) == 1).all()
    assert (answers.changes().query("feature == 'loan'")["after"].astype(float) > 0).all()
    assert ((new["loan"] == own["loan"]) | (new["loan"] <= 0.9 * own["loan"] + 1e-9)).all()
    assert answers.record["rules"] == rules


def test_a_ratio_over_a_positive_number_is_searched_as_its_sum_is(
    explainer: ifonly.Explainer, refused_rows: pd.DataFrame
) -> None:
    frames = [
        explainer.explain(refused_rows, k=3, rules=rule, plausible=False).frame()
        for rule in ("loan / income <= 0.5", "loan <= 0.5 * income")
    ]
    pd.testing.assert_frame_equal(*frames)


def test_a_ratio_is_proved_and_a_product_where_one_factor_is_fixed(
    tree: Any, loans: pd.DataFrame
) -> None:
    rows = loans[tree.predict(loans) == "no"][:1]
    exact = ifonly.Explainer(tree, data=loans, method="exact")

    def nearest(*rules: str) -> np.ndarray:
        answers = exact.explain(rows, k=1, rules=rules)
        assert answers.certificates()["proved"].all()
        return answers.distance()

    assert np.array_equal(nearest("loan / income <= 0.4"), nearest("loan <= 0.4 * income"))
    fixed = nearest("rate fixed", "rate * loan <= 100")
    assert (fixed >= nearest("rate fixed")).all()
    with pytest.raises(RuleError, match="multiplies 'loan' by 'rate', and both can change") as told:
        nearest("rate * loan <= 1")
    assert "Fix one of them" in told.value.hint


def test_a_conflict_with_a_ratio_and_a_percentage_is_explained(
    explainer: ifonly.Explainer, refused_rows: pd.DataFrame
) -> None:
    rules = ["loan / income <= 0.1", "loan >= 300", "income increases by at most 5%", "rate fixed"]
    why = explainer.explain(refused_rows[:1], k=1, rules=rules).why(0)
    assert why.conflict == tuple(rules[:3])


def test_a_record_with_such_rules_is_asked_again(
    explainer: ifonly.Explainer, lender: Any, loans: pd.DataFrame, refused_rows: pd.DataFrame
) -> None:
    rules = ["income changes by at most 40%", "loan / income <= 0.5", "rate * loan <= 150"]
    answers = explainer.explain(refused_rows[:1], k=1, rules=rules)
    record = json.loads(json.dumps(answers.record))
    again = ifonly.explain_again(record, lender, refused_rows[:1], data=loans)
    pd.testing.assert_frame_equal(again.frame(), answers.frame())


SPACE = Space.describe(
    {"name": "loan", "low": -5, "high": 5, "mad": 2},
    {"name": "income", "low": -5, "high": 5, "mad": 2, "missing": True},
    {"name": "late", "levels": [True, False]},
    {"name": "cash", "levels": [False, True]},
    {"name": "card", "levels": [0, 1]},
)


@pytest.mark.parametrize(
    ("line", "own", "new", "held"),
    [
        ("income changes by at most 50%", 4, 6, True),
        ("income changes by at most 50%", -4, -1, False),
        ("income increases by at least 50%", -4, -2, True),
        ("income changes by at most 50%", 0, 0, True),
        ("income changes by at most 50%", 0, 1, False),
        ("income increases by at least 50%", 0, 1, True),
        ("income increases by at least 50%", 0, 0, False),
        ("income changes by at most 50%", np.nan, 1, True),
        ("3 / income <= 2", 1, 2, True),
        ("3 / income <= 2", 1, 0, False),
        ("forbid 3 / income > 2", 1, 0, False),
        ("-3 / income <= 2", 1, 0, True),
        ("3 / income <= 2", 1, -1, True),
        ("loan / income <= 2", 1, 0, True),
        ("3 / income <= 2", np.nan, np.nan, True),
    ],
)
def test_zero_and_missing_mean_what_the_guide_says(
    line: str, own: float, new: float, held: bool
) -> None:
    x = np.array([[0.0, own, 0, 0, 0]])
    point = np.array([[[0.0, new, 0, 0, 0]]])
    assert parse(line, SPACE).holds(SPACE, x, point)[0, 0] == held


@pytest.mark.parametrize(
    "line", ["late + cash + card = 1", "cash + card <= 1", "1 * late >= 1", "loan <= 2 * late"]
)
def test_repair_mends_every_sum_of_flags(line: str) -> None:
    rule = parse(line, SPACE)
    check_rule(rule, SPACE)
    x = random_codes(SPACE, 20, 0)
    points = np.nan_to_num(random_codes(SPACE, 400, 1).reshape(20, 20, -1))
    box = Box.whole(SPACE, np.nan_to_num(x))
    mended = repaired([rule], box, points)
    assert not rule.holds(SPACE, box.x, points).all()
    assert rule.holds(SPACE, box.x, mended).all()


def test_python_makes_the_rules_of_the_text() -> None:
    made = {
        "income changes by at most 10%": ifonly.changes("income", at_most="10%"),
        "income increases by between 5% and 7.5%": ifonly.increases(
            "income", at_least="5%", at_most="7.5%"
        ),
        "income decreases by at least 5%": ifonly.decreases("income", at_least="5%"),
        "loan / income <= 0.5": ifonly.ratio("loan", "income", "<=", 0.5),
        "2 * loan * income + loan >= 3": ifonly.relation(
            {("loan", "income"): 2, "loan": 1}, ">=", 3
        ),
        "cash + card = 1": ifonly.relation({"cash": 1, "card": 1}, "=", 1),
    }
    assert {str(rule): rule for rule in made.values()} == made
    assert [parse(line, SPACE) for line in made] == list(made.values())


@pytest.mark.parametrize("amounts", [{"at_most": "10"}, {"at_most": "x%"}, {"at_most": "-1%"}])
def test_a_share_that_is_none_is_refused(amounts: Any) -> None:
    with pytest.raises(RuleError):
        ifonly.changes("income", **amounts)
    with pytest.raises(RuleError, match="by 5 and '10%'"):
        ifonly.changes("income", at_least=5, at_most="10%")


def test_a_column_with_a_stroke_in_its_name_comes_before_a_ratio() -> None:
    space = Space.describe(
        *({"name": name, "low": 0, "high": 9} for name in ("debt", "income", "debt/income"))
    )
    assert str(parse("debt/income <= 2", space)) == '"debt/income" <= 2'
    assert str(parse("debt / income <= 2", space)) == "debt / income <= 2"
    assert str(parse("debt/debt/income <= 2", space)) == 'debt / "debt/income" <= 2'


@pytest.fixture(scope="module")
def jobs() -> Space:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"job": random.choice(["clerk", "cook", "night guard"], 99)})
    table["age"] = random.integers(20, 60, 99)
    return Space.infer(pd.get_dummies(table))


ABOUT_JOBS: dict[str, Any] = {
    "job fixed": lambda before, after: before == after,
    "job changes": lambda before, after: before != after,
    "job = cook": lambda before, after: after == "cook",
    "job is not cook": lambda before, after: after != "cook",
    "job in {clerk, night guard}": lambda before, after: after in ("clerk", "night guard"),
    "job not in clerk, cook": lambda before, after: after not in ("clerk", "cook"),
    "if job changes then job != cook": lambda before, after: before == after or after != "cook",
    "only age change": lambda before, after: before == after,
    "only job change": lambda before, after: True,
    "at most 0 of job change": lambda before, after: before == after,
    "job causes age": lambda before, after: before == after,
    "age causes job": lambda before, after: True,
    "job and age change together or not at all": lambda before, after: before == after,
}


@pytest.mark.parametrize("line", ABOUT_JOBS)
def test_the_name_of_a_group_stands_for_its_columns(line: str, jobs: Space) -> None:
    rule = parse(line, jobs)
    assert parse(str(rule), jobs) == rule
    (group,) = jobs.one_hot
    place = [jobs.index(column) for column in group.columns]
    codes = np.zeros((3, len(jobs)))
    codes[:, jobs.index("age")] = 30
    codes[range(3), place] = 1
    levels = [group.level(column) for column in group.columns]
    held = rule.holds(jobs, codes, np.repeat(codes[None], 3, axis=0))
    assert held.tolist() == [[ABOUT_JOBS[line](a, b) for b in levels] for a in levels]


def test_rules_in_python_and_json_may_name_a_group_too(jobs: Space) -> None:
    rule = ifonly.one_of("job", ["cook"]).implies(ifonly.fixed("age"))
    given = [ifonly.fixed("job"), rule, to_plain(rule), "job is cook => age fixed"]
    first, *others = as_rules(given, jobs)
    assert str(first) == "job_clerk fixed and job_cook fixed and job_night guard fixed"
    assert {str(other) for other in others} == {"if job_cook is True then age fixed"}


@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("jobb fixed", "'jobb' is not a feature", "Did you mean 'job'?"),
        ("job in cok", "'cok' is not a level of 'job'", "Did you mean 'cook'?"),
        ("job increases", "'job', which is a group of columns", "After a group of columns: fixed"),
        ("age + job <= 3", "'job' is a group of columns", "job_clerk + job_cook"),
        ("age <= 3 * job", "'job' is a group of columns", "job_clerk + job_cook"),
    ],
)
def test_what_cannot_be_said_of_a_group_is_refused(
    line: str, told: str, hint: str, jobs: Space
) -> None:
    with pytest.raises(RuleError, match=told) as caught:
        parse(line, jobs)
    assert hint in caught.value.hint


def test_answers_obey_rules_on_a_group() -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"job": random.choice(["clerk", "cook", "guard"], 99)})
    table["age"] = random.integers(20, 60, 99)
    flags = pd.get_dummies(table)
    good = np.where((table["job"] == "guard") | (table["age"] > 50), "yes", "no")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(flags, good)
    rows = flags[model.predict(flags) == "no"][:3]
    explainer = ifonly.Explainer(model, data=flags)
    fixed = explainer.explain(rows, k=2, rules="job fixed", plausible=False).changes()
    assert set(fixed["feature"]) == {"age"}
    rules = ["job in {cook, guard}", "age fixed"]
    moved = explainer.explain(rows, k=1, rules=rules, plausible=False).frame()
    assert moved["job_guard"].all()


def test_a_misspelled_word_for_suggested_rules_is_recognised(
    explainer: ifonly.Explainer, refused_rows: pd.DataFrame
) -> None:
    with pytest.raises(RuleError) as caught:
        explainer.explain(refused_rows[:1], rules="sugested")
    assert caught.value.hint == "Did you mean 'suggested'?"
