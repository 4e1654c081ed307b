"""k different ways on a device, each needed, tight and round: the order of work of `Ways`.

All promising candidates are improved, not a few: on a device they cost next to nothing.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.device.better import all_needed, better, halvable, steppable
from ifonly.search.device.choice import chosen
from ifonly.search.device.rows import INF, Rows, best, gather, keys, leaders, repeated

SPARE, TURNS = 2, 3
_INCLUDES = 1e6
OTHERS, TWIN = 2.0, 3.0


class Choice(Protocol):
    """What `WaysOnDevice` states."""

    @property
    def device(self) -> str: ...
    @property
    def promises(self) -> tuple[str, ...]: ...
    @property
    def diversity(self) -> float: ...
    @property
    def nearest(self) -> bool: ...


def answers(
    choice: Choice, problem: Problem, pool: Pool, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points [q, k, d], nearest first, which are filled [q, k], and which are extra."""
    rows = Rows.of(problem, choice.device)
    held = getattr(pool, "tensors", None)
    if held is None:
        points = torch.from_numpy(np.ascontiguousarray(pool.points)).to(rows.x)
        valid = torch.from_numpy(np.ascontiguousarray(pool.valid)).to(points.device)
        cost = torch.where(valid, rows.distance(points), INF)
    else:
        points, cost = held, getattr(pool, "cost")
    found, tier = _found(choice, rows, points, cost, k)
    rate = 0.25 * (1 - choice.diversity) / choice.diversity if choice.diversity > 0 else None
    slots, filled = chosen(rows, found, tier, k, rate=rate, nearest=choice.nearest)
    found = torch.where(filled[:, :, None], gather(found, slots), rows.x[:, None])
    order = torch.argsort(torch.where(filled, rows.distance(found), INF), dim=1, stable=True)
    found, filled = gather(found, order), torch.gather(filled, 1, order)
    extra = _extra(choice, rows, found, filled)
    return found.cpu().numpy(), filled.cpu().numpy(), extra.cpu().numpy()


def _found(
    choice: Choice, rows: Rows, points: Tensor, cost: Tensor, k: int
) -> tuple[Tensor, Tensor]:
    """The candidates to choose from [q, m, d], and the tier of each [q, m], infinite where none."""
    if not choice.promises:
        return points, torch.where(cost < INF, 0.0, INF)
    ways, valid = _ways(choice, rows, points, cost, 3 * k + 4, each=1)
    same, twin = _alike(rows, ways, valid)
    lacking = torch.nonzero((valid & ~same).sum(dim=1) < k)[:, 0]
    for turn in range(1, TURNS):
        if not len(lacking):
            break
        more, good = _ways(
            choice, rows.take(lacking), points[lacking], cost[lacking], 6 * k + 8, each=turn + 1
        )
        ways, valid = _joined(rows, ways, valid, lacking, more, good)
        same, twin = _alike(rows, ways, valid)
        lacking = lacking[(valid & ~same)[lacking].sum(dim=1) < k]
    tier = torch.where(valid, torch.where(twin, TWIN, same.to(cost.dtype)), INF)
    if len(lacking):
        ways = torch.cat([ways, points], dim=1)
        tier = torch.cat([tier, torch.where(cost < INF, OTHERS, INF)], dim=1)
        tier = torch.where(repeated(keys(ways), tier < INF), INF, tier)
    return ways, tier


def _ways(
    choice: Choice, rows: Rows, points: Tensor, cost: Tensor, count: int, *, each: int
) -> tuple[Tensor, Tensor]:
    """Improved points [q, m, d] of about `count` ways, nearest candidates first; which are real."""
    index, real = leaders(cost, rows.ways(points), 4 * count, each=each)
    points = gather(points, index)
    cost = torch.where(real, torch.gather(cost, 1, index), INF)
    first, _ = best(cost, 1 + SPARE)
    more = _INCLUDES * _includes_another(rows.changed(points), real)
    index, real = best(cost + more.scatter(1, first, 0.0), count)
    points = gather(points, index)
    place, slot = torch.nonzero(real, as_tuple=True)
    points[place, slot] = better(
        rows.take(place),
        points[place, slot],
        needed="needed" in choice.promises,
        tight="tight" in choice.promises,
        round_numbers="round" in choice.promises,
    )
    order = torch.argsort(torch.where(real, rows.distance(points), INF), dim=1, stable=True)
    points, real = gather(points, order), torch.gather(real, 1, order)
    return points, real & ~repeated(keys(points), real)


def _includes_another(changed: Tensor, valid: Tensor) -> Tensor:
    """[q, m] 1 for points that make all changes of another valid point, and more."""
    more = torch.zeros((*valid.shape, valid.shape[1]), dtype=torch.bool, device=valid.device)
    inside = valid[:, None, :] & ~more
    for one in changed.unbind(dim=2):
        outer, inner = one[:, :, None], one[:, None, :]
        inside &= outer | ~inner
        more |= outer & ~inner
    return (inside & more).any(dim=2).to(torch.float64)


def _alike(rows: Rows, points: Tensor, valid: Tensor) -> tuple[Tensor, Tensor]:
    """bool [q, m]: the valid points of a way that an earlier one is of; the twins among them."""
    key = rows.ways(points)
    close = (key[:, :, None] == key[:, None, :]) & valid[:, None, :]
    close = close.tril_(-1)
    same = valid & close.any(dim=2)
    if not bool(same.any()):
        return same, same
    for j, width in enumerate(rows.terms.alike.tolist()):
        one = points[:, :, j]
        close &= ~((one[:, :, None] - one[:, None, :]).abs() > width)
    return same, same & close.any(dim=2)


def _joined(
    rows: Rows, ways: Tensor, valid: Tensor, some: Tensor, more: Tensor, good: Tensor
) -> tuple[Tensor, Tensor]:
    """The ways with those of some rows beside them, each once."""
    points = rows.x[:, None].repeat(1, more.shape[1], 1)
    real = torch.zeros(points.shape[:2], dtype=torch.bool, device=points.device)
    points[some], real[some] = more, good
    ways, valid = torch.cat([ways, points], dim=1), torch.cat([valid, real], dim=1)
    return ways, valid & ~repeated(keys(ways), valid)


def _extra(choice: Choice, rows: Rows, points: Tensor, filled: Tensor) -> Tensor:
    """bool [q, k]: the answers for which a smaller change is enough."""
    place, slot = torch.nonzero(filled, as_tuple=True)
    part, own = rows.take(place), points[place, slot]
    extra = torch.zeros(len(own), dtype=torch.bool, device=own.device)
    if "needed" in choice.promises:
        extra |= ~all_needed(part, own)
    if "tight" in choice.promises:
        extra |= halvable(part, own)
        if "round" not in choice.promises:
            extra |= steppable(part, own)
    return torch.zeros_like(filled).index_put_((place, slot), extra)
