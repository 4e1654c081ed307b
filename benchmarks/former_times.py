"""What a row of one table takes, beside the former default.

`python former_times.py MODEL ROWS K` prints the milliseconds, in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pandas as pd

import ifonly
from baseline import baseline
from data_tables import MODELS, fitted, table
from settings import EXACTLY

TIMED, TIMES = "adult", 1.5
"""The table on which a row may take so many times as long as by the former default."""
REPEATS = 5
"""Of how many runs the median counts."""


def times(rows: int, k: int) -> list[tuple[str, float, float]]:
    """Of each model on one table the milliseconds per row, by the former default and now.

    Each pair is measured within the same minute, in two fresh processes.
    """
    pairs = []
    for kind in MODELS:
        then = baseline([(TIMED, kind)], rows, k, REPEATS)[f"{TIMED} {kind}"]["ms"]
        asked = [sys.executable, __file__, kind, str(rows), str(k)]
        ran = subprocess.run(asked, capture_output=True, text=True, check=True)
        pairs.append((kind, then, float(ran.stdout.splitlines()[-1])))
    return pairs


def _now(kind: str, rows: int, k: int) -> float:
    """The milliseconds per row of one model, now."""
    one = table(TIMED, rows)
    explainer = ifonly.Explainer(fitted(kind, one), data=one.train, method=EXACTLY)
    explainer.explain(one.rows[:2], k=k)
    return timed(explainer, one.rows, k)[1]


def timed(explainer: ifonly.Explainer, rows: pd.DataFrame, k: int) -> tuple[ifonly.Answers, float]:
    """The answers of a prepared Explainer, and the median milliseconds per row of some repeats."""
    runs = []
    for _ in range(REPEATS):
        start = time.process_time()
        answers = explainer.explain(rows, k=k)
        runs.append(1e3 * (time.process_time() - start) / len(rows))
    return answers, float(np.median(runs))


if __name__ == "__main__":
    print(_now(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
