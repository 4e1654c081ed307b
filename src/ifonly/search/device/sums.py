"""What a reading adds up for points, on a device.

A network's first layer is a product for numbers and a table for categories. A tree is a table too:
for each interval of a feature's values, and for each of its levels, a word whose bits are the
leaves still possible. The words of all features, joined by AND, leave one bit, the leaf. So a tree
costs a lookup per feature and no branches; one with more than 64 leaves has several words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from ifonly.models.reading import Reading
from ifonly.models.reading.layers.layers import Layers
from ifonly.models.reading.trees.trees import Trees

Sums: TypeAlias = Callable[[Tensor], Tensor]
"""From codes [p, d] to what a reading adds up for them [p, c]."""
LARGEST = 2**14
"""The most entries of a table that categories share."""
WORD = 64
NUMBERS = 2**27
"""About how many numbers are held at a time; it bounds memory."""
_SEQUENCE = 0x03F79D71B4CB0A89  # of de Bruijn: each shift of it begins with other six bits


def sums_of(reading: Reading, device: str) -> Sums:
    """What a reading adds up, in tables that lie on a device."""
    return _layers(reading, device) if isinstance(reading, Layers) else _trees(reading, device)


def _layers(reading: Layers, device: str) -> Sums:
    space, (first, bias) = reading.space, reading.layers[0]
    numbers = np.flatnonzero(space.continuous)
    low, high = space.low[numbers], space.high[numbers]

    def on(array: np.ndarray) -> Tensor:
        return torch.tensor(array, device=device)

    at, shift = on(numbers), on(bias)
    origin, width = on(low), on(np.where(high > low, high - low, 1.0))
    slope, lost = on(first[np.asarray(space.offsets)[numbers]]), on(reading.missing[numbers])
    tables = [
        (on(group), on(size), on(step), on(one)) for group, size, step, one in _joint(reading)
    ]
    rest = [(on(kernel), on(more)) for kernel, more in reading.layers[1:]]
    missing = any(feature.missing for feature in space.features)

    def sums(codes: Tensor) -> Tensor:
        units = (codes[:, at] - origin) / width
        passed = torch.addmm(shift, torch.nan_to_num(units) if missing else units, slope)
        if missing:
            passed += units.isnan().to(passed.dtype) @ lost
        for group, size, step, table in tables:
            level = codes[:, group]
            level = torch.where(level.isnan(), size, level) if missing else level
            passed += table[(level @ step).long()]
        for kernel, more in rest:
            passed = torch.addmm(more, passed.clamp_min_(0), kernel)
        return passed

    return _in_blocks(sums, 2 * first.shape[1] + len(space), len(reading.layers[-1][1]))


def _joint(reading: Layers) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Categories that share a table: their features, sizes, strides, and the first layer's sums.

    A missing value is one level more. Together they have at most `LARGEST` entries.
    """
    space, (first, _) = reading.space, reading.layers[0]
    groups: list[list[Any]] = []
    for j in np.flatnonzero(~space.continuous):
        own = first[space.offsets[j] : space.offsets[j + 1]]
        levels = len(own)
        if space.features[j].missing:
            own = np.concatenate([own, reading.missing[j : j + 1]])
        if groups and len(groups[-1][3]) * len(own) <= LARGEST:
            group = groups[-1]
            group[2].append(len(group[3]))
            group[3] = (own[:, None] + group[3][None]).reshape(-1, first.shape[1])
        else:
            group = [[], [], [1], own]
            groups.append(group)
        group[0].append(j)
        group[1].append(levels)
    return [(np.array(a), np.array(b, float), np.array(c, float), d) for a, b, c, d in groups]


def _trees(reading: Trees, device: str) -> Sums:
    space = reading.space
    tables, edges = zip(*(_table(reading, j) for j in range(len(space))), strict=True)
    words = [torch.tensor(table, device=device) for table in tables]
    ends = [None if edge is None else torch.tensor(edge, device=device) for edge in edges]
    values = torch.tensor(_values(reading), device=device)
    base = torch.tensor(reading.base, device=device)
    width = words[0].shape[1]
    starts = torch.arange(width, device=device) * (WORD + 1)
    several = any(len(tree.value) > WORD for tree in reading.trees)
    missing = any(feature.missing for feature in space.features)

    def sums(codes: Tensor) -> Tensor:
        left = None
        for j, (word, end) in enumerate(zip(words, ends, strict=True)):
            code = codes[:, j].contiguous()
            place = code.long() if end is None else torch.searchsorted(end, code)
            if missing:
                place = torch.where(code.isnan(), len(word) - 1, place)
            mine = word[place]
            left = mine if left is None else left.bitwise_and_(mine)
        assert left is not None, "a space has features"
        bit = (left * _SEQUENCE).bitwise_right_shift_(WORD - 6).bitwise_and_(WORD - 1)
        if several:  # the leaf is in another word
            bit = torch.where(left == 0, WORD, bit)
        return base + embedding_bag(bit.add_(starts), values, mode="sum")

    return _in_blocks(sums, 3 * width, len(reading.base))


def _table(reading: Trees, j: int) -> tuple[np.ndarray, np.ndarray | None]:
    """The words [places, words] of feature j's intervals or levels, the last of a missing value.

    Also the upper ends of the intervals of a number.
    """
    space, leaves = reading.space, reading.regions
    if space.continuous[j]:
        cuts = np.unique(np.concatenate([leaves.low[:, j], leaves.high[:, j]]))
        ends = cuts[np.isfinite(cuts)]
        inside = np.append(ends, np.inf)[:, None]
        possible = (leaves.low[:, j] < inside) & (inside <= leaves.high[:, j])
    else:
        ends, possible = None, leaves.levels[:, space.offsets[j] : space.offsets[j + 1]].T
    possible = np.concatenate([possible, leaves.missing[None, :, j]])
    return _words(reading, possible), ends


def _words(reading: Trees, possible: np.ndarray) -> np.ndarray:
    """Flags [places, leaves] of all trees as words [places, words], each tree in its own."""
    parts, start = [], 0
    for tree in reading.trees:
        part = possible[:, start : start + len(tree.value)]
        start += len(tree.value)
        room = -part.shape[1] % WORD
        bits = np.packbits(np.pad(part, ((0, 0), (0, room))), axis=1, bitorder="little")
        parts.append(np.ascontiguousarray(bits).view("<i8"))
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(possible), 0), np.int64)


def _values(reading: Trees) -> np.ndarray:
    """[words * 65, c] the leaves' values in the order of the sequence; the last of a word is 0."""
    order = [(_SEQUENCE << bit & (2**64 - 1)) >> (WORD - 6) for bit in range(WORD)]
    parts = [np.zeros((0, len(reading.base)))]
    for tree in reading.trees:
        for start in range(0, len(tree.value), WORD):
            part = np.zeros((WORD + 1, len(reading.base)))
            own = tree.value[start : start + WORD]
            part[order[: len(own)]] = own
            parts.append(part)
    return np.concatenate(parts)


def _in_blocks(sums: Sums, held: int, c: int) -> Sums:
    """The sums of any number of points, of which each holds so many numbers, block after block."""
    size = max(1, NUMBERS // max(1, held))

    def whole(codes: Tensor) -> Tensor:
        if len(codes) <= size:
            return sums(codes)
        out = torch.empty((len(codes), c), dtype=torch.float64, device=codes.device)
        for start in range(0, len(codes), size):
            out[start : start + size] = sums(codes[start : start + size])
        return out

    return whole
