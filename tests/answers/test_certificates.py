"""Exact answers against all that there is, and what certificates say of other methods' answers."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.errors import ModelError, OptionError

RULES = ["age only increases", "grade increases => age increases by at least 2", "age + debt <= 26"]
MODELS = {
    "logistic": lambda: LogisticRegression(),
    "network": lambda: MLPClassifier(4, random_state=0, max_iter=4000, tol=1e-3),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(6, max_depth=4, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=6, random_state=0),
}


@cache
def table() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 26, 150),
            "debt": rng.integers(0, 8, 150) / 2,
            "job": rng.choice(["a", "b", "c"], 150),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], 150), ["low", "mid", "high"], ordered=True
            ),
        }
    )


@cache
def fitted(name: str) -> Pipeline:
    data = table()
    truth = data["age"] - 3 * data["debt"] + 4 * (data["job"] == "b") + data["grade"].cat.codes
    noisy = truth + np.random.default_rng(1).normal(0, 2, len(data))
    encode = make_column_transformer(
        (StandardScaler(), ["age", "debt"]), (OneHotEncoder(), ["job", "grade"])
    )
    return make_pipeline(encode, MODELS[name]()).fit(data, np.where(noisy > 16, "yes", "no"))


def rows(name: str) -> pd.DataFrame:
    data = table()
    return data[fitted(name).predict(data) == "no"][:8]


def nearest(name: str, row: pd.Series, space: ifonly.Space, rules: list[str]) -> float:
    """The price of the nearest answer among all rows of the space; infinite with none."""
    values = [
        np.arange(18, 26),
        np.arange(0, 36) / 10,
        ["a", "b", "c"],
        ["low", "mid", "high"],
    ]
    every = pd.DataFrame(list(product(*values)), columns=list(table()))
    every["grade"] = pd.Categorical(every["grade"], ["low", "mid", "high"], ordered=True)
    kept = fitted(name).predict(every) == "yes"
    if rules:
        rise = every["grade"].cat.codes > ["low", "mid", "high"].index(row["grade"])
        kept &= (every["age"] >= row["age"]) & (every["age"] + every["debt"] <= 26)
        kept &= ~rise | (every["age"] >= row["age"] + 2)
    metric = ifonly.space.Metric.of(space)
    own = space.codes(row.to_frame().T.astype(table().dtypes.to_dict()))
    far = metric.price(space.codes(every[kept]), own)
    return float(far.min(initial=np.inf))


@pytest.mark.sample(3)
@pytest.mark.parametrize("rules", [[], RULES], ids=["no rules", "rules"])
@pytest.mark.parametrize("name", MODELS)
def test_the_exact_answer_is_the_nearest_of_all(name: str, rules: list[str]) -> None:
    asked = rows(name)
    answers = ifonly.explain(
        fitted(name), asked, data=table(), k=1, rules=rules, method="exact", target="yes"
    )
    proofs = answers.certificates()
    for place in range(len(asked)):
        best = nearest(name, asked.iloc[place], answers.space, rules)
        if best == np.inf:
            assert answers.status[place] is ifonly.Status.INFEASIBLE
            assert proofs["bound"][place] == np.inf
        else:
            assert proofs["price"][place] == pytest.approx(best, abs=1e-9)
            assert proofs["proved"][place]


@pytest.mark.parametrize("name", MODELS)
def test_a_certificate_never_claims_more_than_the_truth(name: str) -> None:
    asked = rows(name)
    answers = ifonly.explain(fitted(name), asked, data=table(), k=3, certify=30)
    proofs = answers.certificates()
    best = [nearest(name, asked.iloc[i], answers.space, []) for i in range(len(asked))]
    assert (proofs["bound"] <= np.array(best) + 1e-9).all()
    assert np.allclose(proofs["bound"], best)
    assert np.allclose(proofs["price"], best)
    assert proofs["proved"].all()
    again = ifonly.Answers.from_json(answers.to_json()).certificates()
    pd.testing.assert_frame_equal(again, proofs)


def test_further_answers_are_other_ways() -> None:
    answers = ifonly.explain(fitted("forest"), rows("forest"), data=table(), k=3, method="exact")
    for x, points in zip(answers.x, answers.points, strict=True):
        ways = np.where(answers.space.continuous, np.sign(points - x), points)
        assert len(np.unique(ways, axis=0)) == 3
    assert (np.diff(answers.price(), axis=1)[answers.filled[:, 1:]] >= -1e-12).all()


def test_without_a_proof_there_is_no_certificate() -> None:
    answers = ifonly.explain(fitted("tree"), rows("tree"), data=table())
    with pytest.raises(OptionError, match="no certificates"):
        answers.certificates()


@pytest.mark.parametrize("options", [{"method": "exact"}, {"certify": True}])
def test_a_model_that_cannot_be_read_is_refused_by_name(options: dict[str, Any]) -> None:
    model = ifonly.as_model(fitted("tree").predict_proba, classes=["no", "yes"])
    with pytest.raises(ModelError, match="cannot be read"):
        ifonly.explain(model, rows("tree"), data=table(), **options)


def test_causes_are_not_stated_to_a_solver() -> None:
    causes = ifonly.CausalModel({"debt": ("age",)}, {"debt": lambda f: f["age"] / 2})
    with pytest.raises(OptionError, match="causes"):
        ifonly.explain(fitted("tree"), rows("tree"), data=table(), causes=causes, method="exact")


@pytest.mark.parametrize("certify", [0, -1, "yes"])
def test_a_certify_that_means_nothing_is_told(certify: Any) -> None:
    with pytest.raises(OptionError, match="certify"):
        ifonly.explain(fitted("tree"), rows("tree"), data=table(), certify=certify)
