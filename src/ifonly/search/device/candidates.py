"""The candidates of many rows: the shared list of edits, neighbours, and a beam with swaps.

The order of work of the default engine, see `ifonly.search.engine`, over tensors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ifonly.problem.effort import Size
from ifonly.problem.problem import Problem
from ifonly.search.copies import halves
from ifonly.search.device.ranking import INF, best, gather, keys, leaders, repeated
from ifonly.search.device.rows import Rows
from ifonly.search.edit_list import Plan, plan

SHARES = (1.0, 0.25, 0.0625)
_FAR = -1e30


@dataclass(frozen=True, eq=False)
class Found:
    """Points [q, m, d], margins [q, m], costs [q, m]: the price, infinite where not valid."""

    points: Tensor
    margin: Tensor
    cost: Tensor

    def take(self, index: Tensor) -> Found:
        """The slots `index` [q, n]."""
        margin, cost = (torch.gather(one, 1, index) for one in (self.margin, self.cost))
        return Found(gather(self.points, index), margin, cost)


def candidates(rows: Rows, problem: Problem, size: Size) -> tuple[Tensor, Tensor]:
    """Points [q, m, d] and their costs [q, m], infinite where they are not valid."""
    tables, free = _tables(rows, problem)
    parts = []
    for own in _alike(free):
        shared = plan(problem.grid, free[own[0]].cpu().numpy().tobytes(), size, problem.seed)
        part, of = (
            (rows, tables)
            if len(own) == len(free)
            else (rows.take(own), [table[own] for table in tables])
        )
        parts.append((own, _found(part, problem, size, shared, of)))
    if len(parts) == 1:
        return parts[0][1].points, parts[0][1].cost
    width = max(found.cost.shape[1] for _, found in parts)
    points = rows.origin[:, None].repeat(1, width, 1)
    cost = torch.full(points.shape[:2], INF, dtype=points.dtype, device=points.device)
    for own, found in parts:
        points[own, : found.cost.shape[1]] = found.points
        cost[own, : found.cost.shape[1]] = found.cost
    return points, cost


def _tables(rows: Rows, problem: Problem) -> tuple[list[Tensor], Tensor]:
    """For each feature the values [q, 1 + n] that it may take, and bool [q, d] which may change.

    See `Moves`.
    """
    space, box = problem.space, problem.box
    device, q = rows.x.device, len(rows.x)
    tables, free = [], []
    for j, codes in enumerate(problem.grid.fine):
        own = rows.origin[:, j : j + 1]
        values = torch.from_numpy(codes[~np.isnan(codes)]).to(device)
        if space.continuous[j]:
            low, high = rows.low[:, j : j + 1], rows.high[:, j : j + 1]
            inside = torch.minimum(torch.maximum(values, low), torch.maximum(low, high))
            inside = torch.where(low <= high, inside, own)
        elif rows.levels is None:
            inside = values.expand(q, -1)
        else:
            start = space.offsets[j]
            inside = torch.where(rows.levels[:, start : start + len(values)], values, own)
        if len(values) < len(codes):
            erase = torch.from_numpy(np.array(box.erase[:, j : j + 1])).to(device)
            inside = torch.cat([inside, torch.where(erase, torch.nan, own)], dim=1)
        tables.append(torch.cat([own, inside], dim=1))
        other = (inside != own) & ~(inside.isnan() & own.isnan())
        free.append(other.any(dim=1))
    return tables, torch.stack(free, dim=1)


def _alike(free: Tensor) -> list[Tensor]:
    """Positions of rows that may change the same features: they share a list."""
    if bool((free == free[:1]).all()):
        return [torch.arange(len(free), device=free.device)]
    kind = torch.unique(free, dim=0, return_inverse=True)[1]
    return [torch.nonzero(kind == one)[:, 0] for one in range(int(kind.max()) + 1)]


def _found(rows: Rows, problem: Problem, size: Size, shared: Plan, tables: list[Tensor]) -> Found:
    """The valid points of rows that may change the same features, the best of each way."""
    device = rows.x.device
    listed = torch.stack(
        [
            table[:, torch.from_numpy(place).to(device)]
            for table, place in zip(tables, shared.choice, strict=True)
        ],
        dim=2,
    )
    first = _ask(rows, torch.cat([listed, _neighbours(rows, problem, size)], dim=1))
    single = shared.single
    tried = Found(first.points[:, :single], first.margin[:, :single], first.cost[:, :single])
    start = tried.margin[:, :1].clamp(min=_FAR)
    feature, value = _edits(rows, shared, first, size.branch)
    every = [_of_sets(first, shared), _drawn(first, shared, size.wide)]
    front = _near(rows, every[0], size.swaps)
    for _ in range(1, size.depth):
        base = torch.cat([_next(rows, tried, start, size.width), _swaps(rows, front.points)], dim=1)
        tried = _ask(rows, _edited(base, feature, value))
        every.append(_of_branches(tried))
        front = _near(rows, _joined([front, every[-1]]), size.swaps)
    whole = _joined(every)
    cost = torch.where(repeated(keys(whole.points), whole.cost < INF), INF, whole.cost)
    index, real = leaders(cost, rows.ways(whole.points), size.near, each=2)
    kept = whole.take(index)
    return Found(kept.points, kept.margin, torch.where(real, torch.gather(cost, 1, index), INF))


def _ask(rows: Rows, points: Tensor) -> Found:
    margin, price = rows.margin(points), rows.price(points)
    # The row itself is asked about for its margin, and is no answer.
    return Found(points, margin, torch.where((margin > 0) & (price > 0), price, INF))


def _neighbours(rows: Rows, problem: Problem, size: Size) -> Tensor:
    """The nearest rows of the wanted outcome and partial copies of them [q, n, d]."""
    known = torch.from_numpy(np.asarray(problem.reference.codes)).to(rows.x.device)
    count = min(size.neighbours, len(known))
    q, d = rows.x.shape
    if not count:
        return rows.x[:, None][:, :0]
    sums = rows.terms.sums(known)[None].expand(q, -1, -1)
    far = torch.where(rows.lead(sums) > 0, rows.far(known), INF)
    index, found = best(far, count)
    whole = torch.where(found[:, :, None], known[index], rows.origin[:, None])
    whole = _inside(rows, problem, whole)
    keep = torch.from_numpy(halves(d, 1 + size.copies, count, problem.seed)).to(rows.x.device)
    copies = torch.where(keep[:, 0].permute(1, 2, 0), whole[:, None], rows.origin[:, None, None])
    return copies.reshape(q, -1, d)


def _inside(rows: Rows, problem: Problem, points: Tensor) -> Tensor:
    """Points [q, m, d] moved into each row's box."""
    low, high, own = (one[:, None] for one in (rows.low, rows.high, rows.origin))
    ended = torch.where(low <= high, torch.minimum(torch.maximum(points, low), high), own)
    if rows.levels is not None:
        starts = torch.tensor(problem.space.offsets[:-1], device=points.device)
        level = torch.where(rows.terms.continuous, 0.0, points).nan_to_num()
        column = (level + starts).long().flatten(1)
        level = torch.gather(rows.levels, 1, column).reshape(points.shape)
        points = torch.where(level, points, own)
    moved = torch.where(rows.terms.continuous, ended, points)
    return torch.where(moved.isnan(), own, moved)


