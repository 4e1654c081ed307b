"""How long something takes: medians, and ours on both sides of a peer's run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def seconds(action: Callable[[], Any]) -> float:
    """The wall-clock seconds of one run."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(action: Callable[[], Any], repeats: int, *, warm: bool = True) -> float:
    """The median over repeats, after one run that does not count."""
    if warm:
        action()
    return statistics.median(seconds(action) for _ in range(repeats))


def around(
    peer: Callable[[], Any], ours: dict[str, Callable[[], Any]], repeats: int
) -> tuple[Any, dict[str, float]]:
    """What the peer returned, and the median seconds of each of ours, half before it, half after.

    A shared machine is faster at one time than at another; ours are timed on both sides.
    """
    for action in ours.values():
        action()
    times: dict[str, list[float]] = {name: [] for name in ours}

    def measure(count: int) -> None:
        for _ in range(count):
            for name, action in ours.items():
                times[name].append(seconds(action))

    measure((repeats + 1) // 2)
    result = peer()
    measure(repeats - (repeats + 1) // 2)
    return result, {name: statistics.median(taken) for name, taken in times.items()}
