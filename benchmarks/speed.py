"""The default engine beside dice-ml, jax-relax and NICE, on Adult at k = 4."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import ifonly
import pipeline_speed
from answered import SHOWN, line, ours
from gradient import network_task
from networks import FrameNetwork, decides, over_units
from peers import ask, check_same, figures_of
from pipelines import NAMES
from published import published
from record import Record
from scaling import scaling
from settings import FORMER
from timing import around, framed, single_median, singles

K = 4
DEFAULT = "layers, default choice"


def main(record: Record) -> None:
    """Fill the record."""
    networks(record)
    for name in NAMES:
        pipeline_speed.main(record, name)
    grow(record)


def networks(record: Record) -> None:
    """The published network in three forms, against dice-ml's gradient method and jax-relax."""
    problem = published("adult")
    rows = problem.rows[:60] if record.quick else problem.rows
    predict, q = decides(problem), len(rows)
    forms = {"torch module": over_units(problem), "layers": problem.model}
    forms["DataFrame model"] = FrameNetwork(problem)
    prepare = partial(ifonly.Explainer, data=problem.train)
    explainers = {form: prepare(model, method=FORMER) for form, model in forms.items()}
    explainers[DEFAULT] = prepare(problem.model)
    asks = {form: partial(explainer.explain, k=K) for form, explainer in explainers.items()}
    batch: dict[str, Any] = {form: partial(framed, one, rows) for form, one in asks.items()}
    alone = singles(asks, rows, 10 if record.quick else 40)
    limit, repeats = (10, 2) if record.quick else (120, 4)
    dice_task = network_task(problem, rows, K, seconds=limit)
    relax_task = network_task(problem, rows, K, repeats=3)
    dice, first = around(partial(ask, "dice", "dice_gradient", dice_task), batch | alone, repeats)
    relax, second = around(partial(ask, "relax", "relax_diverse", relax_task), batch, repeats)
    check_same(dice["scores"], predict(rows))
    check_same(relax["scores"], predict(rows))
    row = {form: single_median(first, form) for form in explainers}
    done, dice_row = len(dice["answers"]), float(np.median(dice["seconds"]))
    dice_each, relax_each = float(np.mean(dice["seconds"])), float(np.median(relax["seconds"])) / q
    lines: list[list[Any]] = [
        ["dice-ml gradient", done, 1e3 * dice_each, 1 / dice_each, 1.0, 1e3 * dice_row, 1.0],
        ["jax-relax DiverseCF", q, 1e3 * relax_each, 1 / relax_each, dice_each / relax_each],
    ]
    lines[1] += ["", ""]
    for form in explainers:
        each = (first[form] + second[form]) / 2 / q
        lines.append([f"ifonly, {form}", q, 1e3 * each, 1 / each, dice_each / each])
        lines[-1] += [1e3 * row[form], dice_row / row[form]]
        _check_times(record, form, dice_each / each, dice_row / row[form])
        if form != "DataFrame model":
            record.check(
                f"Network as {form}: faster than jax-relax DiverseCF once compiled",
                second[form] / q < relax_each,
                f"{1e3 * second[form] / q:.2f} and {1e3 * relax_each:.2f} ms per row",
            )
    record.table(
        "The published Adult network, k = 4: speed",
        ("by", "rows", "ms per row", "rows/s", "times dice-ml", "single row, ms", "times dice-ml"),
        lines,
        "ifonly: Engine(needed=False, tight=False) but for the last line, a prepared Explainer, "
        "frames and judging included. One thread for ifonly and dice-ml; jax-relax takes the cores "
        f"that XLA takes, and compiling ({relax['compiling']:.1f} s) does not count. Medians, "
        "ifonly on both sides of a peer.",
    )
    compared = {
        "dice-ml gradient": figures_of(dice, rows[:done], problem, K, predict),
        "ifonly, the same rows": ours(asks["layers"](rows[:done]), rows[:done], predict),
        "jax-relax DiverseCF": figures_of(relax, rows, problem, K, predict),
        **{f"ifonly, {form}": ours(one(rows), rows, predict) for form, one in asks.items()},
    }
    counts = [done, done, *[q] * (1 + len(asks))]
    record.table(
        "The published Adult network, k = 4: quality",
        ("by", "rows", *SHOWN),
        [[by, n, *line(f)] for (by, f), n in zip(compared.items(), counts, strict=True)],
        "Continuous values that jax-relax leaves between whole numbers are rounded.",
    )


def _check_times(record: Record, form: str, batch: float, single: float) -> None:
    """How many times dice-ml's speed, in a batch and for a single row."""
    wanted = {"DataFrame model": 1500, DEFAULT: 3000}.get(form, 5000)
    alone = 250 if form == DEFAULT else 400
    record.check(
        f"Network as {form}: {wanted:,} times dice-ml gradient's rows a second in a batch",
        batch >= wanted,
        f"{batch:,.0f}",
    )
    if form != "DataFrame model":
        record.check(
            f"Network as {form}: a single row in at most 1/{alone} of dice-ml gradient's time",
            single >= alone,
            f"1/{single:,.0f}",
        )


def grow(record: Record) -> None:
    """Seconds and memory over the number of rows."""
    counts = [100, 1000] if record.quick else [100, 1000, 10_000]
    runs = scaling("auto", counts, 1 if record.quick else 3)
    lines = [
        [run["rows"], run["seconds"], 1e3 * run["seconds"] / run["rows"], run["memory"]]
        for run in runs
    ]
    whole = runs[-1]["seconds"] / runs[0]["seconds"] / (counts[-1] / counts[0])
    record.check(
        f"Time from {counts[0]:,} to {counts[-1]:,} rows grows no faster than rows",
        whole <= 1,
        f"{whole:.2f} of linear",
    )
    record.table(
        "Rows, time and memory, k = 4, published Adult network as layers",
        ("rows", "seconds", "ms per row", "peak memory, MB"),
        lines,
        "Each run in a process of its own; memory is that of the whole process.",
    )
