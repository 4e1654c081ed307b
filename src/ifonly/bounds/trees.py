"""The least and the greatest sums of trees over boxes: the worst and the best leaf met in each.

All boxes go down all trees together. Where a box has values on both sides of a node, it goes both
ways; the first such node of the tree whose leaves are furthest apart is where a box is best halved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ifonly.bounds.boxes import Boxes
from ifonly.bounds.parts import Bound, Sides, Split
from ifonly.models.reading import Trees
from ifonly.models.reading.trees.tree import Tree

PAIRS = 1 << 20
"""About how many pairs of a box and a tree go down at a time."""


@dataclass(frozen=True, eq=False)
class Flat:
    """All trees as one, with what of it is compared with boxes."""

    root: np.ndarray
    """int [t] where each tree starts: a node, or ~leaf."""
    tree: Tree
    listed: np.ndarray
    """bool [nodes, w] the levels that go left, in unit columns."""
    bits: np.ndarray
    """uint64 [nodes, words] the same, of the node's own feature, in bits."""


@lru_cache(maxsize=8)
def flat_of(reading: Trees) -> Flat:
    """The trees of a reading as one; made once."""
    tree, offsets = reading.joined.tree, np.asarray(reading.space.offsets)
    listed = np.zeros((len(tree.feature), offsets[-1]), dtype=bool)
    row, level = np.nonzero(tree.levels)
    listed[row, offsets[tree.feature[row]] + level] = True
    bits = _bits(listed, offsets, tree.feature[:, None])[:, 0]
    return Flat(reading.joined.roots, tree, listed, bits)


def bound_trees(reading: Trees, boxes: Boxes, sides: Sides) -> Bound:
    """What trees come to over boxes at the least and at the most."""
    flat = flat_of(reading)
    size = max(1, PAIRS // len(flat.root))
    parts = [
        _bounded(flat, reading, boxes[start : start + size], sides[start : start + size])
        for start in range(0, len(boxes), size)
    ]
    return parts[0].join(*parts[1:])


def _bounded(flat: Flat, reading: Trees, boxes: Boxes, sides: Sides) -> Bound:
    box, tree, leaf, fork = _descend(flat, boxes)
    n, t, s = len(boxes), len(flat.root), sides.edge.shape[1]
    value = np.einsum("pc,psc->ps", flat.tree.value[leaf], sides.factors[box])
    lowest, highest = np.full((n * t, s), np.inf), np.full((n * t, s), -np.inf)
    pair = box * t + tree
    for side in range(s):
        np.minimum.at(lowest[:, side], pair, value[:, side])
        np.maximum.at(highest[:, side], pair, value[:, side])
    least, most = lowest.reshape(n, t, s), highest.reshape(n, t, s)
    base = np.einsum("c,nsc->ns", reading.base, sides.factors) - sides.edge
    low, worst = sides.combined(least.sum(axis=1) + base)
    seen, _ = sides.combined(most.sum(axis=1) + base)
    gap = np.take_along_axis(most - least, worst[:, None, None], axis=2)[..., 0]
    node = fork[np.arange(n), np.where(fork >= 0, gap, -1.0).argmax(axis=1)]
    split = Split(
        node >= 0,
        flat.tree.feature[node],
        flat.tree.cut[node],
        flat.listed[node],
        flat.tree.missing[node],
    )
    return Bound(low, seen, split)


def _descend(flat: Flat, boxes: Boxes) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """int [p] three times: the leaves met, with the box and the tree of each; and int [n, t] the
    first node of each tree at which a box goes both ways, -1 where it does not.
    """
    n, t = len(boxes), len(flat.root)
    bits = _box_bits(boxes)
    box, tree = (part.ravel() for part in np.indices((n, t)))
    node, found = flat.root[tree], []
    fork = np.full((n, t), -1)
    while len(box):
        ended = node < 0
        if ended.any():
            found.append((box[ended], tree[ended], ~node[ended]))
            box, tree, node = box[~ended], tree[~ended], node[~ended]
        j, cut = flat.tree.feature[node], flat.tree.cut[node]
        own, listed = bits[box, j], flat.bits[node]
        gap, gap_left = boxes.missing[box, j], flat.tree.missing[node]
        left = (boxes.low[box, j] <= cut) | (own & listed).any(axis=1) | (gap & gap_left)
        right = (boxes.high[box, j] > cut) | (own & ~listed).any(axis=1) | (gap & ~gap_left)
        both = left & right
        both[both] = fork[box[both], tree[both]] < 0
        fork[box[both], tree[both]] = node[both]
        node = np.concatenate([flat.tree.left[node[left]], flat.tree.right[node[right]]])
        box = np.concatenate([box[left], box[right]])
        tree = np.concatenate([tree[left], tree[right]])
    each = zip(*found, strict=True)
    return (*(np.concatenate(part) for part in each), fork)  # type: ignore[return-value]


def _box_bits(boxes: Boxes) -> np.ndarray:
    """uint64 [n, d, words] the levels of boxes, in bits."""
    d = len(boxes.space)
    each = np.broadcast_to(np.arange(d), (len(boxes), d))
    return _bits(boxes.levels, np.asarray(boxes.space.offsets), each)


def _bits(levels: np.ndarray, offsets: np.ndarray, j: np.ndarray) -> np.ndarray:
    """uint64 [n, m, words] the levels [n, w] of features j [n, m], in bits."""
    words = int(np.diff(offsets).max() + 63) // 64
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    every = np.zeros((len(levels), len(offsets) - 1, words), dtype=np.uint64)
    row, column = np.nonzero(levels)
    bit = np.uint64(1) << (within[column] % 64).astype(np.uint64)
    np.bitwise_or.at(every, (row, of[column], within[column] // 64), bit)
    return np.take_along_axis(every, j[..., None], axis=1)
