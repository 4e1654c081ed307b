"""Batches of points, stored feature by feature.

A batch is [q, m, d] to read, but in memory each feature's q*m values lie together, so that work
done one feature at a time runs over contiguous memory and a model's columns need no copy. Nothing
here adds up floats: sums over features belong to the metric, which keeps their order whatever the
batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.floating]

_BITS = (1 << np.arange(8, dtype=np.uint8)).reshape(8, 1, 1)
_MIXER = np.uint64(0x9E3779B97F4A7C15)


def blank(q: int, m: int, d: int, dtype: np.dtype) -> Points:
    """An empty batch [q, m, d]."""
    return np.empty((d, q, m), dtype).transpose(1, 2, 0)


def memory(points: NDArray[Any]) -> NDArray[Any]:
    """`points` [q, m, d] as they lie in memory, [d, q, m]."""
    return np.ascontiguousarray(points.transpose(2, 0, 1))


def pick(values: NDArray[Any], index: NDArray[np.intp]) -> NDArray[Any]:
    """The values [q, n] at positions `index` [q, n] of `values` [q, m]."""
    q, m = values.shape
    flat = index if q == 1 else index + np.arange(q)[:, None] * m
    return np.asarray(values.reshape(-1).take(flat))


def pick_last(values: NDArray[Any], index: NDArray[np.intp]) -> NDArray[Any]:
    """The values [..., n] at positions `index` [..., n] of the last axis of `values` [..., m]."""
    flat = pick(values.reshape(-1, values.shape[-1]), index.reshape(-1, index.shape[-1]))
    return flat.reshape(index.shape)


def pick_columns(values: NDArray[Any], index: NDArray[np.intp]) -> NDArray[Any]:
    """The columns `index` [q, n] of the matrices `values` [q, k, m], [q, k, n]."""
    q, k, m = values.shape
    flat = index[:, None, :] + (np.arange(q * k) * m).reshape(q, k, 1)
    return np.asarray(values.reshape(-1).take(flat))


def gather(points: Points, index: NDArray[np.intp]) -> Points:
    """The points [q, n, d] at positions `index` [q, n] of `points` [q, m, d]."""
    q, m, d = points.shape
    flat = index if q == 1 else index + np.arange(q)[:, None] * m
    return memory(points).reshape(d, q * m).take(flat, axis=1).transpose(1, 2, 0)


def join(*blocks: Points) -> Points:
    """The blocks [q, m_i, d] side by side, [q, sum of m_i, d]."""
    return np.concatenate([block.transpose(2, 0, 1) for block in blocks], axis=2).transpose(1, 2, 0)


def edited(points: Points, feature: NDArray[np.intp], value: Points) -> Points:
    """Variants [q, m*n, d] of `points` [q, m, d], each with one feature set.

    `feature` and `value` are [q, m, n], or [q, 1, n] where every point of a row gets the same
    edits.
    """
    q, m, d = points.shape
    n = feature.shape[2]
    out = np.empty((d, q, m, n), points.dtype)
    out[...] = points.transpose(2, 0, 1)[..., None]
    out.reshape(-1)[feature * (q * m * n) + np.arange(q * m * n).reshape(q, m, n)] = value
    return out.reshape(d, q, m * n).transpose(1, 2, 0)


def read(points: NDArray[Any], feature: NDArray[np.intp]) -> NDArray[Any]:
    """The values [q, m, n] of `points` [q, m, d] at the features `feature` [q, m, n]."""
    q, m, _ = points.shape
    place = feature * (q * m) + np.arange(q * m).reshape(q, m, 1)
    values: NDArray[Any] = memory(points).reshape(-1).take(place)
    return values


def written(points: NDArray[Any], feature: NDArray[np.intp], value: NDArray[Any]) -> NDArray[Any]:
    """A copy of `points` [q, m, d] with `value` at the features `feature`, both [q, m, n]."""
    q, m, _ = points.shape
    out = points.transpose(2, 0, 1).copy()
    out.reshape(-1)[feature * (q * m) + np.arange(q * m).reshape(q, m, 1)] = value
    return out.transpose(1, 2, 0)


def changes(points: Points, row: Points) -> NDArray[np.bool_]:
    """Which features [q, m, d] of `points` differ from `row` [q, d]; missing equals missing."""
    a, b = memory(points), row.T[:, :, None]
    unequal: NDArray[np.bool_] = a != b
    lost = b != b
    if lost.any():
        unequal &= ~(lost & (a != a))
    return unequal.transpose(1, 2, 0)


def count(changed: NDArray[np.bool_]) -> NDArray[np.integer]:
    """How many features [q, m] are True in `changed` [q, m, d]."""
    dtype = np.uint8 if changed.shape[2] < 256 else np.uint32
    total: NDArray[np.integer] = np.add.reduce(
        changed.transpose(2, 0, 1).view(np.uint8), axis=0, dtype=dtype
    )
    return total


def change_sets(changed: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A number [q, m] for each set of changed features, from `changed` [q, m, d].

    Up to 64 features it is the set's own bit pattern; above, the bytes of the pattern are mixed,
    and a collision only makes two sets compete for one place.
    """
    bits = changed.transpose(2, 0, 1).view(np.uint8)
    out = np.zeros(changed.shape[:2], np.uint64)
    for first in range(0, len(bits), 8):
        part = bits[first : first + 8]
        byte = np.add.reduce(part * _BITS[: len(part)], axis=0, dtype=np.uint8)
        out = (out * _MIXER if len(bits) > 64 else out << np.uint64(8)) + byte
    return out


def digests(points: Points) -> NDArray[np.uint32]:
    """A number [q, m] for each of `points` [q, m, d], the same for equal points.

    Different points have different numbers, almost surely.
    """
    values = memory(points) + points.dtype.type(0)  # +0: no negative zero
    if values.itemsize == 8:
        wide = values.view(np.uint64)
        bits = (wide ^ (wide >> np.uint64(29))).astype(np.uint32)
    else:
        bits = values.view(np.uint32)
        bits = bits ^ (bits >> np.uint32(15))
    odd = np.arange(1, 2 * len(bits), 2, dtype=np.uint32) * np.uint32(0x9E3779B1)
    mixed: NDArray[np.uint32] = np.add.reduce(bits * odd[:, None, None], axis=0, dtype=np.uint32)
    return mixed ^ (mixed >> np.uint32(16))
