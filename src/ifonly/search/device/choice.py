"""k of the candidates of each row, by the determinant of their similarities.

The value of a set, its growth and its exchanges are those of `ifonly.select.exchange`; the pools
are small here, so that the similarities of all pairs are known from the start.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ifonly.search.device.ranking import INF
from ifonly.search.device.rows import Rows

_LEAST, _BETTER, _TIER, _FAR = 1e-12, 1 + 1e-6, 1e-50, 1e6
EXCHANGES = 30


def chosen(
    rows: Rows,
    points: Tensor,
    tier: Tensor,
    k: int,
    *,
    rate: float | None,
    each: float,
    nearest: bool,
) -> tuple[Tensor, Tensor]:
    """Slots [q, k] of points [q, m, d], and which places are filled.

    A point of a higher `tier` [q, m] is taken only where none of a lower one is left; none of an
    infinite one is. `rate` is what a price of 1 takes from the value of a set, and `each` what a
    changed feature does; without a rate, the nearest are taken.
    """
    price = rows.price(points)
    valid = tier < INF
    if rate is None:
        weight = 1 / (1 + price)
    else:
        cost = rate * price + each * rows.changed(points).sum(dim=2)
        least = torch.where(valid, cost, INF).amin(dim=1, keepdim=True)
        weight = torch.exp((least - cost).clamp(-300.0, 0.0))
    tier = torch.where(valid, tier, 0.0)
    weight = torch.where(valid, weight.clamp(min=_TIER) * _TIER**tier, 0.0)
    kernel = 1 / (1 + rows.pairwise(points))
    first = torch.where(valid, price + _FAR * tier, INF).argmin(dim=1) if nearest else None
    slots, filled = _grown(kernel, weight, k, first, spread=rate is not None)
    locked = int(nearest)
    if rate is None or locked >= k:
        return slots, filled
    active = torch.arange(len(slots), device=slots.device)
    for _ in range(EXCHANGES):
        gain = _gains(kernel[active], weight[active], slots[active], filled[active], locked)
        most, flat = gain.flatten(1).max(dim=1)
        better = most > _BETTER
        active, flat = active[better], flat[better]
        if not len(active):
            break
        slots[active, flat // gain.shape[2]] = flat % gain.shape[2]
    return slots, filled


def _grown(
    kernel: Tensor, weight: Tensor, k: int, first: Tensor | None, *, spread: bool
) -> tuple[Tensor, Tensor]:
    """Each place filled with the point of most V_j w_j; the first with `first` [q], if given."""
    q, m = weight.shape
    everyone = torch.arange(q, device=weight.device)
    left, weight = torch.ones_like(weight), weight.clone()
    factors = torch.zeros((q, k, m), dtype=weight.dtype, device=weight.device)
    slots = torch.zeros((q, k), dtype=torch.int64, device=weight.device)
    filled = torch.zeros((q, k), dtype=torch.bool, device=weight.device)
    for i in range(k):
        gain = left.clamp(min=_LEAST) * weight if spread else weight
        slot = first if i == 0 and first is not None else gain.argmax(dim=1)
        slots[:, i], filled[:, i] = slot, gain[everyone, slot] > 0
        own = kernel[everyone, slot] * filled[:, i, None]
        weight[own == 1.0] = 0.0  # at distance 0: a repeat
        known = factors[everyone, :i, slot][:, None]
        column = own - (known @ factors[:, :i])[:, 0]
        column *= (filled[:, i] / left[everyone, slot].clamp(min=_LEAST).sqrt())[:, None]
        factors[:, i] = column
        left = left - column * column
    return slots, filled


def _gains(kernel: Tensor, weight: Tensor, slots: Tensor, filled: Tensor, locked: int) -> Tensor:
    """What putting each point of the pool at each place multiplies the value by [q, k, m]."""
    q, k = slots.shape
    everyone = torch.arange(q, device=slots.device)[:, None]
    rows = kernel[everyone, slots] * filled[:, :, None]
    inner = torch.gather(rows, 2, slots[:, None].expand(-1, k, -1))
    both = filled[:, :, None] & filled[:, None, :]
    eye = torch.eye(k, dtype=kernel.dtype, device=kernel.device)
    inverse = torch.linalg.inv_ex(torch.where(both, inner, eye) + _LEAST * eye)[0]
    turned = inverse @ rows
    left = (1.0 - (rows * turned).sum(dim=1)).clamp(min=0.0)
    own = torch.gather(weight, 1, slots)
    free = filled & (own > 0)
    free[:, :locked] = False
    share = torch.where(free, 1 / own, 0.0)
    diagonal = torch.diagonal(inverse, dim1=1, dim2=2)
    gain: Tensor = turned * turned + diagonal[:, :, None] * left[:, None]
    worth = torch.where(rows.amax(dim=1) == 1.0, 0.0, weight)
    gain *= worth[:, None] * share[:, :, None]
    return gain
