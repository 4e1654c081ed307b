"""A wrong reading is caught: one threshold a step off, classes out of order, a constant left out.

Each mistake is planted in the reading of every kind of model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ifonly import Continuous, IfonlyError, Space
from ifonly.models.reading import Layers, Tree, Trees, check_reading, code_at, regions, step_below

MOST = 2
"""Trees, or nodes, that a mistake is planted in."""


def caught(example: Any, wrong: Layers | Trees) -> bool:
    """Whether a wrong reading is refused, at a point that is told in full."""
    try:
        check_reading(wrong, example.adapted, example.space, example.codes[:5])
    except IfonlyError as error:
        told = ("at {", "the model says", "the reading", *example.space.names)
        return all(word in error.message for word in told)
    return False


@pytest.mark.sample(3)
def test_classes_out_of_order_are_caught(any_example: Any) -> None:
    reading = any_example.reading

    def turned(margins: np.ndarray) -> np.ndarray:
        return np.roll(margins, 1, axis=-1) if margins.shape[-1] > 1 else -margins

    if isinstance(reading, Layers):
        *rest, (kernel, bias) = reading.layers
        missing = reading.missing if rest else turned(reading.missing)
        layers = (*rest, (turned(kernel), turned(bias)))
        assert caught(any_example, replace(reading, layers=layers, missing=missing))
    else:
        trees = tuple(replace(tree, value=turned(tree.value)) for tree in reading.trees)
        assert caught(any_example, replace(reading, trees=trees, base=turned(reading.base)))


@pytest.mark.sample(3)
def test_a_constant_that_is_left_out_is_caught(any_example: Any) -> None:
    reading = any_example.reading
    if isinstance(reading, Layers):
        for place, (kernel, bias) in enumerate(reading.layers):
            layers = list(reading.layers)
            layers[place] = (kernel, np.zeros_like(bias))
            assert caught(any_example, replace(reading, layers=tuple(layers)))
        return
    if reading.base.any():
        assert caught(any_example, replace(reading, base=0 * reading.base))
    for number in range(len(reading.trees))[:MOST]:
        few = reading.trees[:number] + reading.trees[number + 1 :]
        assert caught(any_example, replace(reading, trees=few)), number


@pytest.mark.sample(2)
def test_a_threshold_that_is_a_step_off_is_caught(tree_example: Any) -> None:
    reading, space = tree_example.reading, tree_example.space
    nodes = [
        (number, node)
        for number, tree in enumerate(reading.trees)
        for node in numbers_asked(tree, space)
    ]
    assert nodes
    for number, node in nodes[:: max(1, len(nodes) // MOST)]:
        tree = reading.trees[number]
        feature = space.features[tree.feature[node]]
        for move in (-1, 1):
            cut = tree.cut.copy()
            cut[node] = code_at(feature, step_below(feature, cut[node]) + move)
            wrong = with_tree(reading, number, replace(tree, cut=cut))
            assert caught(tree_example, wrong), (number, node, feature.name, cut[node])


@pytest.mark.sample(2)
def test_a_level_that_goes_the_other_way_is_caught(tree_example: Any) -> None:
    reading, space = tree_example.reading, tree_example.space
    for number, tree in enumerate(reading.trees[:MOST]):
        if len(tree.feature) and not space.continuous[tree.feature[0]]:
            feature = space.features[tree.feature[0]]
            for level in range(len(feature.levels)):
                levels = tree.levels.copy()
                levels[0, level] ^= True
                wrong = with_tree(reading, number, replace(tree, levels=levels))
                assert caught(tree_example, wrong), (number, feature.levels[level])


@pytest.mark.sample(2)
def test_a_gap_that_goes_the_other_way_is_caught(any_example: Any) -> None:
    reading, space = any_example.reading, any_example.space
    if isinstance(reading, Layers):
        for j in np.flatnonzero([feature.missing for feature in space.features]):
            missing = reading.missing.copy()
            missing[j, 0] += 0.1
            assert caught(any_example, replace(reading, missing=missing)), space.names[j]
        return
    for number, tree in enumerate(reading.trees[:MOST]):
        if len(tree.feature) and space.features[tree.feature[0]].missing:
            missing = tree.missing.copy()
            missing[0] ^= True
            wrong = with_tree(reading, number, replace(tree, missing=missing))
            assert caught(any_example, wrong), number


def numbers_asked(tree: Tree, space: Space) -> list[int]:
    """The nodes to which codes on both sides of a moved cut come, unless their leaves are alike."""
    where, _ = regions(tree, space)
    nodes = []
    for node, j in enumerate(tree.feature):
        feature = space.features[j]
        if isinstance(feature, Continuous):
            ends = np.array([where.low[node, j], tree.cut[node], where.high[node, j]])
            low, step, high = step_below(feature, ends)
            leaves = [~child for child in (tree.left[node], tree.right[node]) if child < 0]
            alike = len(leaves) == 2 and np.allclose(*tree.value[leaves], rtol=1e-3)
            nodes += [node] if low < step - 1 and step + 1 < high and not alike else []
    return nodes


def with_tree(reading: Trees, number: int, tree: Tree) -> Trees:
    return replace(reading, trees=(*reading.trees[:number], tree, *reading.trees[number + 1 :]))
