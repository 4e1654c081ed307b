"""A number for each point, the same for equal points, and a random stream for each row.

A row's key is hashed from the seed and the row's codes, and every draw is a hash of the key and a
counter (splitmix64, Steele et al. 2014). So a row draws the same numbers alone, in a batch, in a
shard and in another order, and no state is kept anywhere.
"""

from __future__ import annotations

import numpy as np

_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def point_keys(points: np.ndarray, *, signed: bool = False) -> np.ndarray:
    """uint64 [...] of points [..., d]; `signed` tells the negative zero from the other."""
    keys = np.zeros(points.shape[:-1], dtype=np.uint64)
    # A copy, feature by feature; +0.0 makes one zero.
    last = points.ndim - 1
    values = np.array(points.transpose(last, *range(last)), dtype=np.float64, order="C")
    values += -0.0 if signed else 0.0
    values[values != values] = np.nan  # one NaN
    for bits in values.view(np.uint64):
        keys ^= bits
        keys *= _ODD
        keys ^= keys >> _HALF
    return keys


_STEP = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 2**15
"""Hashes made at a time, so that they stay in the cache."""


def row_streams(codes: np.ndarray, seed: int) -> np.ndarray:
    """uint64 [q]: the key of each row of codes [q, d]."""
    canonical = np.where(np.isnan(codes), np.nan, codes + 0.0)  # one NaN, one zero
    bits = np.ascontiguousarray(canonical, dtype=np.float64).view(np.uint64)
    with np.errstate(over="ignore"):
        key = np.full(len(codes), _mix(np.uint64(int(seed) % 2**64) + _STEP), dtype=np.uint64)
        for j in range(codes.shape[1]):
            key = _mix((key ^ bits[:, j]) + _STEP)
    return key


def uniforms(
    streams: np.ndarray, n: int, purpose: int = 0, dtype: type[np.floating] = np.float64
) -> np.ndarray:
    """[q, n] in [0, 1): the first n draws of each stream for one purpose.

    A draw has 32 bits; each hash gives two. In single precision they are rounded, to 1 at most.
    """
    draws = np.empty((len(streams), n), dtype=dtype)
    with np.errstate(over="ignore"):
        start, steps = first_states(streams, purpose), counters(n)
        size = max(1, _BLOCK // max(1, len(steps)))
        for first in range(0, len(streams), size):
            rows = slice(first, first + size)
            bits = _mix(start[rows, None] + steps).view(np.uint32)[:, :n]
            np.multiply(bits, dtype(2.0**-32), out=draws[rows], casting="same_kind")
    return draws


def first_states(streams: np.ndarray, purpose: int) -> np.ndarray:
    """uint64 [q]: what the counters of each stream's draws for one purpose are added to."""
    with np.errstate(over="ignore"):
        return _mix(streams ^ _mix(np.uint64(purpose) + _STEP))


def counters(n: int) -> np.ndarray:
    """uint64 [n / 2]: the counters of n draws, two of each hash."""
    return np.arange(1, (n + 1) // 2 + 1, dtype=np.uint64) * _STEP


def _mix(bits: np.ndarray | np.uint64) -> np.ndarray:
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)), dtype=np.uint64)
