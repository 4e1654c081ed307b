"""How long something takes: medians, and ours on both sides of a peer's run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd


def seconds(action: Callable[[], Any]) -> float:
    """The wall-clock seconds of one run."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


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


def framed(explain: Callable[..., Any], rows: pd.DataFrame) -> Any:
    """The frame of a method's answers."""
    return explain(rows=rows).frame()


def singles(asks: dict[str, Any], rows: pd.DataFrame, count: int) -> dict[str, Any]:
    """An action for each of some rows alone."""
    places = np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)
    return {
        f"{name} row {i}": partial(framed, explain, rows[i : i + 1])
        for name, explain in asks.items()
        for i in places
    }


def single_median(times: dict[str, float], name: str) -> float:
    """The median over the rows that `singles` asked alone."""
    return float(
        np.median([taken for one, taken in times.items() if one.startswith(f"{name} row")])
    )
