"""Targets become goals, and a margin is positive exactly where the outcome is as wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ifonly.errors import TargetError
from ifonly.problem.goal import resolve

CLASSES = ("no", "yes", "maybe")
SCORES = arrays(np.float64, (4, 5, 3), elements=st.floats(0, 1))


def test_opposite_is_the_other_class_of_each_row() -> None:
    goal = resolve("opposite", ("no", "yes"), np.array([0, 1, 1]))
    assert goal.wanted.tolist() == [1, 0, 0]


def test_a_class_is_wanted_of_every_row() -> None:
    assert resolve("maybe", CLASSES, np.array([0, 1])).wanted.tolist() == [2, 2]


def test_a_list_gives_each_row_a_target_of_its_own() -> None:
    goal = resolve(["yes", "opposite"], ("no", "yes"), np.array([0, 1]))
    assert goal.wanted.tolist() == [1, 0]
    ranges = resolve([(1, 2), (3.5, float("inf"))], (), np.array([0.0, 0.0]))
    assert ranges.low.tolist() == [1.0, 3.5]
    assert ranges.high.tolist() == [2.0, np.inf]


@pytest.mark.parametrize("many", [list, np.array, tuple])
def test_labels_that_are_numbers_or_booleans_are_found(many: Any) -> None:
    assert resolve(True, (False, True), np.array([0])).wanted.tolist() == [1]
    assert resolve(7, (5, 7), np.array([0])).wanted.tolist() == [1]
    if many is not tuple:  # a tuple is a range
        assert resolve(many([5, 7]), (5, 7), np.array([1, 0])).wanted.tolist() == [0, 1]


def test_a_class_called_opposite_is_that_class() -> None:
    goal = resolve("opposite", ("same", "opposite", "other"), np.array([0, 2]))
    assert goal.wanted.tolist() == [1, 1]


@given(scores=SCORES, wanted=arrays(np.intp, 4, elements=st.integers(0, 2)))
@settings(max_examples=60, deadline=None)
def test_a_class_margin_is_positive_exactly_where_the_class_is_the_first_of_the_largest_scores(
    scores: np.ndarray, wanted: np.ndarray
) -> None:
    goal = resolve([CLASSES[i] for i in wanted], CLASSES, np.zeros(4, dtype=int))
    before = scores.copy()
    margin = goal.margin(scores)
    decided = scores.argmax(axis=-1)
    assert np.array_equal(margin > 0, decided == wanted[:, None])
    assert np.array_equal(goal.met(scores, None), decided == wanted[:, None])
    assert np.array_equal(scores, before)


@given(value=arrays(np.float64, (3, 6, 1), elements=st.floats(-5, 5)))
@settings(max_examples=60, deadline=None)
def test_a_range_margin_is_positive_exactly_inside_the_range_ends_included(
    value: np.ndarray,
) -> None:
    value[0, 0, 0], value[1, 0, 0] = -1.0, 2.0
    goal = resolve([(-1, 2), (-1, 2), (0, float("inf"))], (), np.zeros(3))
    low, high = np.array([-1, -1, 0])[:, None], np.array([2, 2, np.inf])[:, None]
    inside = (value[..., 0] >= low) & (value[..., 0] <= high)
    assert np.array_equal(goal.margin(value) > 0, inside)


@pytest.mark.parametrize("wanted", [0, 1])
def test_a_threshold_belongs_to_the_second_class(wanted: int) -> None:
    goal = resolve(("no", "yes")[wanted], ("no", "yes"), np.array([0]), threshold=0.7)
    second = np.array([[0.0, 0.5, 0.6999, 0.7, 0.9]])
    margin = goal.margin(np.stack([1 - second, second], axis=-1))
    assert (margin > 0).tolist() == [[(s >= 0.7) == bool(wanted) for s in second[0]]]


def test_the_models_own_decision_goes_before_its_scores() -> None:
    goal = resolve("yes", ("no", "yes"), np.array([0]))
    scores = np.array([[[0.1, 0.9], [0.9, 0.1]]])
    assert goal.met(scores, np.array([[0, 1]])).tolist() == [[False, True]]


def test_a_goal_of_some_rows_is_theirs() -> None:
    goal = resolve(["no", "yes", "maybe"], CLASSES, np.zeros(3, dtype=int))
    assert goal.take(np.array([2, 0])).wanted.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("target", "classes", "hint"),
    [
        (2, (0, 1), "Its classes are 0, 1."),
        ("sure", ("no", "yes"), "Its classes are 'no', 'yes'."),
        ("Yes", ("no", "yes"), "Did you mean 'yes'? Its classes are 'no', 'yes'."),
        (11, (0, 1, 111), "Did you mean 111? Its classes are 0, 1, 111."),
        ("1", (0, 1), "Did you mean the int 1?"),
        ("x", tuple(range(20)), f"Its classes are {', '.join(map(str, range(12)))}, …."),
    ],
)
def test_the_classes_are_listed_once_and_the_nearest_is_named_first(
    target: Any, classes: tuple[Any, ...], hint: str
) -> None:
    with pytest.raises(TargetError) as caught:
        resolve(target, classes, np.array([0]))
    assert caught.value.hint == hint


def test_nothing_but_a_class_is_a_class() -> None:
    for target in (None, 1.5, "Yes", b"yes"):
        with pytest.raises(TargetError, match="no class"):
            resolve(target, CLASSES, np.array([0]))
