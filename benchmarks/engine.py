"""The engine: rows found, wide tables, slow models, single rows and cores, in one run."""

from __future__ import annotations

import warnings

from cores import cores
from engine_rows import rows_found
from record import Record
from single_rows import CALLS, FORMS, OUTSIDE, TOTAL, dice_random, single
from slow_models import slow_models
from wide_tables import FEATURES, KINDS, growth, wide

COLUMNS = (
    "model",
    "rows",
    "ms outside the model",
    "of it route",
    "ms",
    "goal",
    "calls",
    "full",
    "dice-ml random, ms",
    "times",
)
PER_FEATURE = 1.0
"""How much faster than the features the time of a row may grow."""


def main(record: Record) -> None:
    """Fill the record."""
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    rows_found(record)
    _wide_tables(record)
    slow_models(record)
    _single_rows(record)
    cores(record)


def _single_rows(record: Record) -> None:
    """One row at a time beside dice-ml's `random`."""
    lines = []
    for form in FORMS:
        one = single(form, 10 if record.quick else 100)
        peer = dice_random(form, 3 if record.quick else 20, 60.0) if form != "network" else None
        figures = f"{one.outside:.1f} ms, {one.calls:.0f} calls"
        record.check(
            f"A single row, {form}: {OUTSIDE[form]:.0f} ms outside the model, {CALLS} calls",
            one.outside <= OUTSIDE[form] and one.calls <= CALLS,
            figures,
        )
        ratio = "" if peer is None else peer / one.total
        shown = one.outside, one.route, one.total, TOTAL[form], one.calls, one.full
        lines.append([form, one.rows, *shown, "" if peer is None else peer, ratio])
    record.table(
        "A single row of Adult, prepared, k = 4, with another rule, weight and diversity each time",
        COLUMNS,
        lines,
        "Medians. route: a faster way to the same scores, such as the trees without the frame.",
    )


def _wide_tables(record: Record) -> None:
    """Time and memory by the number of features."""
    widths = FEATURES[:2] if record.quick else FEATURES
    names = ("features", "prepared", "single", "row", "memory", "full", "changed", "extra")
    names += ("sentence", "model_rows")
    lines = []
    for kind in KINDS:
        runs = [wide(kind, features) for features in widths]
        lines += [[kind, *(run[name] for name in names)] for run in runs]
        grown = growth(runs)
        record.check(f"{kind}: time grows as features do", grown <= PER_FEATURE, f"{grown:.2f}")
    others = [wide("digits", 64), wide("levels", 5)]
    lines += [[run["kind"], *(run[name] for name in names)] for run in others]
    whole = min(line[1 + names.index("full")] for line in lines)
    record.check("Every row of a wide table is full", whole == 1, f"{whole:.3f}")
    widest = wide("xgboost", 751, 4)
    lines.append(["xgboost", *(widest[name] for name in names)])
    took, length = widest["single"], widest["sentence"]
    record.check("751 features, XGBoost: a row in 1 s", took <= 1, f"{took:.2f} s")
    record.check("and sentences of 300 characters", length <= 300, str(length))
    record.table(
        "Wide tables and many levels, k = 4",
        ("model", *names),
        lines,
        "Seconds; memory: the peak in MB. digits: a forest of ten classes, target='other'; levels: "
        "five categories of 1,000 levels, 5,000 columns behind a pipeline.",
    )
