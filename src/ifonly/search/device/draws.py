"""The random numbers of rows, drawn on a device: those of `ifonly.arrays.keys.uniforms`."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ifonly.arrays.keys import counters, first_states
from ifonly.search.device.sums import NUMBERS


def draws(streams: np.ndarray, n: int, purpose: int, device: str) -> Tensor:
    """float32 [q, n] the first n draws of each stream for one purpose."""
    start, steps = (
        torch.from_numpy(one.view(np.int64)).to(device)
        for one in (first_states(streams, purpose), counters(n))
    )
    out = torch.empty((len(streams), n), dtype=torch.float32, device=device)
    for rows in torch.split(torch.arange(len(start), device=device), max(1, NUMBERS // n)):
        bits = _mix(start[rows, None] + steps).view(torch.int32)[:, :n].to(torch.int64)
        out[rows] = ((bits & 0xFFFFFFFF).to(torch.float64) * 2.0**-32).to(torch.float32)
    return out


def _mix(bits: Tensor) -> Tensor:
    """The hash of `ifonly.arrays.keys`, over signed numbers."""
    bits = (bits ^ _right(bits, 30)) * -4658895280553007687  # 0xBF58476D1CE4E5B9
    bits = (bits ^ _right(bits, 27)) * -7723592293110705685  # 0x94D049BB133111EB
    return bits ^ _right(bits, 31)


def _right(bits: Tensor, by: int) -> Tensor:
    """The bits moved to the right, zeros coming in."""
    moved: Tensor = (bits >> by) & (2 ** (64 - by) - 1)
    return moved
