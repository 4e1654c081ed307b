"""What answers say about features: how often they change, and how often one alone is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def change_share(changed: np.ndarray, filled: np.ndarray) -> np.ndarray:
    """[q, d] the share of each row's answers that change each feature; NaN without answers.

    `changed` [q, k, d] are the changes of the answers, or counts of them, whose mean is returned;
    `filled` [q, k] are the answers that exist.
    """
    count = filled.sum(axis=1)[:, None]
    total = (changed * filled[:, :, None]).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def lone_changes(
    x: np.ndarray, points: np.ndarray, changed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each change of each answer made alone: points [q, k * d, d], and which of them exist."""
    q, k, d = points.shape
    alone = np.repeat(x[:, None, None, :], k * d, axis=1).reshape(q, k, d, d)
    features = np.arange(d)
    alone[:, :, features, features] = points
    return alone.reshape(q, k * d, d), changed.reshape(q, k * d)


def lines(share: Mapping[str, np.ndarray], names: Sequence[str], *, by_row: bool) -> dict[str, Any]:
    """Shares [q, d] as the columns of a table: a line a feature, or a line a row and feature."""
    q = len(next(iter(share.values())))
    if by_row:
        every = {"query": np.repeat(np.arange(q), len(names)), "feature": list(names) * q}
        return {**every, **{name: values.ravel() for name, values in share.items()}}
    answered = ~np.isnan(share["changed"]).any(axis=1)
    means = {
        name: values[answered].sum(axis=0) / max(1, answered.sum())
        for name, values in share.items()
    }
    order = np.argsort(-means["changed"], kind="stable")
    return {
        "feature": [names[j] for j in order],
        **{name: mean[order] for name, mean in means.items()},
    }
