"""An outcome is proved in a box exactly where it holds at every point, for every kind of model."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from ifonly.bounds.boxes import Boxes
from ifonly.bounds.outcome import Outcome
from ifonly.bounds.sampling import share_at_least

from .small import KINDS, Fitted, fitted

COUNT = 80


def random_boxes(known: Fitted, seed: int) -> Boxes:
    """Boxes of every size, some with missing values, some off the value grid."""
    rng, space = np.random.default_rng(seed), known.setting.space
    low = np.full((COUNT, len(space)), np.nan)
    high, missing = low.copy(), np.zeros(low.shape, dtype=bool)
    levels = np.zeros((COUNT, space.offsets[-1]), dtype=bool)
    for j, name in enumerate(space.names):
        if space.continuous[j]:
            steps = 40 if name == "rate" else 6
            ends = np.sort(rng.integers(0, steps + 1, (COUNT, 2)), axis=1)
            ends = np.round(ends * (space.high[j] - space.low[j]) / steps, 3)
            low[:, j], high[:, j] = ends.T
        else:
            columns = slice(space.offsets[j], space.offsets[j + 1])
            levels[:, columns] = rng.random((COUNT, 3)) < 0.4
            levels[np.arange(COUNT), space.offsets[j] + rng.integers(0, 3, COUNT)] = True
        if space.features[j].missing:
            missing[:, j] = rng.random(COUNT) < 0.3
            alone = missing[:, j] & (rng.random(COUNT) < 0.2)
            low[alone, j] = high[alone, j] = np.nan
    return Boxes(space, low, high, levels, missing)


@pytest.mark.parametrize("kind", [*KINDS, "other"])
def test_an_outcome_is_proved_where_brute_force_finds_it_and_nowhere_else(kind: str) -> None:
    known = fitted("three" if kind == "other" else kind)
    boxes, rows = random_boxes(known, 1), np.random.default_rng(2).integers(0, 100, COUNT)
    middle = float(np.median(known.said))
    target = {"other": "other", "regression": (None, middle), "line": (middle, None)}
    goal = known.goal(target.get(kind, "own"), rows)
    inside = boxes.contain(known.points).all(axis=2)
    truth = (known.right(goal) | ~inside).all(axis=1)
    outcome = Outcome.of(known.setting.model, goal, known.setting.reading, known.points[rows])
    proved = outcome.least(boxes, np.arange(COUNT), work=10_000) > 0
    assert 0 < truth.sum() < COUNT
    assert (proved & ~truth).sum() == 0
    # A line is cut between two values that are written, so that a box may be lost between them.
    assert (truth & ~proved).sum() <= (2 if kind in ("line", "linear", "network", "three") else 0)


def test_a_limit_of_work_leaves_a_box_unproved_and_proves_nothing_wrong() -> None:
    known = fitted("forest")
    boxes, rows = random_boxes(known, 3), np.arange(COUNT)
    goal = known.goal("own", rows)
    inside = boxes.contain(known.points).all(axis=2)
    truth = (known.right(goal) | ~inside).all(axis=1)
    outcome = Outcome.of(known.setting.model, goal, known.setting.reading, known.points[rows])
    few, many = (outcome.least(boxes, rows, work=work) > 0 for work in (1, 10_000))
    assert few.sum() < many.sum()
    assert not (few & ~truth).any()


def test_what_is_proved_of_a_box_does_not_depend_on_the_boxes_beside_it() -> None:
    known = fitted("network")
    boxes, rows = random_boxes(known, 5), np.arange(COUNT)
    outcome = Outcome.of(
        known.setting.model, known.goal("own", rows), known.setting.reading, known.points[rows]
    )
    together = outcome.least(boxes, rows)
    alone = [outcome.least(boxes[[i]], rows[[i]])[0] for i in range(0, COUNT, 8)]
    assert np.allclose(together[::8], alone, rtol=1e-9)


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_points_are_drawn_inside_their_boxes(kind: str) -> None:
    boxes = random_boxes(fitted(kind), 7)
    drawn = boxes.draw(20, seed=0)
    assert boxes.contain(drawn).all()
    assert np.array_equal(drawn[3], boxes[[3]].draw(20, seed=0)[0], equal_nan=True)
    assert len({*drawn[:, :, 0].ravel().tolist()}) == 7


def test_so_many_draws_are_unlikely_with_less_than_the_share() -> None:
    for held, drawn in ((59, 59), (57, 59), (299, 299), (1, 20)):
        share = float(share_at_least(held, drawn))
        chances = [
            comb(drawn, n) * share**n * (1 - share) ** (drawn - n) for n in range(held, drawn + 1)
        ]
        assert sum(chances) == pytest.approx(0.05)
    assert share_at_least(0, 20) == 0
