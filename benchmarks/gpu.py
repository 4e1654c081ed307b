"""A million Adult rows on a GPU: the default engine, and the paper's method.

Timed from codes on the host to judged answers on the host; the frame's codes are stated apart. Some
of the rows go through the CPU too, so that the quality of both stands side by side. Trees are read
beforehand, see `read_trees`, and judged by their readings.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

import ifonly
from ifonly.arrays.keys import point_keys
from ifonly.explainer import Explainer
from ifonly.recipes import PATIENT
from ifonly.refine import Sparsify
from ifonly.search import Engine, Gradient
from ifonly.select import InOrder
from ifonly.solve.method import Method, MethodLike
from networks import over_units
from published import published
from read_trees import NAMES, explainer_of, taken_along
from record import Record

SAMPLE = 2000
"""So many rows go through the CPU as well."""
KEPT = 10_000
"""So many answers are kept for the models of trees themselves to judge."""
ALIKE = 0.04
"""At most so many of the rows are alike."""
PAPER = Method(
    Gradient(restarts=0, summed=True, pace=PATIENT), refiner=Sparsify(), selector=InOrder()
)


def jittered(q: int) -> pd.DataFrame:
    """q Adult rows drawn with replacement and moved on their grids, so that few are alike.

    Those that are there already are drawn again, until they are few.
    """
    rng = np.random.default_rng(0)
    space = published("adult").space
    known = space.codes(ifonly.datasets.load("adult").features)
    codes = _drawn(space, known, q, rng)
    while len(alike := repeats(codes)) > ALIKE * q:
        codes[alike] = _drawn(space, known, len(alike), rng)
    return space.rows(codes)


def repeats(codes: np.ndarray) -> np.ndarray:
    """The positions of rows that equal an earlier one."""
    every = np.arange(len(codes))
    return np.setdiff1d(every, np.unique(point_keys(codes), return_index=True)[1])


def _drawn(space: ifonly.Space, known: np.ndarray, q: int, rng: np.random.Generator) -> np.ndarray:
    """[q, d] rows of `known` codes [n, d], moved.

    Numbers move by up to 30, turned back at the ends; most levels are drawn anew.
    """
    codes = known[rng.integers(0, len(known), q)]
    for j, feature in enumerate(space.features):
        if isinstance(feature, ifonly.Continuous):
            moved = codes[:, j] + rng.integers(-30, 31, q)
            moved = np.where(moved < feature.low, 2 * feature.low - moved, moved)
            moved = np.where(moved > feature.high, 2 * feature.high - moved, moved)
            codes[:, j] = moved
        else:
            drawn = rng.integers(0, len(feature.levels), q)
            codes[:, j] = np.where(rng.random(q) < 0.25, codes[:, j], drawn)
    return codes


def network(device: str, method: MethodLike) -> Explainer:
    """The published network of Adult, on a device."""
    problem = published("adult")
    model = over_units(problem, device)
    return Explainer(model, data=problem.train, space=problem.space, method=method)


def measure(
    name: str, explainer: Explainer, rows: pd.DataFrame, device: str, compared: int = SAMPLE
) -> dict[str, Any]:
    """Seconds and quality of one run; the quality is that of the rows that are `compared`."""
    explainer.explain(rows[: min(len(rows), 100_000 if device == "cuda" else 20)])  # warm
    judge = explainer.setting.model
    before = getattr(judge, "seconds", 0.0)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    codes = explainer.setting.space.codes(rows)
    reading = time.perf_counter() - start
    start = time.perf_counter()
    answers = explainer.explain(rows, k=4)
    total = time.perf_counter() - start - reading
    judging = getattr(judge, "seconds", 0.0) - before
    first = answers[: min(len(rows), compared)]
    table = first.metrics().mean(numeric_only=True)
    peak = torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else float("nan")
    _keep(name, explainer, answers)
    return {
        "model": name,
        "device": device,
        "rows": len(rows),
        "distinct": round(1 - len(repeats(codes)) / len(rows), 4),
        "seconds": round(total - judging, 2),
        "seconds_judging": round(judging, 2) if judging else float("nan"),
        "seconds_reading_the_frame": round(reading, 2),
        "device_memory_GB": round(peak, 1),
        "full": float(answers.filled.all(axis=1).mean()),
        "extra": round(float(answers.extra.mean()), 4),
        **{
            name: round(float(table[name]), 4)
            for name in ("valid_unique", "objective", "distance", "det")
        },
    }


def _keep(name: str, explainer: Explainer, answers: Any) -> None:
    """Keep some answers of a model of trees."""
    folder = Path(os.environ.get("IFONLY_TREES", "."))
    if name in NAMES and len(answers) > SAMPLE:
        rows, places = np.nonzero(answers.filled)
        rows, places = rows[:: max(1, len(rows) // KEPT)], places[:: max(1, len(places) // KEPT)]
        wanted = np.array(answers.wanted)[rows]
        np.savez(folder / f"{name}_answers.npz", codes=answers.points[rows, places], wanted=wanted)


def main(record: Record) -> None:
    """Fill the record: the GPU, where torch sees one, and the CPU on a sample."""
    gpu = torch.cuda.is_available()
    device, million = ("cuda", 1_000_000) if gpu else ("cpu", SAMPLE)
    many = million // (100 if record.quick and gpu else 1)
    rows = jittered(many)
    sample = rows[: SAMPLE // (10 if record.quick else 1)]
    if gpu:
        record.facts["processor"] += f" with {torch.cuda.get_device_name()}"
    engine = Engine(device=device)
    found = [
        measure("network", network(device, engine), rows, device),
        measure("network", network("cpu", "auto"), sample, "cpu"),
        measure("DiverseCF-Sparse", network(device, PAPER), rows, device),
        measure("DiverseCF-Sparse", network("cpu", PAPER), sample, "cpu"),
    ]
    folder = os.environ.get("IFONLY_TREES")
    for name in NAMES if folder else ():
        space, data = published("adult").space, published("adult").train
        for where, some in ((device, rows), (None, sample[: SAMPLE // 4])):
            model = taken_along(Path(str(folder)), name, where or "cpu")
            one = explainer_of(model, data, space, where)
            found.append(measure(name, one, some, where or "cpu", compared=SAMPLE // 4))
    if gpu and not record.quick:
        found.append(measure("network", network(device, engine), jittered(10 * many), device))
    _check(record, found)
    record.table(
        "On a GPU: Adult, k = 4",
        list(found[0]),
        [list(run.values()) for run in found],
        "From codes on the host to judged answers on the host; for trees, which are judged by "
        "their readings, without the judge. The CPU's lines are samples; the quality of both is "
        f"that of the first {SAMPLE:,} rows, of trees {SAMPLE // 4:,}.",
    )


LIMITS = {
    ("network", 1_000_000): 15,
    ("DiverseCF-Sparse", 1_000_000): 12,
    ("forest", 1_000_000): 60,
    ("xgboost", 1_000_000): 60,
    ("network", 10_000_000): 150,
}


def _check(record: Record, found: list[dict[str, Any]]) -> None:
    """The limits of time, that rows are full and valid, and that quality is the CPU's."""
    host = {run["model"]: run for run in found if run["device"] == "cpu"}
    for run in found:
        if (limit := LIMITS.get((run["model"], run["rows"]))) is None:
            continue
        name = f"{run['model']}, {run['rows']:,} rows"
        record.check(f"{name} in {limit} s", run["seconds"] <= limit, f"{run['seconds']} s")
        whole = run["full"] == 1 and run["valid_unique"] == 1
        record.check(
            f"{name}: 95 % are distinct", run["distinct"] >= 0.95, f"{run['distinct']:.2%}"
        )
        record.check(f"{name}: every row full and valid", whole, f"{run['full']:.4%}")
        apart = run["objective"] - host[run["model"]]["objective"]
        record.check(f"{name}: objective of the CPU", apart <= 0.01, f"{apart:+.4f}")
