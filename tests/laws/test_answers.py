"""What holds for the answers of every method, whatever the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.solve.method import SEARCHERS
from ifonly.testing import MODEL_KINDS, random_frame, random_model, random_rules
from ifonly.testing.spaces import CODED

RULES = ["age only increases", "income between 1500 and 9000", "married fixed"]
MORE = [*RULES, "grade only decreases", ifonly.one_of("job", ["Sales", "Other, rare"])]


def points_of(answers: ifonly.Answers) -> list[list[tuple[Any, ...]]]:
    """For each row its answers as plain tuples, in their order."""
    points = (answers.points + 0.0).astype(object)
    points[np.isnan(answers.points)] = None
    return [
        [tuple(point) for point in own[mask]]
        for own, mask in zip(points, answers.filled, strict=True)
    ]


@pytest.mark.sample(4)
def test_a_row_gets_the_same_answers_alone_shuffled_and_in_shards(asked: Any) -> None:
    rows = asked.rows
    together = asked.answers(rules=RULES)
    order = np.random.default_rng(0).permutation(len(rows))
    batches = [order[:1], order[1:2], order[2:], order]
    for batch in batches:
        answers = asked.explain(rows.iloc[batch], rules=RULES)
        assert points_of(answers) == [points_of(together)[i] for i in batch]
        assert answers.status == tuple(together.status[i] for i in batch)
        assert answers.notes == tuple(together.notes[i] for i in batch)


@pytest.mark.sample(12)
def test_a_row_with_an_allowance_gets_the_same_answers_in_any_batch(asked: Any) -> None:
    rows, allowance = asked.rows, {"budget": {"model_rows_per_row": 500}}
    together = asked.explain(rows, rules=RULES, **allowance)
    order = np.random.default_rng(1).permutation(len(rows))
    for batch in (order[:1], order[1:]):
        answers = asked.explain(rows.iloc[batch], rules=RULES, **allowance)
        assert points_of(answers) == [points_of(together)[i] for i in batch]
        assert answers.status == tuple(together.status[i] for i in batch)


@pytest.mark.sample(2)
def test_every_answer_stands_up_to_the_users_own_model(asked: Any) -> None:
    answers = asked.answers()
    # A surrogate may end with fewer: its model rows are limited.
    few = {ifonly.Status.PARTIAL} if "surrogate" in answers.record["method"].lower() else set()
    assert {*answers.status} - few == {ifonly.Status.FOUND}
    frame = answers.frame()
    wanted = [answers.wanted[q] for q in frame["query"]]
    assert asked.right(frame[list(asked.data.columns)], wanted).all()
    assert few or frame["query"].value_counts().to_list() == [3] * len(asked.rows)


@pytest.mark.sample(2)
def test_every_answer_obeys_every_rule(asked: Any) -> None:
    answers = asked.answers(rules=MORE, k=6)
    frame = answers.frame()
    own = asked.rows.iloc[frame["query"]]
    assert len(frame) > 0
    assert (frame["age"] >= own["age"]).all()
    assert ((frame["income"] >= 1500) & (frame["income"] <= 9000)).all()
    assert (frame["married"] == own["married"]).all()
    assert frame["job"].isin(["Sales", "Other, rare"]).all()
    assert (frame["grade"].cat.codes <= own["grade"].cat.codes).all()
    assert asked.right(
        frame[list(asked.data.columns)], [answers.wanted[q] for q in frame["query"]]
    ).all()


@pytest.mark.sample(2)
def test_no_answer_repeats_another_or_its_row(asked: Any) -> None:
    answers = asked.answers(rules=MORE, k=6)  # more than there are ways, for many rows
    for own, points in zip(answers.x, points_of(answers), strict=True):
        assert len(set(points)) == len(points)
        assert tuple(own) not in points


@pytest.mark.sample(2)
def test_every_answer_can_be_written_as_a_row(asked: Any) -> None:
    answers = asked.answers()
    frame, data = answers.frame(), asked.data
    assert frame[list(data.columns)].dtypes.to_list() == data.dtypes.to_list()
    assert frame["age"].between(data["age"].min(), data["age"].max()).all()
    assert frame["income"].between(data["income"].min(), data["income"].max()).all()
    assert (frame["income"] == frame["income"].round(1)).all()
    for name in ("job", "married", "grade"):
        assert frame[name].isin(data[name].unique()).all()
    ifonly.Space.infer(data).codes(frame[list(data.columns)])


@pytest.mark.sample(4)  # what the first law has asked already
def test_the_input_frames_are_unchanged_bit_for_bit(asked: Any) -> None:
    asked.answers(rules=RULES)  # `Case.explain` compares the frames, here and for every other law


@pytest.mark.sample(2)
def test_the_answers_know_what_they_cost_and_what_made_them(case: Any) -> None:
    answers = case.explain(seed=7, rules=RULES)
    record = answers.record
    assert record["model_rows"] > len(case.rows)
    assert 0 < record["model_calls"] < record["model_rows"]
    assert (record["seed"], record["k"], record["rules"]) == (7, 3, RULES)
    again = case.explain(seed=7, rules=RULES).record
    assert dict(again) == dict(record)


@pytest.mark.sample(2)
def test_a_row_that_has_the_outcome_already_is_told_so(case: Any) -> None:
    rows = pd.concat([case.rows, case.data.drop(case.rows.index)[:60]])
    answers = case.explain(rows)
    wanted = list(answers.wanted)
    assert [s is ifonly.Status.ALREADY for s in answers.status] == list(case.right(rows, wanted))
    assert all(status.answered for status in answers.status)


@pytest.mark.sample(4)
def test_the_order_of_the_training_rows_does_not_matter(asked: Any) -> None:
    shuffled = asked.data.sample(frac=1, random_state=3)
    settings = {"target": asked.target, "k": 3, **asked.options}
    answers = ifonly.explain(asked.model, asked.rows, data=shuffled, **settings)
    assert points_of(answers) == points_of(asked.answers())


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(MODEL_KINDS),
    method=st.sampled_from(sorted(set(SEARCHERS) - {"gradient", "exact", "surrogate"})),
    k=st.integers(1, 5),
)
@settings(max_examples=40, deadline=None)
def test_the_laws_hold_on_any_table(seed: int, kind: str, method: str, k: int) -> None:
    data = random_frame(seed)
    categorical = [CODED] if CODED in data else []
    space = ifonly.Space.infer(data, categorical)
    model = random_model(space, kind, seed)
    rules = random_rules(space, seed)[: seed % 3]
    scores = np.asarray(model.scores(space.codes(data)))
    target: Any = {
        "three classes": 2,
        "regression": (float(np.quantile(scores, 0.7)) + 1e-3, float("inf")),
    }.get(kind, "opposite")
    explainer = ifonly.Explainer(
        model, data=data, categorical=categorical, rules=rules, method=method
    )
    copy = data.copy(deep=True)
    answers = explainer.explain(data[:8], target=target, k=k, seed=seed)
    pd.testing.assert_frame_equal(data, copy, check_exact=True)
    backwards = explainer.explain(data[:8][::-1], target=target, k=k, seed=seed)
    assert points_of(answers) == points_of(backwards)[::-1]
    alone = explainer.explain(data[seed % 8 : seed % 8 + 1], target=target, k=k, seed=seed)
    assert points_of(alone)[0] == points_of(answers)[seed % 8]
    for own, points in zip(answers.x, points_of(answers), strict=True):
        assert len(set(points)) == len(points)
        assert tuple(own) not in points
    frame = answers.frame()
    assert frame[list(data.columns)].dtypes.to_list() == data.dtypes.to_list()
    if len(frame):
        codes = space.codes(frame[list(data.columns)])
        assert np.array_equal(codes, answers.points[answers.filled], equal_nan=True)
        judged = np.asarray(model.scores(codes))
        wanted = [answers.wanted[q] for q in frame["query"]]
        if kind == "regression":
            assert (judged[:, 0] >= target[0]).all()
        else:
            assert [model.classes[i] for i in judged.argmax(axis=1)] == wanted
    again = ifonly.Answers.from_json(answers.to_json())
    pd.testing.assert_frame_equal(again.frame(), frame)
