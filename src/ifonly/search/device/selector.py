"""The default choice on a device: candidates stay there, and k answers per row come back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ifonly.errors import MissingExtra, OptionError
from ifonly.problem.effort import SIZES, Effort, Size
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem

PROMISES = ("needed", "tight", "round")
Flags = NDArray[np.bool_]


class DevicePool(Pool):
    """Candidates on a device, points [q, m, d] and costs [q, m]; the host gets what it asks for."""

    def __init__(self, tensors: Any, cost: Any) -> None:
        self.__dict__.update(tensors=tensors, cost=cost)

    @cached_property
    def points(self) -> np.ndarray:
        """[q, m, d]"""
        return np.asarray(self.__dict__["tensors"].cpu().numpy())

    @cached_property
    def margin(self) -> np.ndarray:
        """[q, m] 1 where a candidate is valid."""
        return np.where(np.isfinite(self.__dict__["cost"].cpu().numpy()), 1.0, -np.inf)

    @property
    def m(self) -> int:
        """How many slots a row has."""
        return int(self.__dict__["cost"].shape[1])

    def join(self, other: Pool) -> Pool:
        """Both pools side by side; with itself, itself."""
        return self if other is self else super().join(other)

    def without_repeats(self) -> Pool:
        """The pool: no point is in it twice."""
        return self

    def take(self, rows: np.ndarray) -> Pool:
        """The candidates of some rows, on the device as well."""
        return DevicePool(*(self.__dict__[name][rows] for name in ("tensors", "cost")))


@dataclass(frozen=True)
class WaysOnDevice:
    """The choice of `Ways`, made on a device.

    Parameters
    ----------
    device
        The device, as torch names it.
    promises
        What every answer is, or is marked as extra: 'needed', 'tight', 'round'.
    diversity
        From 0, the closest answers, to 1, the widest.
    nearest
        Whether the nearest valid point is the first answer.

    Examples
    --------
    >>> WaysOnDevice("cuda").with_diversity(0.9).diversity
    0.9
    """

    device: str
    promises: tuple[str, ...] = PROMISES
    diversity: float = 0.55
    nearest: bool = True

    def with_diversity(self, diversity: float) -> WaysOnDevice:
        """The same selector at another diversity."""
        return replace(self, diversity=diversity)

    @property
    def from_pool(self) -> WaysOnDevice:
        """The choice among the candidates as they are."""
        return replace(self, promises=())

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, Flags]:
        """The chosen points, nearest first."""
        return self.marked(problem, pool, k)[:2]

    def marked(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, Flags, Flags]:
        """The chosen points [q, k, d], nearest first, which are filled [q, k], and which extra."""
        from ifonly.search.device.ways import answers

        return answers(self, problem, pool, k)


def search_on(device: str, effort: Effort, problem: Problem) -> Pool:
    """The candidates of all rows of a problem, found and kept on a device."""
    _check(problem, device)
    from ifonly.search.device.candidates import candidates
    from ifonly.search.device.rows import Rows

    return DevicePool(*candidates(Rows.of(problem, device), problem, _size(effort, problem)))


def check_device(device: object) -> None:
    """Refuse what is no name of a device."""
    if not isinstance(device, str | None):
        raise OptionError(f"device is {device!r}.", "Give a name, such as 'cuda'.")


def room(device: str) -> int:
    """How many times the numbers of a chunk on the host a device has room for."""
    try:
        from ifonly.search.device.rows import room_of
    except ImportError:
        raise MissingExtra("torch", "torch") from None
    return room_of(device)


def _size(effort: Effort, problem: Problem) -> Size:
    """The counts of an effort; 'auto' is 'base' for a network, whose rows cost next to nothing."""
    if isinstance(effort, Size):
        return effort
    network = hasattr(problem.reading, "layers")
    return SIZES[("base" if network else "small") if effort == "auto" else effort]


def _check(problem: Problem, device: str) -> None:
    """Refuse what is searched on the CPU only."""
    told = "causes" if problem.causes is not None else ""
    if problem.relations:
        told = f"the rule '{problem.relations[0]}', which relates features"
    if told:
        raise OptionError(
            f"device={device!r} does not search with {told}.",
            "Rules about single features, such as 'age fixed' or 'age only increases', are "
            "possible there. Leave `device` out to search with all others on the CPU.",
        )
