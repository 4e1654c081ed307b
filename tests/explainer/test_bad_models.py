"""A model that fails, or gives what no model of its kind gives, is told so in its own words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import ModelError, OptionError

DATA = pd.DataFrame({"age": [22, 35, 41, 58], "income": [1200.5, 3400.0, 5100.25, 2800.0]})


def explain(function: Any, **kind: Any) -> ifonly.Answers:
    kind = kind or {"classes": ["no", "yes"]}
    target = (1, 2) if "task" in kind else "opposite"
    return ifonly.explain(ifonly.as_model(function, **kind), DATA[:2], data=DATA, target=target)


def told(function: Any, **kind: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        explain(function, **kind)
    assert caught.value.hint
    return caught.value


def test_nan_is_counted() -> None:
    error = told(lambda frame: np.where(frame["age"] > 0, np.nan, 0.2))
    assert "NaN for 4 of 4 rows" in error.message


def test_infinite_scores_are_counted() -> None:
    error = told(lambda frame: np.where(frame["age"] > 0, np.inf, 0.2), task="regression")
    assert "infinite score for 4 of 4 rows" in error.message


def test_the_wrong_number_of_rows_is_counted() -> None:
    error = told(lambda frame: np.zeros(len(frame) + 1))
    assert "returned 5 for 4 rows" in error.message
    assert "one entry for each row" in error.hint


def test_one_number_for_all_rows_is_told() -> None:
    assert "one number for 4 rows" in told(lambda frame: 0.5).message


def test_the_wrong_shape_is_told_with_the_right_one() -> None:
    error = told(lambda frame: np.zeros((len(frame), 3)))
    assert "(4, 3)" in error.message
    assert "(4, 2)" in error.hint
    assert "['no', 'yes']" in error.hint


def test_the_wrong_shape_of_a_regressor_is_told_with_the_right_one() -> None:
    error = told(lambda frame: np.zeros((len(frame), 2)), task="regression")
    assert "(4, 2)" in error.message
    assert "(4,)" in error.hint


def test_labels_in_place_of_numbers_are_told() -> None:
    error = told(lambda frame: np.where(frame["age"] > 30, "yes", "no"))
    assert "not numbers" in error.message
    assert "gives='labels'" in error.hint


def test_a_label_that_is_no_class_is_named() -> None:
    error = told(
        lambda frame: np.where(frame["age"] > 30, "maybe", "no"),
        classes=["no", "yes"],
        gives="labels",
    )
    assert "'maybe'" in error.message
    assert "['no', 'yes']" in error.hint


def test_a_model_that_raises_keeps_its_own_error_visible() -> None:
    own = KeyError("a column of my own")

    def fail(frame: pd.DataFrame) -> Any:
        raise own

    error = told(fail)
    assert "KeyError" in error.message
    assert "a column of my own" in error.message
    assert error.__cause__ is own


def test_an_estimator_that_was_never_fitted_keeps_its_own_error_visible() -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(ModelError, match="NotFittedError") as caught:
        ifonly.explain(LogisticRegression(), DATA[:2], data=DATA)
    assert isinstance(caught.value.__cause__, NotFittedError)


def test_what_cannot_predict_is_named_by_its_type() -> None:
    with pytest.raises(ModelError, match="dict") as caught:
        ifonly.explain({"not": "a model"}, DATA[:2], data=DATA)
    assert "as_model" in caught.value.hint


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"classes": ["no", "yes"], "task": "regression"},
        {"task": "classification"},
        {"classes": ["yes"]},
        {"classes": ["no", "yes"], "gives": "scores"},
    ],
)
def test_a_function_is_wrapped_with_what_it_gives(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"as_model|classes"):
        ifonly.as_model(lambda frame: frame["age"], **wrong)