def _edits(rows: Rows, shared: Plan, first: Found, branch: int) -> tuple[Tensor, Tensor]:
    """Feature and value [q, n] of the single edits to build on, three for the best features.

    A category's three best levels; for a continuous feature its best value and a quarter and a
    sixteenth of the way there.
    """
    q, d = rows.x.shape
    slots = torch.from_numpy(shared.singles).to(rows.x.device)
    alone = torch.where(slots > 0, first.margin[:, slots], -INF)
    order, _ = best(-alone, len(SHARES))
    feature = torch.arange(d, device=rows.x.device)[None, :, None].expand(order.shape)
    place = torch.gather(slots.expand(q, -1, -1), 2, order)
    value = first.points[torch.arange(q, device=place.device)[:, None, None], place, feature]
    own = rows.origin[:, :, None]
    way = value[:, :, :1] - own
    steps = rows.settle(own + way * torch.tensor(SHARES, device=way.device), feature)
    steps = torch.where(way.isnan(), value, steps)  # there is no way from or to a missing value
    value = torch.where(rows.terms.continuous[:, None], steps, value)
    if branch < d:
        top = best(-alone.amax(dim=2), branch)[0][:, :, None].expand(-1, -1, len(SHARES))
        feature, value = (torch.gather(one, 1, top) for one in (feature, value))
    return feature.flatten(1), value.flatten(1)


