"""Points with fewer changes and nearer numbers, on a device.

The steps of `ifonly.select.trim` and `ifonly.select.tight`, which say what they promise, over
tensors. Points are [p, d], each of the row of the same place.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations, islice

import numpy as np
import torch
from torch import Tensor

from ifonly.search.device.rows import Rows
from ifonly.search.device.sums import NUMBERS

SECTIONS, CHECKS, ROUNDS, WHOLE = 9, 8, 60, 10


def fewer(rows: Rows, points: Tensor) -> Tensor:
    """Valid points [p, d] with changes reverted, the dearest first, while one alone can be."""
    points = points.clone()
    active = torch.arange(len(points), device=points.device)
    for _ in range(ROUNDS):
        active = active[changes_of(rows.take(active), points[active]).sum(dim=1) > 1]
        if not len(active):
            break
        part, own = rows.take(active), points[active]
        changed = changes_of(part, own)
        price = torch.where(changed, part.prices(own[:, None])[:, 0], -1.0)
        feature, real = first_of(changed, torch.argsort(-price, dim=1, stable=True))
        trial = written(own, feature, torch.gather(part.x, 1, feature)[..., None])
        can = real & (part.margin(trial) > 0)
        won = can.any(dim=1)
        active = active[won]
        j = torch.gather(feature, 1, can.to(torch.int8).argmax(dim=1, keepdim=True))[won, 0]
        points[active, j] = rows.x[active, j]
    return points


def smallest(rows: Rows, points: Tensor) -> Tensor:
    """[p, d] the smallest valid set of each point's changes; the point where all are needed."""
    points = points.clone()
    changed = changes_of(rows, points)
    size = changed.sum(dim=1)
    for n in torch.unique(size[size > 1]).tolist():
        sets = torch.from_numpy(_sets(n)).to(points.device)
        block = max(1, NUMBERS // (4 * sets.numel() + 4 * len(sets) * points.shape[1]))
        for some in torch.split(torch.nonzero(size == n)[:, 0], block):
            part, own = rows.take(some), points[some]
            feature, _ = first_of(changed[some], torch.argsort(~changed[some], dim=1, stable=True))
            back, here = (torch.gather(one, 1, feature)[:, None] for one in (part.x, own))
            trial = own[:, None].repeat(1, len(sets), 1)
            places = feature[:, None].expand(-1, len(sets), -1)
            trial.scatter_(2, places, torch.where(sets, back, here))
            valid = part.margin(trial) > 0
            first = valid.to(torch.int8).argmax(dim=1)
            found = trial[torch.arange(len(some), device=points.device), first]
            points[some] = torch.where(valid.any(dim=1, keepdim=True), found, own)
    return points


def nearer(rows: Rows, points: Tensor) -> Tensor:
    """Valid points [p, d] with every number as near to the row's as the outcome allows."""
    points = points.clone()
    numbers = numbers_of(rows, points)
    waiting, floor = numbers.clone(), rows.x.clone()
    for _ in range(CHECKS):
        for _ in range(ROUNDS):
            active = torch.nonzero(waiting.any(dim=1))[:, 0]
            if not len(active):
                break
            _bisect(rows, points, floor, waiting, active)
        active = torch.nonzero(numbers.any(dim=1))[:, 0]
        if not len(active):
            break
        active = active[_checked(rows.take(active), points, numbers[active], active)]
        if not len(active):
            break
        waiting[active], floor[active] = numbers[active], rows.x[active]
        numbers_left = torch.zeros_like(numbers)
        numbers_left[active] = numbers[active]
        numbers = numbers_left
    return points


def halvable(rows: Rows, points: Tensor) -> Tensor:
    """bool [p]: the valid points [p, d] of which a number can come half of the way nearer.

    One that has few values comes to one of these in the middle of the way.
    """
    half = (points + rows.x) / 2
    for j, known in rows.terms.discrete.items():
        ends = torch.stack([rows.x[:, j], points[:, j]]).nan_to_num().sort(dim=0).values
        first = torch.searchsorted(known, ends[0].contiguous(), right=True)
        count = torch.searchsorted(known, ends[1].contiguous()) - first
        middle = known[(first + count // 2).clamp(max=len(known) - 1)]
        half[:, j] = torch.where(count > 0, middle, rows.x[:, j])
    return _can_become(rows, points, half)


def known_ones(rows: Rows, points: Tensor) -> Tensor:
    """Valid points [p, d] whose numbers with few values stand at one of these, where they can.

    See `ifonly.select.discrete`; here one column follows the other.
    """
    points = points.clone()
    for j, known in rows.terms.discrete.items():
        value, own = points[:, j], rows.x[:, j]
        place = torch.searchsorted(known, value.contiguous()).clamp(max=len(known) - 1)
        up, down = known[place], known[(place - 1).clamp(min=0)]
        beyond = torch.where(value > own, up, down)
        inside = (beyond >= rows.low[:, j]) & (beyond <= rows.high[:, j])
        some = torch.nonzero((value != own) & (up != value) & inside & ~(value + own).isnan())[:, 0]
        if not len(some):
            continue
        part, trial = rows.take(some), points[some]
        trial[:, j] = beyond[some]
        valid = part.margin(trial[:, None])[:, 0] > 0
        points[some[valid]] = trial[valid]
    return points


def steppable(rows: Rows, points: Tensor) -> Tensor:
    """bool [p]: the valid points [p, d] of which a number can come a step of its grid nearer."""
    near = points - torch.sign(points - rows.x) / rows.terms.power
    for j, known in rows.terms.discrete.items():
        value, own, last = points[:, j].contiguous(), rows.x[:, j], len(known) - 1
        below = known[(torch.searchsorted(known, value) - 1).clamp(min=0)]
        above = known[torch.searchsorted(known, value, right=True).clamp(max=last)]
        one = torch.where(value > own, below, above)
        near[:, j] = torch.where((one - own) * (value - one) > 0, one, own)
    return _can_become(rows, points, near)


def all_needed(rows: Rows, points: Tensor) -> Tensor:
    """bool [p]: the points [p, d] of which no change, and no set of changes, can be reverted."""
    return ~differ(smallest(rows, points), points).any(dim=1)


def _bisect(rows: Rows, points: Tensor, floor: Tensor, waiting: Tensor, active: Tensor) -> None:
    """One round for the points `active`: every number that waits is asked about; one of them moves.

    `floor` [p, d] rises to the last values that failed; a number waits while there are others.
    """
    part, waits = rows.take(active), waiting[active]
    feature, real = first_of(waits, torch.argsort(~waits, dim=1, stable=True))
    low, high = (torch.gather(one[active], 1, feature) for one in (floor, points))
    values = _between(part, low, high, feature)
    new = (values != low[..., None]) & (values != high[..., None]) & real[..., None]
    _, valid = _moved(part, points, active, feature, values, new)
    # The last value that failed before the first that did not.
    failed = torch.cat([low[..., None], torch.where(new, values, low[..., None])], dim=2)
    first = torch.where(valid.any(dim=2), valid.to(torch.int8).argmax(dim=2), values.shape[2])
    raised = torch.gather(failed, 2, first[..., None])[..., 0]
    floor[active] = floor[active].scatter(1, feature, torch.where(real, raised, low))
    waiting[active] = waits.scatter(1, feature, new.any(dim=2))


def _checked(part: Rows, points: Tensor, numbers: Tensor, active: Tensor) -> Tensor:
    """Move points half of the way, or the last step, where that is possible; bool which moved."""
    feature, real = first_of(numbers, torch.argsort(~numbers, dim=1, stable=True))
    low, high = (torch.gather(one, 1, feature) for one in (part.x, points[active]))
    step = 1 / part.terms.power[feature]
    near = torch.stack([(low + high) / 2, high - torch.sign(high - low) * step], dim=2)
    near = part.settle(near, feature[..., None].expand(near.shape), stops=False)
    new = (near - low[..., None]).abs() < (high - low).abs()[..., None]
    return _moved(part, points, active, feature, near, new & real[..., None])[0]


def _moved(
    part: Rows, points: Tensor, active: Tensor, feature: Tensor, values: Tensor, among: Tensor
) -> tuple[Tensor, Tensor]:
    """Move the points `active` to the value that saves most; which moved, and what was valid.

    The features are [p, c], their values and which of them are asked about [p, c, n].
    """
    p, c, n = values.shape
    won, valid = [], []
    for some in torch.split(
        torch.arange(p, device=points.device), max(1, NUMBERS // (4 * c * n * points.shape[1]))
    ):
        one, own = part.take(some), points[active[some]]
        trial = written(own, feature[some], values[some])
        good = among[some].flatten(1) & (one.margin(trial) > 0)
        saved = torch.where(good, one.price(own[:, None]) - one.price(trial), 0.0)
        most, place = saved.max(dim=1)
        best = trial[torch.arange(len(some), device=points.device), place]
        points[active[some]] = torch.where((most > 0)[:, None], best, own)
        won.append(most > 0)
        valid.append(good.reshape(-1, c, n))
    return torch.cat(won), torch.cat(valid)


def _between(part: Rows, low: Tensor, high: Tensor, feature: Tensor) -> Tensor:
    """[p, c, n] values between `low` and `high` [p, c] on the grids of features [p, c]."""
    step, way = (1 / part.terms.power[feature])[..., None], (high - low)[..., None]
    low, high = low[..., None], high[..., None]
    count = torch.arange(1, SECTIONS + 1, device=low.device)
    values = low + way * (count / (SECTIONS + 1))
    # The last steps one by one: between neighbours on the grid there is nothing.
    walk = high - torch.sign(way) * step * count.flip(0)
    walk = torch.where((walk - low) * way > 0, walk, low)
    values = torch.where(way.abs() <= (SECTIONS + 1) * step, walk, values)
    places = feature[..., None].expand(values.shape)
    values = part.settle(values, places, stops=False)
    if not part.terms.stops:
        return values
    # Between the stops of a tree nothing changes; where none is left, the grid itself is.
    stops = part.settle(values, places)
    left = ((stops != low) & (stops != high)).any(dim=2, keepdim=True)
    return torch.where(left, stops, values)


def _can_become(rows: Rows, points: Tensor, values: Tensor) -> Tensor:
    """bool [p]: the valid points [p, d] of which a number can be its nearer value [p, d]."""
    power = rows.terms.power
    near = torch.round(values * power) / power
    away, left = points - rows.x, near - rows.x
    among = numbers_of(rows, points) & (left.abs() < away.abs()) & (left * away > 0)
    place, feature = torch.nonzero(among, as_tuple=True)
    part, trial = rows.take(place), points[place]
    trial[torch.arange(len(place), device=points.device), feature] = near[place, feature]
    inside = (trial >= part.low) & (trial <= part.high) | (trial == part.x)
    inside = torch.gather(inside, 1, feature[:, None])[:, 0]
    valid = inside & (part.margin(trial[:, None])[:, 0] > 0)
    return torch.zeros(len(points), dtype=torch.bool, device=points.device).index_put_(
        (place[valid],), torch.tensor(True, device=points.device)
    )


def changes_of(rows: Rows, points: Tensor) -> Tensor:
    """bool [p, d]: what points change."""
    return rows.changed(points[:, None])[:, 0]


def numbers_of(rows: Rows, points: Tensor) -> Tensor:
    """bool [p, d]: the changed numbers of points, neither end of the change missing."""
    return changes_of(rows, points) & rows.terms.continuous & ~(points - rows.x).isnan()


def differ(a: Tensor, b: Tensor) -> Tensor:
    """bool [...]: where codes a and b differ."""
    return (a != b) & ~(a.isnan() & b.isnan())


def first_of(which: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
    """[p, c] as many places of an order [p, d] as the most that are meant, and which are."""
    count = max(1, int(which.sum(dim=1).max())) if len(which) else 1
    return order[:, :count], torch.gather(which, 1, order[:, :count])


def written(points: Tensor, feature: Tensor, values: Tensor) -> Tensor:
    """[p, c * n, d] points [p, d], one of their features [p, c] at one of its values [p, c, n]."""
    p, c, n = values.shape
    trial = points[:, None].repeat(1, c * n, 1)
    places = feature[:, :, None].expand(p, c, n).reshape(p, c * n, 1)
    return trial.scatter_(2, places, values.reshape(p, c * n, 1))


@lru_cache(maxsize=64)
def _sets(size: int) -> np.ndarray:
    """[s, size] the sets of changes that are reverted, the largest first; never all of them."""
    sizes = range(size - 1, 0, -1) if size <= WHOLE else (1, 2)
    listed = chain.from_iterable(combinations(range(size), n) for n in sizes)
    return np.array([np.isin(np.arange(size), one) for one in islice(listed, 2**WHOLE)])
