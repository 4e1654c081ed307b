"""Points on both sides of every question that a reading of trees asks."""

from __future__ import annotations

import numpy as np

from ifonly.models.reading.steps import code_at, span, step_below
from ifonly.models.reading.trees.tree import Regions, Tree, regions
from ifonly.models.reading.trees.trees import Trees
from ifonly.space import Categorical, Continuous, Space
from ifonly.space.table.dtypes import holds_whole

TRIES, KEPT = 16, 2
"""Random points for each code that is asked about, and those kept: the ones that tell the most."""


def edge_points(reading: Trees, most: int, seed: int = 0) -> np.ndarray:
    """[n, d] codes that come to each node and stand right beside its cut, or have each level.

    Of more than `most`, those of some trees. A node that no code of the space comes to has none.
    """
    rng = np.random.default_rng(seed)
    found = [np.empty((0, len(reading.space)))]
    for tree in rng.permutation(len(reading.trees)).tolist():
        if sum(map(len, found)) < most:
            found.append(_tree_points(reading.trees[tree], reading.space, rng))
    return np.concatenate(found)[:most]


def _tree_points(tree: Tree, space: Space, rng: np.random.Generator) -> np.ndarray:
    nodes, _ = regions(tree, space)
    asked, codes = _questions(tree, space)
    inside = _contains(nodes, space, asked, tree.feature[asked], codes)
    asked, codes = np.repeat(asked[inside], TRIES), np.repeat(codes[inside], TRIES)
    points, possible = _filled(nodes, space, asked, rng)
    own = np.arange(len(asked)), tree.feature[asked]
    points[own], possible[own] = codes, True
    # A point tells most where the other side would have come to another value.
    sides = [tree.value[tree.leaf(points, side[asked])] for side in (tree.left, tree.right)]
    tells = np.abs(sides[0] - sides[1]).max(axis=1)
    tells[~possible.all(axis=1)] = -1
    order = np.argsort(-tells.reshape(-1, TRIES), axis=1, kind="stable")[:, :KEPT]
    best = (order + TRIES * np.arange(len(order))[:, None]).ravel()
    return np.asarray(points[best[tells[best] >= 0]])


def _questions(tree: Tree, space: Space) -> tuple[np.ndarray, np.ndarray]:
    """Nodes [n], and the codes [n] of their own feature that show what they ask."""
    asked, codes = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    for j, feature in enumerate(space.features):
        own = np.flatnonzero(tree.feature == j)
        if isinstance(feature, Categorical):
            tried = np.tile(np.arange(len(feature.levels), dtype=np.float64), (len(own), 1))
        else:
            step = step_below(feature, tree.cut[own])
            beside = code_at(feature, np.stack([step, step + 1], axis=1))
            off = np.stack([tree.cut[own], np.nextafter(tree.cut[own], np.inf)], axis=1)
            whole = holds_whole(feature.column.dtype)
            tried = beside if whole else np.concatenate([beside, off], axis=1)
        if feature.missing:
            tried = np.concatenate([tried, np.full((len(own), 1), np.nan)], axis=1)
        asked.append(np.repeat(own, tried.shape[1]))
        codes.append(tried.ravel())
    return np.concatenate(asked), np.concatenate(codes)


def _contains(
    where: Regions, space: Space, asked: np.ndarray, feature: np.ndarray, codes: np.ndarray
) -> np.ndarray:
    """bool [n] whether a code [n] of a feature [n] comes to the node asked [n]."""
    gap = np.isnan(codes)
    level = np.where(gap, 0, codes)
    column = np.asarray(space.offsets)[feature] + np.where(space.continuous[feature], 0, level)
    listed = where.levels[asked, column.astype(np.intp)]
    number = (codes > where.low[asked, feature]) & (codes <= where.high[asked, feature])
    number &= (codes >= space.low[feature]) & (codes <= space.high[feature])
    known = np.where(space.continuous[feature], number, listed)
    return np.asarray(np.where(gap, where.missing[asked, feature], known))


def _filled(
    where: Regions, space: Space, asked: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """[n, d] random codes that come to the nodes asked [n], and bool [n, d] where there is one."""
    points = np.empty((len(asked), len(space)))
    possible = np.empty(points.shape, dtype=bool)
    for j, feature in enumerate(space.features):
        if isinstance(feature, Continuous):
            first = step_below(feature, where.low[asked, j]) + 1
            first = np.maximum(first, span(feature)[0])
            last = step_below(feature, where.high[asked, j])
            some = first <= last
            steps = rng.integers(first, np.maximum(first, last), endpoint=True)
            points[:, j] = code_at(feature, steps)
        else:
            allowed = where.levels[asked, space.offsets[j] : space.offsets[j + 1]]
            some = allowed.any(axis=1)
            points[:, j] = (rng.random(allowed.shape) * allowed).argmax(axis=1)
        gap = where.missing[asked, j]
        points[gap & ~(some & (rng.random(len(asked)) < 0.85)), j] = np.nan
        possible[:, j] = some | gap
    return points, possible
