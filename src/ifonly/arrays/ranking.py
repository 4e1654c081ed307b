"""Best first, with ties broken by place.

A cost and its place in the list are packed into one integer, the cost (as an order-preserving
32-bit pattern) above the place. Sorting integers is several times faster than argsort, and equal
costs always come out in the same order, whatever the batch around them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import pick, pick_last

Keys = NDArray[np.uint64]

_SIGN = np.int32(-(2**31))
_PLACE = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(32)
_MOST = 4096
_FEW = 256
"""Up to so many costs in all, one stable sort takes less than keys do."""
_PAIRS = 1 << 14
"""Up to so many pairs in all, comparing them takes less than a sort does."""
_EARLIER = np.tri(128, k=-1, dtype=bool)
_NOTHING = np.uint64(0xFF800000) << _HIGH  # +inf: no cost is above it


def pack(cost: NDArray[np.floating]) -> Keys:
    """Sortable keys [..., m] of `cost` [..., m]; infinity means 'no entry'."""
    bits = (cost.astype(np.float32) + np.float32(0)).view(np.int32)  # +0: no negative zero
    # negative: all bits turned, else the sign
    bits = (bits ^ ((bits >> 31) | _SIGN)).view(np.uint32)
    return (bits.astype(np.uint64) << _HIGH) | np.arange(cost.shape[-1], dtype=np.uint64)


def places(keys: Keys) -> NDArray[np.intp]:
    """The place of each key in the list it was packed from."""
    return (keys & _PLACE).astype(np.intp)


def real(keys: Keys) -> NDArray[np.bool_]:
    """True where a key stands for an entry, not for an infinite cost."""
    return keys < _NOTHING


def best(cost: NDArray[np.floating], count: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Places [..., n] of the `count` least costs, and which of them are real."""
    if count == 1 and cost.shape[-1]:
        place = cost.argmin(axis=-1, keepdims=True)
        return place, cost.min(axis=-1, keepdims=True) < np.inf
    if cost.size <= _FEW:
        single = cost.astype(np.float32)
        order = single.argsort(axis=-1, kind="stable")[..., :count]
        return order, pick_last(single, order) < np.inf
    keys = pack(cost)
    if count < keys.shape[-1]:
        keys = np.partition(keys, count - 1, axis=-1)[..., :count]
    keys = np.sort(keys, axis=-1)
    return places(keys), real(keys)


def distinct(
    cost: NDArray[np.floating], digest: NDArray[np.uint32], count: int
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """As `best`, with one entry [q, m] for all that share a cost and a digest.

    The key is the cost, then 20 bits of the digest, then the place, so that repeats lie side by
    side. Two different points fall together only with equal costs and equal digests, and then one
    of them is lost, no more.
    """
    if cost.shape[1] > _MOST:  # more places than 12 bits can name: the least costs first
        head, _ = best(cost, _MOST)
        index, found = distinct(pick(cost, head), pick(digest, head), count)
        return pick(head, index), found
    keys = pack(cost)
    keys |= (digest >> np.uint32(12)).astype(np.uint64) << np.uint64(12)
    keys = np.sort(keys, axis=1)
    repeated = keys[:, 1:] >> np.uint64(12) == keys[:, :-1] >> np.uint64(12)
    keys[:, 1:][repeated] = _NOTHING
    keys = np.sort(keys, axis=1)[:, :count]
    return (keys & np.uint64(_MOST - 1)).astype(np.intp), real(keys)


def leaders(
    cost: NDArray[np.floating], group: NDArray[np.uint64], count: int, *, each: int
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Places [q, count] of the least costs [q, m], at most `each` of a group.

    Only the best three times `count` are looked at, which is enough unless one group fills the head
    of the list; then fewer come back as real.
    """
    head, found = best(cost, min(cost.shape[1], 3 * count))
    own = pick(group, head)
    found &= _rank_in_group(own) < each
    kept = (~found).argsort(axis=1, kind="stable")[:, :count]
    return pick(head, kept), pick(found, kept)


def _rank_in_group(group: NDArray[np.uint64]) -> NDArray[np.intp]:
    """[q, m] how many entries of the same group come before each entry."""
    m = group.shape[1]
    if m <= 32 or m * max(m, group.size) <= _PAIRS:
        same = group[:, :, None] == group[:, None, :]
        return np.asarray((same & _EARLIER[:m, :m]).sum(axis=2))
    order = np.argsort(group, axis=1, kind="stable")
    ordered = np.take_along_axis(group, order, axis=1)
    place = np.broadcast_to(np.arange(group.shape[1]), group.shape)
    start = np.zeros_like(order)
    start[:, 1:] = np.where(ordered[:, 1:] != ordered[:, :-1], place[:, 1:], 0)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, place - np.maximum.accumulate(start, axis=1), axis=1)
    return rank
