"""k different ways on a device, each needed, tight and round: the order of work of `Ways`.

All promising candidates are improved, not a few: on a device they cost next to nothing.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.device.better import better
from ifonly.search.device.choice import chosen
from ifonly.search.device.ranking import INF, best, gather, keys, leaders, repeated
from ifonly.search.device.rows import Rows
from ifonly.search.device.smaller import all_needed, halvable, steppable
from ifonly.search.device.sums import NUMBERS

SPARE, TURNS = 2, 3
_INCLUDES = 1e6
OTHERS, TWIN = 2.0, 3.0
NEAR = 1.5 * 0.25
"""What a price takes from the value of a set, at a diversity of a half: more than on the CPU, since
there are more ways to choose from here, and the widest would win."""
CHANGED = 0.25
"""What a changed feature takes from it in the choice of two points."""


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
    held = pool.__dict__.get("tensors")
    if held is None:
        points = torch.from_numpy(np.ascontiguousarray(pool.points)).to(rows.x)
        valid = torch.from_numpy(np.ascontiguousarray(pool.valid)).to(points.device)
        cost = torch.where(valid, rows.price(points), INF)
    else:
        points, cost = held, pool.__dict__["cost"]
    found, filled = _chosen(choice, rows, points, cost, k)
    order = torch.argsort(torch.where(filled, rows.price(found), INF), dim=1, stable=True)
    found, filled = gather(found, order), torch.gather(filled, 1, order)
    extra = _extra(choice, rows, found, filled)
    found = torch.where(rows.changed(found), problem.space.round(found), rows.x[:, None])
    return found.cpu().numpy(), filled.cpu().numpy(), extra.cpu().numpy()


def _chosen(
    choice: Choice, rows: Rows, points: Tensor, cost: Tensor, k: int
) -> tuple[Tensor, Tensor]:
    """k of the candidates [q, m, d] of every row, and which places [q, k] are filled.

    A row with fewer ways than answers tries more candidates of each way, then takes them as they
    are. Only such rows do, so that the arrays of all others stay small.
    """
    if not choice.promises:
        return _taken(choice, rows, points, torch.where(cost < INF, 0.0, INF), k)
    ways, valid = _ways(choice, rows, points, cost, 3 * k + 4, each=1)
    tier = _tiers(rows, ways, valid)
    found, filled = _taken(choice, rows, ways, tier, k)
    place = torch.arange(len(found), device=found.device)
    for turn in range(1, TURNS):
        lacking = torch.nonzero((tier == 0).sum(dim=1) < k)[:, 0]
        if not len(lacking):
            break
        place, rows, points, cost = (
            place[lacking],
            rows.take(lacking),
            points[lacking],
            cost[lacking],
        )
        ways, valid = ways[lacking], valid[lacking]
        more, good = _ways(choice, rows, points, cost, 6 * k + 8, each=turn + 1)
        ways, valid = torch.cat([ways, more], dim=1), torch.cat([valid, good], dim=1)
        valid &= ~repeated(keys(ways), valid)
        tier = _tiers(rows, ways, valid)
        others = torch.where(cost < INF, OTHERS, INF)
        pool, tiers = torch.cat([ways, points], dim=1), torch.cat([tier, others], dim=1)
        tiers = torch.where(repeated(keys(pool), tiers < INF), INF, tiers)
        found[place], filled[place] = _taken(choice, rows, pool, tiers, k)
    return found, filled


def _taken(
    choice: Choice, rows: Rows, points: Tensor, tier: Tensor, k: int
) -> tuple[Tensor, Tensor]:
    """The chosen points [q, k, d], the row itself where there is none; and which are filled."""
    apart = (1 - choice.diversity) / choice.diversity if choice.diversity > 0 else None
    rate = None if apart is None else NEAR * apart
    each = 0.0 if apart is None or not choice.promises else CHANGED * apart * math.log2(k)
    size = max(1, NUMBERS // (4 * points.shape[1] ** 2))
    parts = []
    for some in torch.split(torch.arange(len(points), device=points.device), size):
        part, own = (rows, points) if len(some) == len(points) else (rows.take(some), points[some])
        slots, filled = chosen(
            part, own, tier[some], k, rate=rate, each=each, nearest=choice.nearest
        )
        found = torch.where(filled[:, :, None], gather(own, slots), part.x[:, None])
        parts.append((found, filled))
    found, filled = (torch.cat(one) for one in zip(*parts, strict=True))
    return found, filled


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
    order = torch.argsort(torch.where(real, rows.price(points), INF), dim=1, stable=True)
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


def _tiers(rows: Rows, points: Tensor, valid: Tensor) -> Tensor:
    """[q, m] 0 for the first valid point of a way, 1 for others, more for twins of earlier ones."""
    key = rows.ways(points)
    close = ((key[:, :, None] == key[:, None, :]) & valid[:, None, :]).tril_(-1)
    same = close.any(dim=2)
    for j, width in enumerate(rows.terms.alike):
        one = points[:, :, j]
        close &= ~((one[:, :, None] - one[:, None, :]).abs_() > width)
    tier = torch.where(close.any(dim=2), TWIN, same.to(points.dtype))
    return torch.where(valid, tier, INF)


def _extra(choice: Choice, rows: Rows, points: Tensor, filled: Tensor) -> Tensor:
    """bool [q, k]: the answers that only fill a place."""
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
