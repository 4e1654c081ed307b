"""The paper's method: against dice-ml's gradient method, and against the paper's own figures."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from answered import SHOWN, line, ours
from ifonly.metrics import summary
from networks import columns, decides, over_units
from peers import ask, check_same, columns_of, figures_of
from published import SETS, Published, folder, published
from record import Record
from scaling import scaling
from timing import around, framed, single_median, singles

RECIPES = {
    "DiverseCF": ifonly.recipes.diverse_cf_sparse,
    "RandomInitCF": partial(ifonly.recipes.random_init_cf, sparse=True),
    "NoDiversityCF": partial(ifonly.recipes.no_diversity_cf, sparse=True),
}
POSITIVE = (">50K", "will recidivate", "bad", "paid")
"""The outcomes that a published network's output over 0.5 stands for."""
DIVERSITIES = {
    "continuous_diversity": "continuous_diversity_mad",
    "categorical_diversity": "categorical_diversity",
}


def main(record: Record) -> None:
    """Fill the record."""
    against_dice(record)
    against_paper(record)
    grow(record)


def against_dice(record: Record) -> None:
    """The same torch network and rows, side by side."""
    problem = published("adult")
    network, predict = over_units(problem), decides(problem)
    rows = problem.rows[:60] if record.quick else problem.rows
    repeats = 2 if record.quick else 4
    speeds, qualities = [], []
    for k in (4, 1, 10):
        explainer = ifonly.Explainer(network, data=problem.train, method="gradient")
        methods: dict[str, Any] = {
            "gradient": partial(explainer.explain, k=k),
            "diverse_cf_sparse": partial(
                ifonly.recipes.diverse_cf_sparse, network, data=problem.train, k=k
            ),
        }
        batch = {name: partial(framed, ask, rows) for name, ask in methods.items()}
        alone = singles({"gradient": methods["gradient"]}, rows, 10)
        seconds = 10 if record.quick else 120
        peer, times = around(partial(_dice, problem, rows, k, seconds), batch | alone, repeats)
        check_same(peer["scores"], predict(rows))
        done = len(peer["answers"])
        theirs, their_row = np.sum(peer["seconds"]) / done, float(np.median(peer["seconds"]))
        our_row = single_median(times, "gradient")
        for name in batch:
            each = times[name] / len(rows)
            speeds.append([k, name, len(rows), 1 / each, each * 1e3, 1 / theirs, theirs / each])
        speeds.append([k, "gradient, a single row", 1, 1 / our_row, our_row * 1e3])
        speeds[-1] += [1 / their_row, their_row / our_row]
        both = rows[:done]
        compared = {"dice-ml": figures_of(peer, both, problem, k, predict)}
        for name, explain in methods.items():
            compared[name] = ours(explain(rows=both), both, predict)
        qualities += [[k, name, done, *line(figures)] for name, figures in compared.items()]
        if k == 4:
            _claims(record, times["gradient"] / len(rows), theirs, our_row, their_row, compared)
    note = (
        "One thread for both. ifonly's batch is all rows at once, frames and judging included; "
        "dice-ml takes one row at a time. Medians; ifonly timed before and after dice-ml."
    )
    record.table(
        "dice-ml 0.12 'gradient' and ifonly on one torch network (Adult): speed",
        ("k", "ifonly", "rows", "rows/s", "ms per row", "dice-ml rows/s", "times dice-ml"),
        speeds,
        note,
    )
    record.table(
        "The same rows: quality",
        ("k", "by", "rows", *SHOWN),
        qualities,
        "On the rows that dice-ml reached in its time.",
    )


def against_paper(record: Record) -> None:
    """The paper's method and its two baselines beside the paper's own figures."""
    counts = (1, 4) if record.quick else (1, 2, 4, 6, 8, 10)
    lines: list[list[Any]] = []
    cells: dict[tuple[str, int, str], dict[str, float]] = {}
    for name in SETS:
        problem = published(name)
        rows = problem.rows[:40] if record.quick else problem.rows
        for k in counts:
            for method, recipe in RECIPES.items():
                answers = recipe(problem.model, rows, space=problem.space, k=k)
                found = summary(answers.metrics(), k)
                cell = {
                    "unique": found.loc["valid_unique", "all"],
                    "pairwise": found.loc["pairwise_distance", "all"],
                    "published": _published(problem, method, "percent_valid_unique", k) / 100,
                }
                cells[name, k, method] = cell
                lines.append([name, k, method, cell["unique"], cell["published"]])
                for our_name, their_name in DIVERSITIES.items():
                    known = our_name in found.index
                    lines[-1].append(float(found.loc[our_name, "full"]) if known else "")
                    lines[-1].append(_published(problem, method, their_name, k))
    shown = ["unique valid", "published"]
    for name in DIVERSITIES:
        shown += [name.replace("_", " "), "published"]
    record.table(
        "The paper's method and baselines on the published networks and rows",
        ("set", "k", "method", *shown),
        lines,
        "All with the paper's sparsity step. Unique valid: the share of all k of all rows. "
        "Diversities: mean over the rows with all k, as the paper has them. The published figures "
        "are those of both outcomes, weighted by their rows. The authors' code sums the distance "
        "over one-hot columns, where the paper's text averages, and mostly stopped at 5,000 steps "
        "without converging; ifonly's loss sums likewise, stops by its own convergence, and starts "
        "from its own random points, so that diversities differ.",
    )
    _findings(record, cells)


