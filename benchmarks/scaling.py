"""Seconds and peak memory of one run over many Adult rows, in a process of its own.

`python scaling.py METHOD ROWS` prints a line of JSON. Linux alone tells a peak of memory anew.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from published import published

METHODS = ("auto", "gradient", "diverse_cf_sparse")


def scaling(method: str, counts: list[int], repeats: int = 3) -> list[dict[str, Any]]:
    """One run a count and repeat, counts alternating; the median seconds of each count."""
    runs = [[_child(method, count) for count in counts] for _ in range(repeats)]
    return [
        {
            "rows": count,
            "seconds": float(np.median([run[i]["seconds"] for run in runs])),
            "memory": float(np.median([run[i]["memory"] for run in runs])),
        }
        for i, count in enumerate(counts)
    ]


def many_rows(rows: pd.DataFrame, q: int) -> pd.DataFrame:
    """q rows drawn with replacement, ages and hours moved about."""
    rng = np.random.default_rng(0)
    drawn = rows.iloc[rng.integers(0, len(rows), q)].reset_index(drop=True)
    drawn["age"] = np.clip(drawn["age"] + rng.integers(-8, 9, q), 17, 90)
    drawn["hours_per_week"] = np.clip(drawn["hours_per_week"] + rng.integers(-8, 9, q), 1, 99)
    return drawn


def run(method: str, q: int) -> dict[str, float]:
    """Seconds and the peak memory in MB while it runs, at k = 4 on the published network."""
    problem = published("adult")
    rows = many_rows(problem.rows, q)
    if method == "diverse_cf_sparse":
        explain = partial(ifonly.recipes.diverse_cf_sparse, problem.model, data=problem.train)
    else:
        explain = ifonly.Explainer(problem.model, data=problem.train, method=method).explain
    explain(rows=rows[:50]).frame()  # warm
    _forget_peak()
    start = time.perf_counter()
    explain(rows=rows).frame()
    return {"seconds": time.perf_counter() - start, "memory": _peak()}


def _forget_peak() -> None:
    """Start the kernel's mark of this process's peak memory anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The peak memory since then, in MB."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def _child(method: str, q: int) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, Path(__file__), method, str(q)],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]))))
