"""A grown box keeps the outcome at every point, and no side can move out by one step."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ifonly.bounds.boxes import Boxes
from ifonly.bounds.grow import grown
from ifonly.bounds.outcome import Outcome
from ifonly.problem.goal import Goal

from .small import DATA, Fitted, fitted

KINDS = ("linear", "network", "forest", "xgboost", "three")
COUNT = 12


@cache
def grown_boxes(kind: str) -> tuple[Fitted, np.ndarray, Goal, Boxes]:
    """Boxes around rows of the data in which their own outcome holds."""
    known = fitted(kind)
    space, setting = known.setting.space, known.setting
    points = space.codes(DATA[:COUNT])
    same = (known.points == points[:, None]) | (np.isnan(known.points) & np.isnan(points[:, None]))
    goal = known.goal("own", same.all(axis=2).argmax(axis=1))
    outcome = Outcome.of(setting.model, goal, setting.reading, points)
    boxes = grown(space, points, space.codes(DATA), lambda b, of: outcome.least(b, of, 5000) > 0)
    return known, points, goal, boxes


@pytest.mark.parametrize("kind", KINDS)
def test_every_point_of_a_grown_box_has_the_outcome(kind: str) -> None:
    known, points, goal, boxes = grown_boxes(kind)
    inside = boxes.contain(known.points).all(axis=2)
    assert (known.right(goal) | ~inside).all()
    assert boxes.contain(points[:, None]).all()
    assert inside.sum(axis=1).mean() > 10


@pytest.mark.parametrize("kind", KINDS)
def test_no_side_of_a_grown_box_can_move_out_by_one_step(kind: str) -> None:
    known, _, goal, boxes = grown_boxes(kind)
    space, right = known.setting.space, known.right(goal)
    inside = boxes.contain(known.points)
    for j in range(len(space)):
        values = known.points[:, j]
        others = np.delete(inside, j, axis=2).all(axis=2)
        step = 10.0 ** -space.decimals[j]
        sides = [np.isnan(values) & space.features[j].missing & ~boxes.missing[:, j, None]]
        if space.continuous[j]:
            low, high = boxes.low[:, j, None], boxes.high[:, j, None]
            sides += [(values > high) & (values <= high + step * 1.001)]
            sides += [(values < low) & (values >= low - step * 1.001)]
        else:
            sides += [(values == code) & ~inside[:, :, j] for code in range(3)]
        for side in sides:
            added = others & side
            assert (~added.any(axis=1) | (added & ~right).any(axis=1)).all(), space.names[j]


def test_a_box_grows_the_same_alone_and_among_others() -> None:
    known, points, goal, boxes = grown_boxes("forest")
    outcome = Outcome.of(known.setting.model, goal, known.setting.reading, points)
    alone = grown(
        known.setting.space,
        points[3:4],
        known.setting.space.codes(DATA),
        lambda b, of: outcome.least(b, of + 3, 5000) > 0,
    )
    for name in ("low", "high", "levels", "missing"):
        assert np.array_equal(getattr(alone, name)[0], getattr(boxes, name)[3], equal_nan=True)


def test_a_feature_that_the_outcome_does_not_need_is_free() -> None:
    known = fitted("linear")
    space = known.setting.space
    data = space.codes(DATA.dropna())
    boxes = grown(space, data[:2], space.codes(DATA), lambda b, of: np.ones(len(b), dtype=bool))
    assert boxes.contain(known.points).all()
