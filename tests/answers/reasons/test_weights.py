"""Weights are shares of the gap, and the user's own model confirms what reasons say."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import ifonly
from ifonly.answers.reasons.measure import LEAST, Measured, measured

CLASSES = ["refused", "granted"]
LEVELS = ("a", "b", "c")


def table(seed: int, n: int = 60) -> pd.DataFrame:
    """Three numbers, an ordinal with few values, and a category."""
    rng = np.random.default_rng(seed)
    numbers = {name: np.round(rng.normal(size=n), 1) for name in ("age", "pay", "debt")}
    return pd.DataFrame({**numbers, "rate": rng.integers(0, 4, n), "job": rng.choice(LEVELS, n)})


def linear(seed: int) -> tuple[Any, np.ndarray, dict[str, float], float]:
    """The log odds of a model that adds up, its weights of numbers and levels, a constant."""
    rng = np.random.default_rng(100 + seed)
    w, own = rng.normal(size=4), dict(zip(LEVELS, rng.normal(size=3), strict=True))
    shift = float(rng.normal() - 1)

    def odds(frame: pd.DataFrame) -> np.ndarray:
        numbers = frame[["age", "pay", "debt", "rate"]].to_numpy(float)
        return np.asarray(numbers @ w + frame["job"].map(own).to_numpy(float) + shift)

    return odds, w, own, shift


def probable(odds: Any) -> Any:
    return ifonly.as_model(lambda frame: 1 / (1 + np.exp(-odds(frame))), classes=CLASSES)


def found_by(model: Any, data: pd.DataFrame, rows: pd.DataFrame, **options: Any) -> Measured:
    return measured(ifonly.explain(model, rows, data=data, k=1, target="granted", **options))


@pytest.mark.parametrize("seed", range(6))
def test_on_linear_models_a_weight_is_the_slope_times_the_reachable_change_by_the_gap(
    seed: int,
) -> None:
    data, (odds, w, own, _) = table(seed), linear(seed)
    rows = data[odds(data) < 0][:12]
    found = found_by(probable(odds), data, rows)
    numbers = data[["age", "pay", "debt", "rate"]]
    best = np.where(w > 0, numbers.max(), numbers.min())
    reach = np.abs(w) * np.abs(best - rows[list(numbers)].to_numpy(float))
    job = max(own.values()) - rows["job"].map(own).to_numpy(float)
    gap = -odds(rows)
    law = np.column_stack([reach, job]) / gap[:, None]
    assert found.scale == "log odds"
    np.testing.assert_allclose(found.gap, gap, atol=1e-9)
    np.testing.assert_allclose(found.weight, law, rtol=1e-7, atol=1e-9)
    top = [[j for j in np.argsort(-one, kind="stable")[:4] if one[j] >= LEAST] for one in law]
    assert [[j for j in one if j >= 0] for one in found.order.tolist()] == top
    # What adds up is needed exactly where all others together do not close the gap.
    for q, reasons in enumerate(top):
        for j in reasons:
            assert found.suffices[q, j] == (law[q, j] > 1)
            assert found.needed[q, j] == (law[q].sum() - law[q, j] <= 1)


def test_of_a_regressor_the_gap_is_that_of_its_number() -> None:
    data, (odds, w, *_) = table(3), linear(3)
    rows = data[odds(data) < 1][:6]
    answers = ifonly.explain(
        ifonly.as_model(odds, task="regression"), rows, data=data, k=1, target=(1.0, None)
    )
    found = measured(answers)
    reach = np.where(w > 0, data.max(numeric_only=True), data.min(numeric_only=True))
    law = w * (reach - rows.iloc[:, :4].to_numpy(float)) / (1 - odds(rows))[:, None]
    assert found.scale == "number"
    np.testing.assert_allclose(found.weight[:, :4], law, rtol=1e-7, atol=1e-9)


@pytest.fixture(scope="module")
def forest() -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    """A forest over few values, so that every change can be tried; and rows that it refuses."""
    rng = np.random.default_rng(5)
    data = pd.DataFrame(rng.integers(0, 4, (150, 5)), columns=list("abcde"))
    granted = (data["a"] + data["b"] * data["c"] - data["d"] > 3) & (data["e"] > 0)
    model = RandomForestClassifier(12, max_depth=5, random_state=0)
    model.fit(data, np.where(granted, "granted", "refused"))
    rows = data[model.predict(data) == "refused"].drop_duplicates()[:25]
    return model, data, rows


def test_the_models_own_word_confirms_every_reason(
    forest: tuple[Any, pd.DataFrame, pd.DataFrame],
) -> None:
    """Sufficiency by every value, necessity by every combination of values, sets by each part."""
    model, data, rows = forest
    found = found_by(model, data, rows)
    assert found.scale == "score"
    every = pd.DataFrame(list(product(range(4), repeat=5)), columns=data.columns)
    granted = every[model.predict(every) == "granted"].to_numpy()
    at_most = 0
    for q, row in enumerate(rows.to_numpy()):
        reasons = [j for j in found.order[q] if j >= 0]
        assert reasons
        for j in reasons:
            alone = (granted != row)[:, [i for i in range(5) if i != j]].sum(axis=1) == 0
            assert found.suffices[q, j] == alone.any()
            without = (granted[:, j] == row[j]).any()
            assert found.needed[q, j] or without  # what is not needed has a witness
            at_most += found.needed[q, j] and without
        kept = found.together[q]
        moved = np.where(kept, found.better[q], row)
        parts = [np.where(np.arange(5) == j, row, moved) for j in np.flatnonzero(kept)]
        said = model.predict(pd.DataFrame([moved, *parts], columns=data.columns).astype(int))
        assert said[0] == "granted"
        assert set(said[1:]) == {"refused"}
    assert at_most <= 0.05 * (found.order >= 0).sum()  # a climb may stop before a far hill


def test_a_row_has_the_same_reasons_alone_and_among_others_and_calls_do_not_grow(
    forest: tuple[Any, pd.DataFrame, pd.DataFrame],
) -> None:
    model, data, rows = forest
    answers = ifonly.explain(model, rows, data=data, k=1, target="granted")
    whole, again = measured(answers), measured(answers)
    for q in (0, 7, 24):
        alone = measured(answers[q])
        for name in ("weight", "order", "suffices", "needed", "together", "better"):
            assert np.array_equal(getattr(alone, name)[0], getattr(whole, name)[q]), name
    assert np.array_equal(whole.order, again.order)
    calls = [measured(answers[q]).model_calls for q in range(3)]
    assert whole.model_calls < 3 * max(calls) < 25 * min(calls)


def test_rules_mark_reasons_and_change_none(
    forest: tuple[Any, pd.DataFrame, pd.DataFrame],
) -> None:
    model, data, rows = forest
    free = found_by(model, data, rows)
    rules = ["a fixed", "b only increases", "a + c <= 6"]
    ruled = found_by(model, data, rows, rules=rules)
    for name in ("weight", "order", "suffices", "needed", "together"):
        assert np.array_equal(getattr(free, name), getattr(ruled, name)), name
    assert not ruled.actionable[:, 0].any()
    assert np.array_equal(ruled.actionable[:, 2:], free.actionable[:, 2:])
    assert (ruled.actionable <= free.actionable).all()


def test_what_closes_the_gap_only_together_is_found_by_a_search() -> None:
    data = pd.DataFrame({name: np.arange(12) for name in "abc"})
    both = ifonly.as_model(lambda f: (f["a"] > 5) & (f["b"] > 5), classes=CLASSES)
    reasons = ifonly.explain(both, data[:1], data=data, k=1).reasons(0)
    assert reasons.together == ("a", "b")
    assert [(one.feature, one.weight, one.needed) for one in reasons] == [
        ("a", 0.0, True),
        ("b", 0.0, True),
    ]


def test_a_searched_set_leaves_other_reasons_their_better_values() -> None:
    data = pd.DataFrame({name: np.arange(12) for name in "abc"})
    both = ifonly.as_model(
        lambda f: 0.1 + 0.01 * f["c"] + 0.6 * ((f["a"] > 5) & (f["b"] > 5)), classes=CLASSES
    )
    reasons = ifonly.explain(both, data[:1], data=data, k=1, target="granted").reasons(0)
    assert reasons.together == ("a", "b")
    assert [(one.feature, one.direction) for one in reasons] == [
        ("c", "low"),
        ("a", "low"),
        ("b", "low"),
    ]
    assert (reasons.reasons[0].better, reasons.reasons[0].needed) == (11, False)


def test_columns_that_are_one_category_are_one_reason() -> None:
    job = np.arange(60) % 3
    flags = {f"job_{name}": (job == i).astype(int) for i, name in enumerate(LEVELS)}
    data = pd.DataFrame({**flags, "pay": np.arange(60)})
    odds = ifonly.as_model(lambda f: 0.3 * f["job_c"] + f["pay"] / 100, classes=CLASSES)
    (first, second) = ifonly.explain(odds, data[:1], data=data, k=1).reasons(0)
    assert (first.feature, second.feature, second.value, second.better) == ("pay", "job", "a", "c")
    assert second.direction == "other"


def test_three_classes_missing_values_and_levels_that_the_data_do_not_have() -> None:
    data = pd.DataFrame({"pay": [1.0, 2, 3, 4, 5, np.nan] * 6, "job": [*"abcabc"] * 6})

    def scores(frame: pd.DataFrame) -> np.ndarray:
        pay = frame["pay"].fillna(0).to_numpy()
        own = (frame["job"] == "c").to_numpy() * 1.0
        return np.exp(np.column_stack([0 * pay + 4, pay + own, 2 * own]))

    def shares(frame: pd.DataFrame) -> np.ndarray:
        return scores(frame) / scores(frame).sum(axis=1, keepdims=True)

    model = ifonly.as_model(shares, classes=["x", "y", "z"])
    rows = pd.DataFrame({"pay": [1.0, np.nan, 2.0], "job": ["a", "b", "new"]})
    space = ifonly.Space.infer(data, fillable=["pay"])
    answers = ifonly.explain(model, rows, data=data, space=space, k=1, target="y")
    assert [answers.reasons(q).reasons[0].direction for q in range(3)] == ["low", "missing", "low"]
    assert answers.reasons(0).reasons[0].weight == pytest.approx(4 / 3)
    assert answers.reasons(2).reasons[1].value == "new"
    other = ifonly.explain(model, rows[:1], data=data, k=1, target="other").reasons(0)
    assert other.reasons[0].feature == "pay"


def test_a_stated_threshold_and_a_demanded_margin() -> None:
    data, (odds, *_) = table(1), linear(1)
    rows = data[odds(data) < 0][:3]
    line = np.log(0.7 / 0.3)
    found = found_by(probable(odds), data, rows, threshold=0.7)
    np.testing.assert_allclose(found.gap, line - odds(rows), atol=1e-9)
    beyond = found_by(probable(odds), data, rows, margin=0.1)
    np.testing.assert_allclose(beyond.gap, -odds(rows), atol=1e-9)


def test_a_row_with_the_wanted_outcome_has_no_reasons() -> None:
    data, (odds, *_) = table(1), linear(1)
    rows = data[odds(data) > 0][:1]
    answers = ifonly.explain(probable(odds), rows, data=data, k=1, target="granted")
    reasons = answers.reasons(0)
    assert (len(reasons), str(reasons)) == (0, "The outcome is granted, as wanted.")
    assert reasons.gap is None
    assert answers.reason_weights()["weight"].isna().all()


def test_saved_answers_cannot_be_asked() -> None:
    data, (odds, *_) = table(1), linear(1)
    answers = ifonly.explain(probable(odds), data[:1], data=data, k=1)
    with pytest.raises(ifonly.errors.OptionError, match="no model"):
        ifonly.Answers.from_json(answers.to_json()).reasons(0)
    with pytest.raises(ifonly.errors.OptionError, match="no row 7"):
        answers.reasons(7)
