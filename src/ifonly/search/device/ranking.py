"""Best first, with ties broken by place; sums in order; keys of equal points.

What `ifonly.arrays` has for arrays, for tensors on a device.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

INF = float("inf")
_ODD = -7046029254386353131  # 0x9E3779B97F4A7C15


def best(cost: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Places [..., n] of the `count` least costs [..., m], and which of them are finite.

    A cost, in single precision, and its place are one whole number: of equals the first is taken.
    """
    bits = (cost.to(torch.float32) + 0.0).view(torch.int32)
    bits = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(torch.int64)
    packed = (bits << 32) | torch.arange(cost.shape[-1], device=cost.device)
    place = torch.topk(packed, min(count, cost.shape[-1]), largest=False).values & 0xFFFFFFFF
    return place, torch.gather(cost, -1, place) < INF


def leaders(cost: Tensor, group: Tensor, count: int, *, each: int) -> tuple[Tensor, Tensor]:
    """Places [q, count] of the least costs [q, m], at most `each` of a group."""
    head, found = best(cost, 3 * count)
    own = torch.gather(group, 1, head)
    found &= ~repeated(own, found, each)
    kept, real = best(torch.where(found, 0.0, INF), count)
    return torch.gather(head, 1, kept), real


def gather(points: Tensor, index: Tensor) -> Tensor:
    """The points [q, n, d] at positions `index` [q, n] of `points` [q, m, d]."""
    return torch.gather(points, 1, index[:, :, None].expand(-1, -1, points.shape[2]))


def repeated(key: Tensor, present: Tensor, each: int = 1) -> Tensor:
    """bool [q, m]: the present keys that equal `each` earlier present ones of their row."""
    alone = torch.arange(key.shape[1], device=key.device)
    ranked, order = torch.where(present, key, alone).sort(dim=1, stable=True)
    same = torch.zeros_like(present)
    same[:, each:] = ranked[:, each:] == ranked[:, : same.shape[1] - min(each, same.shape[1])]
    return present & torch.zeros_like(same).scatter_(1, order, same)


def in_order(parts: Iterable[Tensor]) -> Tensor:
    """The sum of parts, added in their order."""
    every = iter(parts)
    total = next(every).clone()
    for part in every:
        total += part
    return total


def keys(values: Tensor) -> Tensor:
    """int64 [...] of values [..., d], the same for equal ones."""
    bits = (values.nan_to_num(nan=-1e300) + 0.0).view(torch.int64)
    key = torch.zeros(values.shape[:-1], dtype=torch.int64, device=values.device)
    for j in range(values.shape[-1]):
        key = (key ^ bits[..., j]) * _ODD
        key ^= key >> 32
    return key