def grow(record: Record) -> None:
    """Seconds and memory over the number of rows."""
    counts = [250, 500] if record.quick else [500, 1000, 2000, 4000, 8000]
    lines = []
    for method in ("gradient", "diverse_cf_sparse"):
        runs = scaling(method, counts, 1 if record.quick else 3)
        ratios = [b["seconds"] / a["seconds"] for a, b in pairwise(runs)]
        for run, ratio in zip(runs, [float("nan"), *ratios], strict=True):
            each = 1e3 * run["seconds"] / run["rows"]
            lines.append([method, run["rows"], run["seconds"], each, ratio, run["memory"]])
        whole = runs[-1]["seconds"] / runs[0]["seconds"] / (counts[-1] / counts[0])
        record.check(
            f"{method}: time from {counts[0]:,} to {counts[-1]:,} rows grows no faster than rows",
            whole <= 1,
            f"{whole:.2f} of linear; doublings {', '.join(f'{r:.2f}' for r in ratios)}",
        )
    record.table(
        "Rows and time, k = 4, published Adult network as layers",
        ("method", "rows", "seconds", "ms per row", "times the line before", "peak memory, MB"),
        lines,
        "Each run in a process of its own; memory is that of the whole process.",
    )


def _dice(problem: Published, rows: pd.DataFrame, k: int, seconds: float) -> dict[str, Any]:
    """dice-ml's gradient method on the published network."""
    return ask("dice", "dice_gradient", network_task(problem, rows, k, seconds=seconds))


def network_task(problem: Published, rows: pd.DataFrame, k: int, **more: Any) -> dict[str, Any]:
    """A peer's task: the network with its data and rows."""
    continuous = np.asarray(problem.space.continuous)
    names = np.array(problem.space.names)
    outcome = decides(problem)(problem.train)
    return {
        "train": columns_of(problem.train),
        "outcome": outcome,
        "continuous": names[continuous],
        "categorical": names[~continuous],
        "columns": columns(problem),
        "layers": [[kernel, bias] for kernel, bias in problem.model.layers],
        "rows": columns_of(rows),
        "k": k,
        "seed": 0,
        **more,
    }


def _claims(
    record: Record,
    our_batch: float,
    their_batch: float,
    our_row: float,
    their_row: float,
    compared: dict[str, dict[str, float]],
) -> None:
    times = their_batch / our_batch
    record.check(
        "k = 4: 1,000 times dice-ml's rows a second in a batch", times >= 1000, f"{times:,.0f}"
    )
    times = their_row / our_row
    record.check("k = 4: 50 times dice-ml's for a single row", times >= 50, f"{times:,.0f}")
    theirs = compared["dice-ml"]
    for name in ("gradient", "diverse_cf_sparse"):
        mine = compared[name]
        record.check(
            f"k = 4: {name} has no lower valid share and no worse objective than dice-ml",
            mine["unique"] >= theirs["unique"] and mine["objective"] <= theirs["objective"],
            f"valid {mine['unique']:.3f} and {theirs['unique']:.3f}, "
            f"objective {mine['objective']:.3f} and {theirs['objective']:.3f}",
        )


def _published(problem: Published, method: str, name: str, k: int) -> float:
    """A published figure, both outcomes weighted by their rows; NaN where there is none."""
    records = json.loads((folder() / "results.json").read_text())
    total, rows = 0.0, 0
    for outcome, figures in records["set_metrics"][problem.name].items():
        count = problem.wanted.count(int(outcome in POSITIVE))
        figure = figures[method]["sparse"][name][records["k"].index(k)]
        if "diversity" in name and k > 1 and figure == 0:
            continue  # no row of this outcome had all k
        total, rows = total + count * figure, rows + count
    return total / rows if rows else float("nan")


def _findings(record: Record, cells: dict[tuple[str, int, str], dict[str, float]]) -> None:
    """The paper's two findings, and the authors' own share of unique valid answers."""
    short = [
        f"{name} k={k}: {cell['unique']:.4f} of {cell['published']:.4f}"
        for (name, k, method), cell in cells.items()
        if method == "DiverseCF" and cell["unique"] < min(cell["published"], 1) - 5e-5
    ]
    record.check(
        "Unique valid answers at least as published for DiverseCF, every set and k",
        not short,
        "; ".join(short) or "all cells",
    )
    fewer, narrower = [], []
    for (name, k, method), cell in cells.items():
        if k < 4 or method == "DiverseCF":
            continue
        best = cells[name, k, "DiverseCF"]
        more = best["unique"] > cell["unique"] or cell["unique"] >= 0.99
        if best["unique"] < cell["unique"] or not more:
            fewer.append(f"{name} k={k}: {best['unique']:.3f}, {method} {cell['unique']:.3f}")
        if best["pairwise"] <= cell["pairwise"]:
            narrower.append(
                f"{name} k={k}: {best['pairwise']:.3f}, {method} {cell['pairwise']:.3f}"
            )
    record.check(
        "Finding 1, k of 4 and more: no fewer unique valid answers than either baseline in any "
        "cell, more wherever it is below 99 %",
        not fewer,
        "; ".join(fewer) or "all cells",
    )
    record.check(
        "Finding 2, k of 4 and more: more diversity (mean pairwise distance) than either baseline",
        not narrower,
        "; ".join(narrower) or "all cells",
    )
