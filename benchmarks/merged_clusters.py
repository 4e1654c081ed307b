"""Global actions by merging clusters, as the paper on GLANCE (2405.18921) describes it.

GLANCE itself is on GitHub (humancompatible/explain) and not on the package index, so that it cannot
be installed as other peers are. This is our reading of its text, without its code: the refused rows
are clustered, each centre gets actions from the nearest accepted rows, the two clusters that are
nearest in features and in actions are merged until s are left, and each keeps the action that works
for most of its rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans

CLUSTERS, LOCAL = 100, 10
"""The first clusters, and the actions of each centre."""

Judge = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""[n, m] the cost for rows, by position, of points [n, m, d]; infinite if one does not work."""


def merged(
    x: np.ndarray, accepted: np.ndarray, free: np.ndarray, s: int, judge: Judge
) -> np.ndarray:
    """[r] what the cheapest of s actions costs rows x [r, d] of categories; infinite if all fail.

    `accepted` [a, d] are rows with the wanted outcome, `free` [d] what an action may set. An action
    sets features to levels.
    """
    unit = np.concatenate(
        [x[:, [j]] == np.unique(accepted[:, j]) for j in range(x.shape[1])], axis=1
    )
    labels = KMeans(CLUSTERS, random_state=0, n_init=1).fit_predict(unit.astype(float))
    groups = [np.flatnonzero(labels == one) for one in range(CLUSTERS) if (labels == one).any()]
    actions = [_local(_middle(x[rows]), accepted, free) for rows in groups]
    while len(groups) > s:
        apart = _apart(x, groups, actions)
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        groups[i] = np.concatenate([groups[i], groups[j]])
        actions[i] = np.unique(np.concatenate([actions[i], actions[j]]), axis=0)
        del groups[j], actions[j]
    chosen = [_best(x, rows, some, judge) for rows, some in zip(groups, actions, strict=True)]
    every = np.array(chosen)
    points = np.where(np.isnan(every), x[:, None], every)
    return judge(np.arange(len(x)), points).min(axis=1)


def _middle(rows: np.ndarray) -> np.ndarray:
    """[d] the most frequent level of each feature."""
    return np.array([np.bincount(column.astype(int)).argmax() for column in rows.T], dtype=float)


def _local(centre: np.ndarray, accepted: np.ndarray, free: np.ndarray) -> np.ndarray:
    """[m, d] the levels that the nearest accepted rows differ in from a centre; NaN: kept."""
    differ = (accepted != centre) & free
    held = ((accepted != centre) & ~free).sum(axis=1)
    order = np.lexsort((held, differ.sum(axis=1) == 0, differ.sum(axis=1)))
    return np.unique(np.where(differ, accepted, np.nan)[order[:LOCAL]], axis=0)


def _apart(x: np.ndarray, groups: list[np.ndarray], actions: list[np.ndarray]) -> np.ndarray:
    """[g, g] how far clusters are apart, in their centres and in their actions."""
    centres = np.array([_middle(x[rows]) for rows in groups])
    features = (centres[:, None] != centres).mean(axis=-1)
    usual = np.array([(~np.isnan(some)).mean(axis=0) for some in actions])
    apart = features + np.abs(usual[:, None] - usual).mean(axis=-1)
    apart[np.tril_indices(len(apart))] = np.inf
    return np.asarray(apart)


def _best(x: np.ndarray, rows: np.ndarray, actions: np.ndarray, judge: Judge) -> np.ndarray:
    """[d] the action that works for most of some rows, at the least cost."""
    points = np.where(np.isnan(actions), x[rows][:, None], actions)
    cost = judge(rows, points)
    found = np.isfinite(cost)
    mean = np.where(found, cost, 0).sum(axis=0) / np.maximum(found.sum(axis=0), 1)
    return actions[np.lexsort((mean, -found.sum(axis=0)))[0]]
