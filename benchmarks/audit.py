"""Subgroups of the audit: false alarms and planted biases in lenders that are made."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import ifonly
from ifonly.datasets import make_lender
from ifonly.fairness.subgroups import worst_subgroups
from planted import audited, searched, true_difference
from record import Record

ROWS, SEEDS, ALLOWED = 2000, 100, 10
PLANTED_SEEDS = 10
RULES = [f"{name} fixed" for name in ("age", "education", "job", "group", "district")]


def main(record: Record) -> None:
    """Fill the record."""
    false_alarms(record)
    planted_biases(record)


def false_alarms(record: Record) -> None:
    """How often an audit of a lender without a bias finds one."""
    seeds, rows = (range(2), 400) if record.quick else (range(SEEDS), ROWS)
    start = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        lines = list(pool.map(partial(unbiased, rows), seeds))
    seconds = time.perf_counter() - start
    alarms = {by: sum(line[by] for line in lines) for by in ("curve", "reach")}
    either = sum(bool(line["curve"] or line["reach"]) for line in lines)
    record.table(
        "False alarms: a lender that treats both groups alike",
        ("lenders", "applicants each", "alarms by curve", "alarms by reach", "seconds, all"),
        [[len(seeds), rows, alarms["curve"], alarms["reach"], seconds]],
        "Subgroups of up to three conditions, group a compared with b in each, at 5 % after Holm. "
        "Comparisons in an audit: "
        f"{min(line['comparisons'] for line in lines):,} to "
        f"{max(line['comparisons'] for line in lines):,}. Income, savings, debt, loan may change.",
    )
    record.check(
        f"A false alarm in at most {ALLOWED} of {len(seeds)} lenders",
        either <= ALLOWED,
        f"{either} of {len(seeds)}",
    )


def unbiased(n: int, seed: int) -> dict[str, int]:
    """Whether an audit of one lender without a bias raises an alarm."""
    lender = make_lender(n, seed=seed, bias="none")
    rows = lender.frame[lender.outcome == "refused"]
    space = ifonly.Space.infer(lender.frame)
    done, groups = searched(lender, rows, space, RULES, hidden=[])
    ask: dict[str, Any] = {"attribute": "group"}
    found = {
        by: worst_subgroups(done.space, done.rows, done.cost, groups, by=by, **ask)
        for by in ("curve", "reach")
    }
    alarms = {by: int(bool(one.alarms)) for by, one in found.items()}
    return {**alarms, "comparisons": found["curve"].comparisons}


def planted_biases(record: Record) -> None:
    """Whether planted biases are found, with a size that the interval holds."""
    seeds, rows = (range(1), 800) if record.quick else (range(PLANTED_SEEDS), ROWS)
    cases = [(bias, seed) for bias in ("cost", "proxy", "blocked") for seed in seeds]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        lines = list(pool.map(partial(planted, rows), cases))
    table = []
    for bias in ("cost", "proxy", "blocked"):
        own = [line for line in lines if line["bias"] == bias]
        found = sum(line["found"] for line in own)
        held = sum(line["held"] for line in own)
        table.append([bias, len(own), found, held, own[0]["example"]])
        claim = f"The planted bias '{bias}' is found, its size within its interval"
        record.check(claim, found == held == len(own), f"{found} and {held} of {len(own)}")
    record.table(
        f"Planted biases: lenders of {rows:,} applicants",
        ("bias", "lenders", "found", "true size in the interval", "the first one's worst subgroup"),
        table,
        "cost: group b needs savings of another 3,000. proxy: so do those of district south, nine "
        "of ten of whom are of group b, which the model is not told. blocked: no way for manual "
        "workers of district south. The true size is that among 200,000 others, by arithmetic.",
    )


def planted(n: int, case: tuple[str, int]) -> dict[str, Any]:
    """What an audit of one lender with a bias says first."""
    bias, seed = case
    done, groups = audited(n, seed, bias)
    ask: dict[str, Any] = {"by": "reach"} if bias == "blocked" else {"attribute": "group"}
    alarms = worst_subgroups(done.space, done.rows, done.cost, groups, **ask).alarms
    if not alarms:
        return {"bias": bias, "found": False, "held": False, "example": "none"}
    first = alarms[0]
    if bias == "blocked":
        found = set(first.conditions) == {"job is manual", "district is south"}
    else:
        found = {one.side for one in alarms} == {"b"}
    true = true_difference(bias, first, done.space)
    held = first.low <= true <= first.high
    example = f"{first.sentence} True: {100 * true:.0f} points."
    return {"bias": bias, "found": found, "held": held, "example": example}
