"""The audit of Adult: beside FACTS and merged clusters, and the time of 26,000 rows."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import ifonly
from audit_peers import beside_peers
from data_tables import fitted, table
from record import Record

ROWS, MINUTES, MEGABYTES = 26_000, 3, 5
RULES = ("age fixed", "race fixed", "gender fixed")
NO_SOLVER = {"model_rows": 10**12}
"""A budget of model rows, which is never reached, leaves the solver out, and with it its proofs."""


def main(record: Record) -> None:
    """Fill the record."""
    in_time(record)
    beside_peers(record)


def in_time(record: Record) -> None:
    """How long an audit of all rows takes two workers, and how large its report is."""
    one = table("adult", 10**6)
    rows = one.train[: 1000 if record.quick else ROWS]
    model = fitted("xgboost", one)
    ask: dict[str, Any] = {"data": one.train, "target": 1, "groups": ["gender", "race"]}
    ask |= {"rules": RULES, "workers": 2, "progress": False}
    lines, idle, size = [], {}, 0
    for name, more in (("without", {"budget": NO_SOLVER}), ("with", {})):
        before, start = processor_seconds(), time.perf_counter()
        audit = ifonly.audit(model, rows, **ask, **more)
        page = audit.to_html()
        wall = time.perf_counter() - start
        own, workers = (after - b for after, b in zip(processor_seconds(), before, strict=True))
        idle[name], size = own + workers / 2, max(size, len(page.encode()))
        whole = audit.measures[audit.measures["attribute"] == "all"].set_index("measure")["value"]
        shares = [float(whole[one]) for one in ("reach", "proved_none", "not_found")]
        lines.append([name, wall, own, workers, idle[name], os.getloadavg()[1], *shares])
    record.table(
        f"Adult: an audit of {len(rows):,} rows, XGBoost, two workers",
        (
            *("the solver for rows without an answer", "seconds", "processor: own", "workers"),
            *("own and half of the workers'", "load of the machine", "reach", "proved none"),
            "not found",
        ),
        lines,
        "Groups by gender and race, age, race and gender fixed, k = 4, the report written. Other "
        "programs ran on the same two cores: what two idle ones would take is about the seconds of "
        f"this process and half of those of the workers. The report has {size / 1e6:.2f} MB.",
    )
    record.check(
        f"{len(rows):,} rows in at most {MINUTES} minutes on two cores, proofs apart",
        idle["without"] <= 60 * MINUTES,
        f"{idle['without']:.0f} s of processor time per core, {lines[0][1]:.0f} s on a machine of "
        f"load {lines[0][5]:.0f}; with the solver {idle['with']:.0f} s",
    )
    record.check(
        f"The report has at most {MEGABYTES} MB", size <= 1e6 * MEGABYTES, f"{size / 1e6:.2f} MB"
    )


def processor_seconds() -> tuple[float, float]:
    """The processor time of this process, and of those that it started, as Linux counts it."""
    used, tick = os.times(), os.sysconf("SC_CLK_TCK")
    workers = used.children_user + used.children_system  # of those that have ended
    for listed in Path("/proc/self/task").glob("*/children"):
        for process in listed.read_text().split():
            spent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            workers += (int(spent[11]) + int(spent[12])) / tick
    return used.user + used.system, workers
