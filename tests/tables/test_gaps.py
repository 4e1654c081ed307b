"""Missing values stay as they are unless the space says that answers may fill in or erase them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.errors import OptionError

DATA = pd.DataFrame(
    {
        "income": [10, 30, 50, 20, np.nan, 40],
        "job": ["a", "b", None, "c", "a", "b"],
        "age": [20, 30, 40, 50, 60, 70],
        "member": [True, False, True, True, False, False],
    }
)
ROW = pd.DataFrame({"income": [np.nan], "job": ["a"], "age": [20], "member": [True]})


def rich(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(frame["income"].fillna(0) > 35)


def unlisted(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(frame["job"].isna())


def explain(model: Any, row: pd.DataFrame = ROW, rules: Any = (), **gaps: Any) -> ifonly.Answers:
    space = ifonly.Space.infer(DATA, **gaps)
    model = ifonly.as_model(model, classes=["no", "yes"])
    return ifonly.explain(model, row, data=DATA, space=space, k=1, rules=rules)


def test_a_missing_value_is_filled_only_where_the_space_says_so() -> None:
    assert not explain(rich).filled.any()
    assert not explain(rich, fillable=["job"], erasable=["income", "job"]).filled.any()
    filled = explain(rich, fillable=["income"]).frame()
    assert filled["income"][0] > 35
    assert not explain(rich, rules=["income at most 30"], fillable="income").filled.any()


def test_a_value_is_erased_only_where_the_space_says_so() -> None:
    assert not explain(unlisted).filled.any()
    assert pd.isna(explain(unlisted, erasable="job").frame()["job"][0])
    assert not explain(unlisted, rules=["job fixed"], erasable=["job"]).filled.any()
    assert not explain(unlisted, rules=["job in a, b"], erasable=["job"]).filled.any()


def test_why_names_the_missing_value_that_blocks_a_row() -> None:
    why = explain(rich).why(0)
    assert (why.fillable, why.erasable) == (("income",), ())
    assert "fill in income" in str(why)
    assert "fillable=['income']" in str(why)
    why = explain(unlisted).why(0)
    assert (why.fillable, why.erasable) == ((), ("job",))
    assert "leave out job" in str(why)
    assert explain(rich, rules=["income at most 30"]).why(0).fillable == ()
    assert explain(rich, ROW.assign(income=10.0)).why(0).fillable == ()


def test_a_row_that_only_missing_values_make_infeasible_is_told_so() -> None:
    stuck = explain(rich, rules=["only income change"])
    assert stuck.status[0] is ifonly.Status.INFEASIBLE
    assert stuck.why(0).fillable == ("income",)


def test_proofs_obey_what_may_be_filled_or_erased() -> None:
    from sklearn.tree import DecisionTreeClassifier

    data = pd.DataFrame({"a": [1.0, 2, 3, np.nan, 5, 6], "b": [3.0, np.nan, 1, 2, 3, 1]})
    tree = DecisionTreeClassifier(random_state=0).fit(data, data["a"].isna())
    row = pd.DataFrame({"a": [3.0], "b": [2.0]})
    ask = {"data": data, "k": 1, "target": True, "method": "exact"}
    kept = ifonly.explain(tree, row, **ask)
    assert kept.status[0] is ifonly.Status.INFEASIBLE
    erased = ifonly.explain(tree, row, space=ifonly.Space.infer(data, erasable=["a"]), **ask)
    assert erased.certificates()["proved"].all()
    assert pd.isna(erased.frame()["a"][0])
    row, ask = pd.DataFrame({"a": [np.nan], "b": [2.0]}), {**ask, "target": False}
    assert not ifonly.explain(tree, row, **ask).filled.any()
    filled = ifonly.explain(tree, row, space=ifonly.Space.infer(data, fillable=["a"]), **ask)
    assert filled.certificates()["proved"].all()
    assert not pd.isna(filled.frame()["a"][0])


def test_the_options_are_recorded_and_asked_again() -> None:
    answers = explain(rich, fillable=["income"], erasable=["job"])
    assert (answers.record["fillable"], answers.record["erasable"]) == (["income"], ["job"])
    model = ifonly.as_model(rich, classes=["no", "yes"])
    again = ifonly.explain_again(answers.record, model, ROW, data=DATA)
    np.testing.assert_array_equal(again.points, answers.points)


def test_what_cannot_be_filled_or_erased_is_named() -> None:
    for option in ("fillable", "erasable"):
        with pytest.raises(OptionError, match="no column 'jobs'") as caught:
            ifonly.Space.infer(DATA, **{option: ["jobs"]})
        assert "'job'" in caught.value.hint
    with pytest.raises(OptionError, match="has no missing value"):
        ifonly.Space.infer(DATA, erasable=["member"])
    feature = ifonly.Space.infer(DATA, fillable=["age"]).features[2]
    assert not feature.missing, "what no row of the data lacks may be filled in anyway"


def test_a_gap_is_filled_with_a_round_number() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"income": rng.normal(40_000, 9_000, 300).round(), "debt": 7.0})
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    tree.fit(data, (data["income"] > 35_000).to_numpy())
    row = data[:1].assign(income=np.nan)
    model = ifonly.as_model(lambda frame: tree.predict_proba(frame.fillna(0.0)), classes=[0, 1])
    data.loc[1, "income"] = np.nan
    space = ifonly.Space.infer(data, fillable="income")
    filled = ifonly.explain(model, row, data=data, target=1, k=1, space=space).frame()
    assert filled["income"][0] % 1000 == 0


def test_a_carried_column_cannot_be_filled() -> None:
    data = pd.DataFrame({"a": [1.0, np.nan, 2.0], "id": ["x1", "x2", "x3"]})
    with pytest.raises(OptionError, match="'id' is carried along unchanged"):
        ifonly.Space.infer(data, carry=["id"], fillable=["id"])
