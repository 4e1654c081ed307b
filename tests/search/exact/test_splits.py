"""A box in two parts has the same points as before, and each part what it is made for."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ifonly.search.exact.trees.choices import Boxes, Choices
from ifonly.search.exact.trees.halves import beside_leaves, beside_own


def random_choices(rng: np.random.Generator) -> Choices:
    """Numbers, categories and numbers that may go missing, around a row of them."""
    values, costs, numbers, own = [], [], [], []
    for _ in range(int(rng.integers(1, 4))):
        count = int(rng.integers(0, 6))
        others = int(rng.integers(0, 2)) if count else int(rng.integers(1, 4))
        there = np.sort(rng.choice(20, count, replace=False)).astype(float)
        rest = np.full(others, np.nan) if count else np.arange(others, dtype=float)
        row = rng.choice([*there, 7.5]) if count else float(rng.integers(0, others + 1))
        values.append(np.concatenate([there, rest]))
        costs.append(np.concatenate([np.abs(there - row), np.where(rest == row, 0.0, 2.0)]))
        numbers.append(count)
        own.append(row)
    return Choices(tuple(values), tuple(costs), np.array(numbers), np.array(own))


def random_boxes(choices: Choices, n: int, rng: np.random.Generator) -> Boxes:
    first = rng.integers(0, np.maximum(choices.numbers, 1), (n, len(choices.numbers)))
    last = rng.integers(first - 1, np.maximum(choices.numbers, 1))
    last = np.where(choices.numbers == 0, -1, last)
    return choices.boxes(first, last, rng.random((n, choices.offsets[-1])) < 0.6)


def points_of(choices: Choices, boxes: Boxes, row: int) -> set[tuple[int, ...]]:
    """Every point of a box, by its places."""
    every = np.array(list(product(*(range(size) for size in choices.sizes))))
    one = boxes[np.full(len(every), row)]
    return {tuple(point) for point in every[choices.hold(one, every).all(axis=1)].tolist()}


def cost_of(choices: Choices, point: tuple[int, ...]) -> float:
    return float(sum(costs[place] for costs, place in zip(choices.costs, point, strict=True)))


@pytest.mark.parametrize("seed", range(40))
def test_a_box_costs_what_its_cheapest_point_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = random_choices(rng)
    boxes = random_boxes(choices, 8, rng)
    for row in range(8):
        costs = [cost_of(choices, point) for point in points_of(choices, boxes, row)]
        assert boxes.cost[row] == pytest.approx(min(costs, default=np.inf))
        if costs:
            assert tuple(boxes.place[row].tolist()) in points_of(choices, boxes, row)
            assert (choices.places(boxes.codes[[row]]) == boxes.place[row]).all()


@pytest.mark.parametrize("seed", range(40))
def test_of_two_parts_beside_a_leaf_the_first_has_the_cheapest_point_and_no_leaf(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = random_choices(rng)
    boxes, leaves = (random_boxes(choices, 30, rng) for _ in range(2))
    apart = ~choices.hold(leaves, np.minimum(boxes.place, choices.sizes - 1)).all(axis=1)
    kept = np.flatnonzero(apart & np.isfinite(boxes.cost) & np.isfinite(leaves.cost))
    boxes, leaves = boxes[kept], leaves[kept]
    outer, inner = beside_leaves(choices, boxes, leaves)
    for row in range(len(kept)):
        whole, leaf = points_of(choices, boxes, row), points_of(choices, leaves, row)
        first, second = points_of(choices, outer, row), points_of(choices, inner, row)
        assert first | second == whole
        assert not first & second
        assert tuple(boxes.place[row].tolist()) in first
        assert not first & leaf
        assert inner.cost[row] >= boxes.cost[row]


@pytest.mark.parametrize("seed", range(40))
def test_parts_at_the_rows_own_value_end_where_it_is_decided_what_changes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = random_choices(rng)
    waiting = random_boxes(choices, 6, rng)
    waiting = waiting[np.flatnonzero(np.isfinite(waiting.cost))]
    for _ in range(20):
        before = [points_of(choices, waiting, row) for row in range(len(waiting))]
        parts = beside_own(choices, waiting)
        after = [points_of(choices, part, row) for part in parts for row in range(len(part))]
        decided = [one for one in before if len(sets(choices, one)) == 1]
        assert sum(map(len, after)) == sum(map(len, before)) - sum(map(len, decided))
        waiting = parts[0].join(parts[1])
        if not len(waiting):
            return
    raise AssertionError("it does not end")


def sets(choices: Choices, points: set[tuple[int, ...]]) -> set[tuple[bool, ...]]:
    """The sets of changed features among points."""
    return {tuple((np.array(point) != choices.own_place).tolist()) for point in points}