def _edited(base: Tensor, feature: Tensor, value: Tensor) -> Tensor:
    """Variants [q, m * n, d] of points [q, m, d], each with one of the edits [q, n]."""
    q, m, d = base.shape
    n = feature.shape[1]
    out = base[:, :, None].repeat(1, 1, n, 1)
    place, new = (one[:, None, :, None].expand(q, m, n, 1) for one in (feature, value))
    return out.scatter_(3, place, new).reshape(q, m * n, d)


def _next(rows: Rows, tried: Found, start: Tensor, width: int) -> Tensor:
    """The most promising invalid points [q, width, d], by margin and by margin per price."""
    half = width // 2
    price = rows.price(tried.points)
    hopeful = (tried.margin <= 0) & (tried.margin > -INF) & (price > 0)
    loss = torch.where(hopeful, -tried.margin, INF)
    rate = torch.where(hopeful, (start - tried.margin) / price.clamp(min=1e-6), INF)
    sets = keys(rows.changed(tried.points).to(tried.points.dtype))
    by_margin, _ = leaders(loss, sets, half, each=1)
    own = torch.gather(sets, 1, by_margin)
    taken = (sets[:, :, None] == own[:, None, :]).any(dim=2)
    by_rate, _ = leaders(torch.where(taken, INF, rate), sets, width - half, each=1)
    return gather(tried.points, torch.cat([by_margin, by_rate], dim=1))


def _swaps(rows: Rows, points: Tensor) -> Tensor:
    """Points [q, n, d] with one of their three dearest changes reverted, [q, n * 3, d]."""
    q, n, d = points.shape
    dearest, _ = best(-rows.prices(points), min(3, d))
    out = points[:, :, None].repeat(1, 1, dearest.shape[2], 1)
    own = torch.gather(rows.origin[:, None].expand(-1, n, -1), 2, dearest)
    return out.scatter_(3, dearest[..., None], own[..., None]).reshape(q, -1, d)


def _of_sets(first: Found, shared: Plan) -> Found:
    """The nearest valid point of each set of the shared list, and every neighbour."""
    q, m = first.cost.shape
    device = first.cost.device
    ends = np.append(shared.groups[1:], shared.m)
    longest = int((ends - shared.groups).max())
    spread = np.minimum(shared.groups[:, None] + np.arange(longest), ends[:, None] - 1)
    places = torch.from_numpy(spread).to(device)
    index = places[torch.arange(len(places), device=device), first.cost[:, places].argmin(dim=2)]
    rest = torch.arange(shared.m, m, device=device).expand(q, -1)
    return first.take(torch.cat([index, rest], dim=1))


def _of_branches(tried: Found) -> Found:
    """The nearest valid point for each base and feature."""
    q, m = tried.cost.shape
    n = len(SHARES)
    best_of = tried.cost.reshape(q, m // n, n).argmin(dim=2)
    return tried.take(best_of + torch.arange(0, m, n, device=best_of.device))


def _drawn(first: Found, shared: Plan, count: int) -> Found:
    """The first `count` valid points of the shared list in the order of its lottery."""
    lottery = torch.from_numpy(shared.lottery).to(first.cost.device)
    valid = first.cost[:, : shared.m] < INF
    return first.take(best(torch.where(valid, lottery, INF), count)[0])


def _near(rows: Rows, found: Found, count: int) -> Found:
    """The nearest valid points, each of another way."""
    if count == 1:
        return found.take(best(found.cost, 1)[0])
    return found.take(leaders(found.cost, rows.ways(found.points), count, each=1)[0])


def _joined(found: list[Found]) -> Found:
    return Found(
        *(
            torch.cat([getattr(one, n) for one in found], dim=1)
            for n in ("points", "margin", "cost")
        )
    )
