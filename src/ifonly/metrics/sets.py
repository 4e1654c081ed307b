"""The paper's metrics of a set of counterfactuals (section 'Validity, Proximity, and Diversity').

A row with fewer than two answers has no pairs, so its diversities are 0, as in the authors'
records; a row without answers has no distances, and gets NaN there.
"""

from __future__ import annotations

import numpy as np

from ifonly.problem.pool import repeated
from ifonly.space import Metric
from ifonly.space.distance import similarity

ROOM = 4_000_000
"""About how many numbers the pairs of points hold that are compared at a time."""


def set_metrics(
    metric: Metric,
    x: np.ndarray,
    points: np.ndarray,
    valid: np.ndarray,
    present: np.ndarray | None = None,
    *,
    distance: np.ndarray | None = None,
    price: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """The metrics of sets of counterfactuals: one array [q] per metric.

    Proximity, sparsity and diversity are unweighted, as in the paper; distance, det and objective
    use the metric's weights, distance and objective its costs; price has the charge besides.

    Parameters
    ----------
    metric
        The distance, as `Metric.of(space)`.
    x
        [q, d] the codes of the rows.
    points
        [q, k, d] the codes of their counterfactuals.
    valid
        bool [q, k]: the points with the wanted outcome.
    present
        bool [q, k]: the points that exist, which distances and diversities are taken over; by
        default the valid ones.
    distance
        [q, k] how far each point is from its row, where some changes follow from others and
        cost nothing; by default what all changes cost.
    price
        [q, k] the same with the charge for changed features.

    Returns
    -------
    dict of np.ndarray

    Examples
    --------
    >>> from ifonly import Space
    >>> metric = Metric.of(Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10}))
    >>> points, valid = np.array([[[40.0], [50.0]]]), np.array([[True, True]])
    >>> set_metrics(metric, np.array([[30.0]]), points, valid)["distance"]
    array([1.5])
    """
    present = valid if present is None else present
    distance = metric.cost(points, x[:, None]) if distance is None else distance
    price = metric.price(points, x[:, None]) if price is None else price
    q, k, d = points.shape
    size = max(1, ROOM // (k * k * d))
    each = (x, points, valid, present, np.stack([distance, price], axis=-1))
    parts = [
        _table(metric, *(one[start : start + size] for one in each))
        for start in range(0, max(q, 1), size)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _table(
    metric: Metric,
    x: np.ndarray,
    points: np.ndarray,
    valid: np.ndarray,
    present: np.ndarray,
    far: np.ndarray,
) -> dict[str, np.ndarray]:
    """The metrics of some rows; `far` [q, k, 2] are the distance and the price of each point."""
    gaps = metric.gaps(points, x[:, None])
    pair_gaps, pairs = _pairs(metric, points, present)
    unique = valid & ~repeated(points, present)
    distance, price = (_mean(one, present) for one in np.moveaxis(far, -1, 0))
    determinant = det_kernel(metric, points, present)
    table = {
        "answers": present.sum(axis=1),
        "valid_unique": unique.sum(axis=1) / points.shape[1],
        "distance": distance,
        "price": price,
        "det": determinant,
        "pairwise_distance": _mean(pair_gaps @ metric.scale, pairs, empty=0.0),
        "objective": 0.5 * distance - determinant,
        "changed": _mean((gaps > 0).sum(axis=-1), present),
        "sparsity": 1 - _mean((gaps > 0).mean(axis=-1), present),
        "count_diversity": _mean((pair_gaps > 0).mean(axis=-1), pairs, empty=0.0),
    }
    for name, part in (("continuous", metric.continuous), ("categorical", ~metric.continuous)):
        if not part.any():
            continue
        gap, changed = gaps[..., part].mean(axis=-1), (gaps[..., part] > 0).mean(axis=-1)
        pair = pair_gaps[..., part]
        closeness = _mean(gap, present)
        table[f"{name}_proximity"] = -closeness if name == "continuous" else 1 - closeness
        table[f"{name}_sparsity"] = 1 - _mean(changed, present)
        table[f"{name}_diversity"] = _mean(pair.mean(axis=-1), pairs, empty=0.0)
        table[f"{name}_count_diversity"] = _mean((pair > 0).mean(axis=-1), pairs, empty=0.0)
    return table


def det_kernel(metric: Metric, points: np.ndarray, present: np.ndarray) -> np.ndarray:
    """[q] det K of the present points, K = 1 / (1 + dist); 1 for a single point."""
    kernel = similarity(metric.pairwise(points))
    both = present[:, :, None] & present[:, None, :]
    return np.asarray(np.linalg.det(np.where(both, kernel, np.eye(points.shape[1]))))


def _pairs(
    metric: Metric, points: np.ndarray, present: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The gaps [q, pairs, d] of each two points, and whether both are present."""
    first, second = np.triu_indices(points.shape[1], 1)
    return metric.gaps(points[:, first], points[:, second]), present[:, first] & present[:, second]


def _mean(values: np.ndarray, mask: np.ndarray, empty: float = np.nan) -> np.ndarray:
    """[q] the mean over the masked places of values [q, n]."""
    total = np.where(mask, values, 0).sum(axis=1)
    count = mask.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), empty)
