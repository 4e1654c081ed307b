"""The route `distribution`: how the rows of the data spread over each feature.

No bin has fewer than `LEAST` rows, so that none is about a few people: small bins of numbers join
their neighbours, and rare levels join each other.
"""

from __future__ import annotations

import numpy as np

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused
from ifonly.contract.types import Reply, Request, Strict, Value
from ifonly.errors import nearest
from ifonly.space import Categorical, Continuous, Feature
from ifonly.space.table.values import value_of

LEAST = 10
"""The fewest rows of a bin."""
BINS = 30
"""The most bins of a number."""


class DistributionRequest(Request):
    """Of which features; null: of all."""

    features: list[str] | None = None


class Bin(Strict):
    """Values of a feature, and how many rows of the data have them."""

    count: int
    low: Value = None
    high: Value = None
    """The ends of a bin of numbers, both of which belong to it."""
    levels: list[Value] = []
    """The levels of a category in the bin, null for a missing value."""


class Histogram(Strict):
    """The bins of one feature, none of fewer than 10 rows."""

    feature: str
    bins: list[Bin]
    missing: int | None
    """How many rows lack a number; null where they are fewer than 10, or none."""


class DistributionReply(Reply):
    """A histogram of each feature; no bins where the handler has no data."""

    histograms: list[Histogram]


def distribution(context: Context, request: DistributionRequest) -> DistributionReply:
    """The histograms of some features."""
    names = context.space.names
    wanted = list(names) if request.features is None else request.features
    for place, name in enumerate(wanted):
        if name not in names:
            field, hint = f"features[{place}]", nearest(name, names)
            raise Refused(f"There is no feature {name!r:.60}.", hint, field=field, kind="data")
    data = np.empty((0, len(names))) if context.data is None else context.data
    columns = [context.space.index(name) for name in wanted]
    found = [_histogram(context.space.features[j], data[:, j]) for j in columns]
    return DistributionReply(histograms=found)


def _histogram(feature: Feature, codes: np.ndarray) -> Histogram:
    """The bins of codes [n]."""
    gaps = int(np.isnan(codes).sum())
    if isinstance(feature, Categorical):
        counts = np.bincount(codes[~np.isnan(codes)].astype(np.intp), minlength=len(feature.levels))
        levels = [*feature.levels, None] if gaps else list(feature.levels)
        groups = _joined_levels([*counts.tolist(), gaps][: len(levels)])
        bins = [Bin(count=n, levels=[levels[i] for i in places]) for places, n in groups]
        return Histogram(feature=feature.name, bins=bins, missing=None)
    bins = [
        Bin(count=n, low=value_of(feature, low), high=value_of(feature, high))
        for low, high, n in _joined_bins(feature, np.sort(codes[~np.isnan(codes)]))
    ]
    return Histogram(feature=feature.name, bins=bins, missing=gaps if gaps >= LEAST else None)


def _joined_levels(counts: list[int]) -> list[tuple[list[int], int]]:
    """Places of levels and their count: the rare ones together, with the next if they are few."""
    order = sorted((i for i, n in enumerate(counts) if n), key=lambda i: counts[i])
    rare: list[int] = []
    while order and (counts[order[0]] < LEAST or 0 < sum(counts[i] for i in rare) < LEAST):
        rare.append(order.pop(0))
    groups = [([i], counts[i]) for i in sorted(order)]
    together = sum(counts[i] for i in rare)
    return [*groups, (sorted(rare), together)] if together >= LEAST else groups


def _joined_bins(feature: Continuous, values: np.ndarray) -> list[tuple[float, float, int]]:
    """The ends of each bin of sorted values [n], on the value grid, and how many it has.

    Bins begin as equally wide; one that has too few rows takes in the next.
    """
    count = round((feature.high - feature.low) / feature.step) + 1
    steps = np.unique(np.linspace(0, count, BINS + 1).round())[:-1]
    starts = np.round(feature.low + feature.step * steps, feature.decimals)
    kept, begin = [starts[0]], 0
    for start, place in zip(starts[1:], np.searchsorted(values, starts[1:]), strict=True):
        if place - begin >= LEAST and len(values) - place >= LEAST:
            kept.append(start)
            begin = place
    if len(values) < LEAST:
        return []
    places = [0, *np.searchsorted(values, kept[1:]).tolist(), len(values)]
    highs = [*(start - feature.step for start in kept[1:]), feature.high]
    highs = np.round(highs, feature.decimals).tolist()
    return list(zip(map(float, kept), highs, np.diff(places).tolist(), strict=True))
