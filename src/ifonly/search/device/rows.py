"""The rows of a problem as tensors, and the questions that a search asks of them.

Points are [q, m, d] in double precision, so that values of any grid are exact. Sums over features
are made in their order, and of equals the first is taken, so that a row's answers are the same in
any batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ifonly.arrays.powers import powers_of_ten
from ifonly.errors import OptionError
from ifonly.models.reading import Reading
from ifonly.problem.problem import Problem
from ifonly.search.device.ranking import INF, in_order, keys
from ifonly.search.device.sums import Sums, sums_of
from ifonly.space.table.dates import is_moment

HOST, MOST = 8, 1536
"""How many times the numbers of a chunk are searched together: on a CPU, and at the most."""
BYTES = 100_000_000
"""The memory of a device that so many numbers need with all that is held beside them."""


@dataclass(frozen=True, eq=False)
class Terms:
    """What is the same for all rows."""

    sums: Sums
    link: str
    cut: float
    """What the lead of the second of two classes must pass."""
    slack: float
    """How far from the boundary a margin is clear."""
    continuous: Tensor
    """bool [d]"""
    moment: Tensor
    """bool [d] the dates."""
    scale: Tensor
    """[d] what a gap of one MAD, or another level, adds to the distance."""
    rate: Tensor
    """[d] what a gap of 1 adds to it."""
    limit: Tensor
    """[d] the largest gap: 1 for another level."""
    costs: Mapping[int, Tensor]
    charge: float
    power: Tensor
    """[d] the steps of each grid in a unit."""
    alike: Tensor
    """[d] the width within which two numbers are almost one."""
    stops: Mapping[int, Tensor]
    discrete: Mapping[int, Tensor]
    missing: bool


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows x [q, d] with what each one wants and may become; see `Problem` and `Box`."""

    terms: Terms
    x: Tensor
    origin: Tensor
    """[q, d] the row, or the nearest that the rules allow."""
    low: Tensor
    high: Tensor
    keep: Tensor | None
    """bool [q, d], or None where every row may keep its values."""
    levels: Tensor | None
    """bool [q, w], or None where every row may have every level."""
    wanted: Tensor
    """[q] the class."""
    least: Tensor
    """[q] of a regression: the range."""
    most: Tensor

    @classmethod
    def of(cls, problem: Problem, device: str) -> Rows:
        """The rows of a problem on a device."""
        box, goal = problem.box, problem.goal
        x = _on(problem.x, device)
        kept = bool(box.keep.all())
        return cls(
            terms_of(problem, device),
            x,
            x if kept else _on(box.clip(box.x[:, None])[:, 0], device),
            _on(box.low, device),
            _on(box.high, device),
            None if kept else _on(box.keep, device),
            None if box.every_level else _on(box.levels, device),
            *(_on(one, device) for one in (goal.wanted, goal.low, goal.high)),
        )

    def take(self, rows: Tensor) -> Rows:
        """Some of the rows."""
        names = ("x", "origin", "low", "high", "keep", "levels", "wanted", "least", "most")
        parts: dict[str, Any] = {name: getattr(self, name) for name in names}
        parts = {name: None if part is None else part[rows] for name, part in parts.items()}
        return replace(self, **parts)

    def margin(self, points: Tensor) -> Tensor:
        """[q, m] how far points [q, m, d] are inside the target and clear; not positive outside."""
        q, m, d = points.shape
        sums = self.terms.sums(points.reshape(-1, d))
        margin = self.lead(sums.reshape(q, m, sums.shape[1])) - self.terms.slack
        if self.keep is not None:
            back = (points == self.x[:, None]) & ~self.keep[:, None]
            margin = torch.where(back.any(dim=2), -INF, margin)
        return margin

    def lead(self, sums: Tensor) -> Tensor:
        """[q, m] how far sums [q, m, c] are inside the target."""
        terms, c = self.terms, sums.shape[2]
        if terms.link == "number":
            value = sums[:, :, 0]
            return torch.minimum(value - self.least[:, None], self.most[:, None] - value)
        if terms.link == "odds":
            sums = sums.sigmoid()
            sums = sums / sums.sum(dim=2, keepdim=True)
        if c <= 2:
            over = sums[:, :, -1] if c == 1 else sums[:, :, 1] - sums[:, :, 0]
            over = over - terms.cut
            return torch.where(self.wanted[:, None] == 1, over, -over)
        own = self.wanted[:, None, None].expand(-1, sums.shape[1], 1)
        lead = torch.gather(sums, 2, own)[:, :, 0]
        return lead - sums.scatter(2, own, -INF).amax(dim=2)

    def changed(self, points: Tensor) -> Tensor:
        """bool [q, m, d]: the features in which points differ from their rows."""
        x = self.x[:, None]
        different = points != x
        return different & ~(points.isnan() & x.isnan()) if self.terms.missing else different

    def prices(self, points: Tensor) -> Tensor:
        """[q, m, d] what each feature adds to the price of points [q, m, d]."""
        x = self.x[:, None]
        prices = self._gaps(points, x)
        for j, factors in self.terms.costs.items():
            a, b = points[..., j], x[..., j]
            if factors.ndim == 1:
                factor = torch.where(a > b, factors[0], torch.where(a < b, factors[1], 1.0))
            else:
                before, after = (one.nan_to_num().long() for one in (b.expand_as(a), a))
                factor = torch.where((a + b).isnan(), 1.0, factors[before, after])
            prices[..., j] *= factor
        if self.terms.charge:
            prices += self.terms.charge * self.changed(points)
        return prices

    def _gaps(self, a: Tensor, b: Tensor) -> Tensor:
        """[..., d] what each feature adds to the distance of a and b [..., d]."""
        terms = self.terms
        gaps = (a - b).abs_()
        torch.minimum(gaps, terms.limit, out=gaps).mul_(terms.rate)
        if terms.missing:
            one, other = a.isnan(), b.isnan()
            gaps = torch.where(one | other, (one ^ other) * terms.scale, gaps)
        return gaps

    def price(self, points: Tensor) -> Tensor:
        """[q, m] the price of points [q, m, d]: the nearest is the one of the least."""
        return in_order(self.prices(points).unbind(dim=2))

    def far(self, points: Tensor) -> Tensor:
        """[q, n] the distances of points [n, d] from all rows, a feature at a time."""
        return in_order(self._gap(points[:, j], self.x[:, j, None], j) for j in self._places)

    def pairwise(self, points: Tensor) -> Tensor:
        """[q, m, m] the distances among points [q, m, d], a feature at a time."""
        return in_order(
            self._gap(points[:, :, None, j], points[:, None, :, j], j) for j in self._places
        )

    @property
    def _places(self) -> range:
        return range(self.x.shape[1])

    def _gap(self, a: Tensor, b: Tensor, j: int) -> Tensor:
        """What feature j adds to the distance, of its values a and b."""
        terms = self.terms
        gap = (a - b).abs_().clamp_(max=terms.limit[j]).mul_(terms.rate[j])
        if terms.missing:
            one, other = a.isnan(), b.isnan()
            gap = torch.where(one | other, (one ^ other) * terms.scale[j], gap)
        return gap

    def ways(self, points: Tensor) -> Tensor:
        """A key [q, m] for the way of each of points [q, m, d]; see `Problem.ways`."""
        number = torch.sign(points - self.x[:, None])
        way = torch.where(self.terms.continuous, number, points + 1.0)
        way = torch.where(way.isnan(), 0.5, way) if self.terms.missing else way
        return keys(torch.where(self.changed(points), 2 * way, 0.0))

    def settle(self, value: Tensor, feature: Tensor, *, stops: bool = True) -> Tensor:
        """Values [q, ...] of continuous features [q, ...] on the grid and in each row's box."""
        terms = self.terms
        power = terms.power[feature]
        value = torch.round(value * power) / power
        place = feature.flatten(1)
        own, low, high = (
            torch.gather(one, 1, place).reshape(value.shape)
            for one in (self.x, self.low, self.high)
        )
        for j, known in (terms.stops if stops else {}).items():
            value = torch.where(feature == j, _toward(known, value, own), value)
        inside = torch.minimum(torch.maximum(value, low), high)
        return torch.where(low <= high, inside, own)


