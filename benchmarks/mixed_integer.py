"""The paper's comparison on linear models: DiverseCF and MixedIntegerCF."""

from __future__ import annotations

from typing import Any

import numpy as np

import ifonly
from ifonly.metrics import set_metrics
from ifonly.space import Metric
from proving import LIMIT
from published import Published
from record import Record

COUNTS = (1, 2, 4, 6, 8, 10)
FIGURES = (
    "continuous_diversity",
    "categorical_diversity",
    "count_diversity",
    "continuous_proximity",
    "categorical_proximity",
    "sparsity",
)
Cell = dict[str, dict[str, float]]
"""The figures of each method."""


def against_mixed_integer(record: Record, problems: dict[str, Published]) -> None:
    """Both methods on the linear models and rows, over all rows and where both have all k."""
    counts = (1, 4, 10) if record.quick else COUNTS
    cells: dict[tuple[str, int], tuple[Cell, Cell]] = {}
    numbers = {}
    for name, problem in problems.items():
        rows = problem.rows[:40] if record.quick else problem.rows
        asked: dict[str, Any] = {"rows": rows, "space": problem.space}
        mixed = ifonly.recipes.mixed_integer_cf(problem.model, k=max(counts), limit=LIMIT, **asked)
        numbers[name] = mixed.filled.sum(axis=1)
        for k in counts:
            diverse = ifonly.recipes.diverse_cf(problem.model, k=k, **asked)
            # Answers come one after another: the first k are those of a search for k.
            sets = {
                "diverse_cf": (diverse.points, diverse.filled),
                "mixed_integer_cf": (mixed.points[:, :k], mixed.filled[:, :k]),
            }
            both = mixed.filled[:, :k].all(axis=1)
            every = np.ones(len(rows), dtype=bool)
            cells[name, k] = (
                _figures(problem, mixed.x, sets, both),
                _figures(problem, mixed.x, sets, every),
            )
    _tables(record, cells)
    _found(record, numbers)
    _findings(record, cells)


def _figures(
    problem: Published,
    x: np.ndarray,
    sets: dict[str, tuple[np.ndarray, np.ndarray]],
    among: np.ndarray,
) -> Cell:
    """The means over some rows; shares are of all their k."""
    metric, cell = Metric.of(problem.space), {}
    for method, (points, filled) in sets.items():
        table = set_metrics(metric, x[among], points[among], filled[among])
        cell[method] = {
            "rows": int(among.sum()),
            "full": _mean(filled[among].all(axis=1)),
            "unique": _mean(table["valid_unique"]),
            **{name: _mean(table[name]) for name in FIGURES},
        }
    return cell


def _tables(record: Record, cells: dict[tuple[str, int], tuple[Cell, Cell]]) -> None:
    shown = ("full", "unique", *FIGURES)
    for place, (title, note) in enumerate(
        (
            (
                "where mixed_integer_cf finds all k",
                "As the paper has it: only the rows for which mixed_integer_cf finds all k. A set "
                "and k without such a row has no figures.",
            ),
            ("all rows", "All rows; where there are fewer than k answers, over those there are."),
        )
    ):
        lines = [
            [name, k, method, figures["rows"], *(figures[one] for one in shown)]
            for (name, k), pair in cells.items()
            for method, figures in pair[place].items()
        ]
        record.table(
            f"The paper's comparison on linear models: {title}",
            ("set", "k", "method", "rows", *(one.replace("_", " ") for one in shown)),
            lines,
            f"{note} full: rows with all k; unique: unique valid answers, of all k of all rows. "
            "diverse_cf is the paper's method without its sparsity step.",
        )


def _found(record: Record, numbers: dict[str, np.ndarray]) -> None:
    """How many answers mixed_integer_cf finds when it is asked for ten."""
    lines = [
        [name, len(count), float(count.mean()), int(np.median(count)), int(count.max())]
        + [float((count >= k).mean()) for k in COUNTS]
        for name, count in numbers.items()
    ]
    record.table(
        "How many answers mixed_integer_cf finds, asked for ten",
        ("set", "rows", "mean", "median", "most", *(f"{k} or more" for k in COUNTS)),
        lines,
    )
    compas = numbers["compas"]
    record.check(
        "COMPAS: mixed_integer_cf finds at most four answers for any row (the paper's finding)",
        bool(compas.max() <= 4),
        f"{(compas <= 4).mean():.1%} of {len(compas)} rows have at most four, the median is "
        f"{np.median(compas):.0f} and the most {compas.max()}",
    )


def _findings(record: Record, cells: dict[tuple[str, int], tuple[Cell, Cell]]) -> None:
    """What the paper says of the two."""
    every = {cell: pair[1] for cell, pair in cells.items()}
    both = {cell: pair[0] for cell, pair in cells.items() if pair[0]["diverse_cf"]["rows"]}
    low = {cell: one["diverse_cf"]["unique"] for cell, one in every.items()}
    short = [f"{name} k={k}: {share:.3f}" for (name, k), share in low.items() if share < 0.995]
    record.check(
        "diverse_cf finds 99.5 % of all unique valid answers or more, every set and k",
        not short,
        "; ".join(short) or f"least {min(low.values()):.4f}",
    )
    fewer = [
        f"{name} k={k}"
        for (name, k), one in every.items()
        if one["mixed_integer_cf"]["unique"] > one["diverse_cf"]["unique"]
    ]
    record.check("mixed_integer_cf never finds more", not fewer, "; ".join(fewer) or "all cells")
    several = {cell: one for cell, one in both.items() if cell[1] > 1}
    for figure in FIGURES[:3]:
        _compare(record, f"diverse_cf has the higher {figure.replace('_', ' ')}", several, figure)
    named = {cell: one for cell, one in both.items() if cell[0] in ("adult", "lending_club")}
    for figure in FIGURES[3:]:
        claim = f"Adult and LendingClub: diverse_cf has no worse {figure.replace('_', ' ')}"
        _compare(record, claim, named, figure)


def _compare(record: Record, claim: str, cells: dict[tuple[str, int], Cell], figure: str) -> None:
    """A claim that the paper makes of the rows where mixed_integer_cf finds all k."""
    worse = [
        f"{name} k={k}: {one['diverse_cf'][figure]:.3f} and {one['mixed_integer_cf'][figure]:.3f}"
        for (name, k), one in cells.items()
        if one["diverse_cf"][figure] < one["mixed_integer_cf"][figure] - 1e-9
    ]
    record.check(
        f"{claim}, where mixed_integer_cf finds all k", not worse, "; ".join(worse) or "all cells"
    )


def _mean(values: np.ndarray) -> float:
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else float("nan")
