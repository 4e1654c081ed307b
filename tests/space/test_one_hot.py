"""Columns that are one category in 0 and 1 are found, stay possible, and read as one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.rules.joint.one_hot import SetsOne
from ifonly.space import OneHot, Space
from ifonly.testing import check_rule

RNG = np.random.default_rng(5)
N = 400
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 70, N),
        "job": RNG.choice(["clerk", "cook", "night_guard", "none"], N),
        "marital_status": RNG.choice(["never_married", "married", "widowed"], N),
    }
)
GAIN = PEOPLE["age"] / 10 + 3 * (PEOPLE["job"] == "cook") - 2 * (PEOPLE["job"] == "none")
WANTED = np.asarray(GAIN + 2 * (PEOPLE["marital_status"] == "married") + RNG.normal(0, 1, N) > 6)
DTYPES = {"bool": bool, "int": int, "uint8": "uint8", "float": float}
KINDS = (LogisticRegression, RandomForestClassifier)
FORMS = [(dtype, first) for dtype in DTYPES for first in (False, True)]


def dummies(dtype: str = "int", first: bool = False) -> pd.DataFrame:
    return pd.get_dummies(PEOPLE, dtype=DTYPES[dtype], drop_first=first)


def impossible(frame: pd.DataFrame, space: Space) -> np.ndarray:
    """bool [n]: the rows that set two columns of a group, or none where one must be."""
    broken = np.zeros(len(frame), dtype=bool)
    for group in space.one_hot:
        count = frame[list(group.columns)].astype(int).sum(axis=1).to_numpy()
        broken |= (count > 1) | ((count == 0) & (not group.optional))
    return broken


@pytest.mark.parametrize(("dtype", "first"), FORMS)
def test_they_are_found_whatever_their_dtype(dtype: str, first: bool) -> None:
    data = dummies(dtype, first)
    found = Space.infer(data).one_hot
    assert [group.name for group in found] == ["job", "marital_status"]
    assert [len(group.columns) for group in found] == ([3, 2] if first else [4, 3])
    assert all(group.optional == first for group in found)
    assert Space.infer(pl.from_pandas(data)).one_hot == found


def test_flags_that_go_together_or_are_rare_are_no_group() -> None:
    both = pd.DataFrame({"has_car": RNG.random(N) < 0.5, "has_boat": RNG.random(N) < 0.5})
    assert not Space.infer(both).one_hot
    rare = pd.DataFrame({"has_yacht": np.arange(N) == 3, "has_plane": np.arange(N) == 9})
    assert not Space.infer(rare).one_hot
    apart = pd.DataFrame({"male": np.arange(N) % 2 == 0, "female": np.arange(N) % 2 == 1})
    assert not Space.infer(apart).one_hot  # no name to find them by
    assert Space.infer(apart, one_hot=[["male", "female"]]).one_hot[0].name == "male/female"


def test_what_is_stated_is_taken_and_nothing_where_it_is_switched_off() -> None:
    data = dummies()
    jobs = [name for name in data if name.startswith("job")]
    assert Space.infer(data, one_hot=[jobs]).one_hot == (OneHot(tuple(jobs)),)
    assert Space.infer(data, one_hot=[jobs[:2]]).one_hot[0].optional
    off = Space.infer(data, one_hot=())
    assert not off.one_hot
    assert off.continuous.all()


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ([["job_clerk", "jbo_cook"]], "no column 'jbo_cook'"),
        ([["job_clerk", "age"]], "zeros and ones"),
        ([["job_clerk"]], "lists of columns"),
        (["job"], "lists of columns"),
        ([["job_clerk", "marital_status_married"]], "sets two"),
        ([["job_clerk", "job_cook"], ["job_cook", "job_none"]], "two groups"),
    ],
)
def test_a_group_that_is_none_is_refused(stated: Any, said: str) -> None:
    with pytest.raises(ifonly.errors.OptionError) as caught:
        Space.infer(dummies(), one_hot=stated)
    assert said in f"{caught.value}"


EVERY = [
    (*form, method, kind)
    for form, method, kind in product(FORMS, ["auto", "exact", "edits", "neighbours"], KINDS)
    if method != "exact" or form[0] == "int"  # one dtype is enough for a solver
]


@pytest.mark.sample(5)
@pytest.mark.parametrize(("dtype", "first", "method", "kind"), EVERY)
def test_no_answer_is_impossible(dtype: str, first: bool, method: str, kind: Any) -> None:
    data = dummies(dtype, first)
    limits = {"n_estimators": 5, "max_depth": 4, "random_state": 0}
    model = (kind(**limits) if kind is RandomForestClassifier else kind(max_iter=500)).fit(
        data, WANTED
    )
    refused = data[~model.predict(data)][: 3 if method == "exact" else 12]
    answers = ifonly.explain(model, refused, data=data, k=3, method=method)
    frame = answers.frame()[list(data)]
    assert len(frame) >= len(refused)
    assert not impossible(frame, answers.space).any()
    assert model.predict(frame.astype(data.dtypes)).all()
    again = ifonly.explain_again(answers.record, model, refused, data=data)
    assert again.frame().equals(answers.frame())


def test_one_category_is_one_change() -> None:
    data = dummies()
    model = LogisticRegression(max_iter=500).fit(data, WANTED)
    refused = data[~model.predict(data)][:30]
    rules = ["at most 1 feature changes", "age fixed"]
    for method in ("auto", "exact"):
        answers = ifonly.explain(model, refused[:8], data=data, k=1, rules=rules, method=method)
        assert answers.filled.any()
        assert (answers.changed()[answers.filled].sum(axis=-1) == 2).all()
    free = ifonly.explain(model, refused, data=data, k=1, rules="age fixed")
    words = [one for row in free.sentences() for one in row]
    assert any("job were cook (not " in one or "job cook (not" in one for one in words)
    assert not any("job_" in one for one in words)


def test_a_switch_costs_as_much_as_a_change_of_the_category() -> None:
    words, flags = Space.infer(PEOPLE), Space.infer(dummies())
    before, after = (
        PEOPLE.iloc[[0]],
        PEOPLE.iloc[[0]].assign(job="none" if PEOPLE.job[0] != "none" else "cook"),
    )
    both = pd.concat([before, after])
    coded = pd.get_dummies(pd.concat([both, PEOPLE]), dtype=int)[:2]
    a, b = (
        ifonly.space.Metric.of(space).distance(*space.codes(frame))
        for space, frame in ((words, both), (flags, coded))
    )
    assert float(a) == pytest.approx(float(b))


def test_a_row_that_sets_two_may_stay_as_it_is() -> None:
    data = dummies()
    model = LogisticRegression(max_iter=500).fit(data, WANTED)
    odd = data[~model.predict(data)][:5].assign(job_clerk=1, job_none=1)
    odd = odd[~model.predict(odd)]
    answers = ifonly.explain(model, odd, data=data, k=2, rules="only age changes")
    assert answers.filled.any()
    moved = ifonly.explain(model, odd, data=data, k=2, rules="age fixed").frame()[list(data)]
    touched = (moved.filter(like="job_").to_numpy() != odd.filter(like="job_").to_numpy()[:1]).any(
        axis=1
    )
    assert (moved.filter(like="job_").sum(axis=1)[touched] == 1).all()


@pytest.mark.parametrize("first", [False, True])
def test_it_keeps_the_laws_of_a_rule(first: bool) -> None:
    space = Space.infer(dummies(first=first))
    for group in space.one_hot:
        check_rule(SetsOne.of(group), space, m=100)


def test_json_keeps_the_groups_and_refuses_damaged_ones() -> None:
    space = Space.infer(dummies())
    assert Space.from_json(space.to_json()) == space
    plain = space.to_plain()
    for damaged in (7, [7], [[["age"], False]], [["job"]], [[["nothing", 3], True]]):
        with pytest.raises(ifonly.errors.IfonlyError):
            Space.from_plain({**plain, "one_hot": damaged})