def terms_of(problem: Problem, device: str) -> Terms:
    """What is the same for all rows of a problem."""
    space, metric, reading = problem.space, problem.metric, problem.reading
    assert reading is not None, "the method needs one"
    threshold = problem.goal.threshold
    cut = 0.0
    if threshold is not None:
        shares = reading.link in ("shares", "odds")
        cut = 2 * threshold - 1 if shares else float(np.log(threshold / (1 - threshold)))
    width = np.where(space.continuous, 0.05 * (space.high - space.low), np.inf)
    limit = np.where(space.continuous, np.inf, 1.0)
    dates = np.array([is_moment(feature.column) for feature in space.features])
    return Terms(
        sums=_sums(reading, device),
        link=reading.link,
        cut=cut,
        slack=reading.rounding,
        continuous=_on(np.asarray(space.continuous), device),
        moment=_on(dates, device),
        scale=_on(metric.scale, device),
        rate=_on(metric.scale / metric.mad, device),
        limit=_on(limit, device),
        costs={j: _on(one, device) for j, one in metric.costs.items()},
        charge=metric.charge,
        power=_on(powers_of_ten(space.decimals), device),
        alike=_on(width, device),
        stops={j: _on(codes, device) for j, codes in problem.grid.stops.items() if len(codes)},
        discrete={j: _on(codes, device) for j, codes in problem.grid.discrete.items()},
        missing=metric.missing,
    )


_KNOWN: dict[str, tuple[Reading, Sums]] = {}


def _sums(reading: Reading, device: str) -> Sums:
    """The tables of the reading that was asked about last."""
    known = _KNOWN.get(device)
    if known is None or known[0] is not reading:
        known = _KNOWN[device] = (reading, sums_of(reading, device))
    return known[1]


def _on(array: np.ndarray, device: str) -> Tensor:
    """The array on a device; of one row that stands for all, one is moved."""
    if array.ndim == 2 and not array.strides[0] and len(array):
        return torch.from_numpy(np.array(array[:1])).to(device).expand(array.shape)
    return torch.from_numpy(np.array(array, order="C")).to(device)


def _toward(stops: Tensor, value: Tensor, own: Tensor) -> Tensor:
    """Values moved to the next of sorted stops toward the row's own, which they do not pass."""
    value = value.contiguous()
    last = len(stops) - 1
    below = stops[(torch.searchsorted(stops, value, right=True) - 1).clamp(0, last)]
    above = stops[torch.searchsorted(stops, value).clamp(0, last)]
    up = (value > own) & (below <= value) & (below > own)
    down = (value < own) & (above >= value) & (above < own)
    return torch.where(up, below, torch.where(down, above, value))


def room_of(name: str) -> int:
    """How many times the numbers of a chunk on the host a device has room for, from its memory."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise OptionError(
            f"torch sees no device {name!r}: {str(error).splitlines()[0]}",
            "device='cuda' needs a GPU and a torch that is built for it. Leave `device` out to "
            "search on the CPU.",
        ) from error
    if device.type != "cuda":
        return HOST
    return int(min(MOST, max(1, torch.cuda.mem_get_info(device)[0] // BYTES)))
