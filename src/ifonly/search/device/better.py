"""Points that are improved on a device: fewer changes, nearer numbers, then rounder numbers.

Points are [p, d], each of the row of the same place. `ifonly.select.tight` says what is promised.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ifonly.arrays.powers import powers_of_ten
from ifonly.search.device.rows import Rows
from ifonly.search.device.smaller import (
    all_needed,
    differ,
    fewer,
    first_of,
    halvable,
    known_ones,
    nearer,
    numbers_of,
    smallest,
    written,
)
from ifonly.search.device.sums import NUMBERS

TURNS, ROUND, DEARER = 3, 3, 0.02
STEPS = np.outer(powers_of_ten(np.arange(12, -1, -1)), [10.0, 5.0]).ravel()


def better(rows: Rows, points: Tensor, *, needed: bool, tight: bool, round_numbers: bool) -> Tensor:
    """Points [p, d] that revert and move back all they can, then become round."""
    points = fewer(rows, points) if needed else points.clone()
    active = torch.arange(len(points), device=points.device)
    for _ in range(TURNS):
        part = rows.take(active)
        near = known_ones(part, nearer(part, points[active]) if tight else points[active])
        points[active] = near
        if not needed:
            break
        small = smallest(part, near)
        points[active] = small
        active = active[differ(small, near).any(dim=1)]
        if not len(active):
            break
    return rounder(rows, points, needed=needed) if round_numbers else points


def rounder(rows: Rows, points: Tensor, *, needed: bool) -> Tensor:
    """Valid points [p, d] whose numbers are as round as `DEARER` and the outcome allow."""
    points = points.clone()
    changed = numbers_of(rows, points) & ~rows.terms.moment
    changed[:, list(rows.terms.discrete)] = False
    active = torch.nonzero(changed.any(dim=1))[:, 0]
    for some in torch.split(active, max(1, NUMBERS // (64 * points.shape[1]))):
        if len(some):
            points[some] = _round(rows.take(some), points[some], changed[some], needed=needed)
    return points


def _round(rows: Rows, points: Tensor, changed: Tensor, *, needed: bool) -> Tensor:
    p = len(points)
    points = points.clone()
    price = rows.price(points[:, None])
    charged = rows.terms.charge * rows.changed(points[:, None]).sum(dim=2)
    share = DEARER * (price - charged) / changed.sum(dim=1, keepdim=True)
    feature, real = first_of(changed, torch.argsort(~changed, dim=1, stable=True))
    values, allowed = _round_values(rows, points, feature)
    here = torch.gather(points, 1, feature)[..., None]
    dearer = torch.stack(
        [rows.price(written(points, feature, one[..., None])) for one in values.unbind(2)],
        dim=2,
    )
    allowed &= (dearer - price[..., None] <= share[..., None]) & real[..., None]
    order = torch.argsort(~allowed, dim=2, stable=True)[:, :, :ROUND]  # the coarsest first
    kept = torch.where(torch.gather(allowed, 2, order), torch.gather(values, 2, order), here)
    trial = points[:, None].repeat(1, ROUND, 1)
    places = feature[:, None].expand(p, ROUND, -1)
    trial.scatter_(2, places, kept.transpose(1, 2))
    moved = differ(trial, points[:, None]).any(dim=2)
    valid = moved & (rows.margin(trial) > 0)
    waiting = valid.any(dim=1)
    for degree in range(ROUND):
        some = torch.nonzero(waiting & valid[:, degree])[:, 0]
        if not len(some):
            continue
        part, round_ones = rows.take(some), trial[some, degree]
        stays = ~halvable(part, round_ones)
        if needed:
            stays &= all_needed(part, round_ones)
        points[some[stays]] = round_ones[stays]
        waiting[some[stays]] = False
    return points


def _round_values(rows: Rows, points: Tensor, feature: Tensor) -> tuple[Tensor, Tensor]:
    """[p, c, n] the rounder values of features [p, c], coarsest first, and which of them are."""
    value, row = (torch.gather(one, 1, feature)[..., None] for one in (points, rows.x))
    scale = torch.from_numpy(STEPS).to(points)
    steps = scale / rows.terms.power[feature][..., None]
    count = value / steps
    whole = ((count - count.round()).abs() < 1e-6) & (count.round() != 0)
    away = torch.where(value > row, count.ceil(), count.floor()) * steps
    settled = rows.settle(away, feature[..., None].expand(away.shape), stops=False)
    same = (settled - away).abs() <= 1e-9 * away.abs()  # not moved by the box
    # Half of the way to the round number must not be enough.
    same &= (settled - row).abs() < 2 * (value - row).abs() - steps[..., -1:] / scale[-1]
    # What is finer than a multiple that the value is already is no rounder.
    return settled, same & (settled != value) & (torch.cumsum(whole, dim=2) == 0)
