"""Run the benchmarks: `python benchmarks/run.py [PART] [--quick]`.

Each part prints its tables and checks, and keeps them under benchmarks/results; docs/benchmarks.md
is written from there. `--quick` takes few rows and little time, to see that everything runs; what
it finds says nothing, and is kept apart. The exit code is 1 where a check does not hold.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

# Before NumPy is imported: one thread for both sides, which is also faster for small networks.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PARTS = (
    "answers",
    "answers_peers",
    "audit",
    "audit_adult",
    "engine",
    "exact",
    "gradient",
    "page",
    "plausible",
    "quality",
    "reasons",
    "rules",
    "scale",
    "service",
    "speed",
    "tables",
    "trust",
)
GPU = ("gpu", "gpu_scale")
"""What 'all' runs, and what is for a machine with a GPU."""


def main() -> int:
    """Run the parts that are asked for; 1 where a check does not hold, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=(*PARTS, *GPU, "all"), nargs="?", default="all")
    parser.add_argument("--quick", action="store_true", help="few rows, little time")
    asked = parser.parse_args()
    from record import Record
    from report import write

    failed = []
    for part in PARTS if asked.part == "all" else (asked.part,):
        record = Record(part, quick=asked.quick)
        import_module(part).main(record)
        failed += [f"{part}: {check.claim} ({check.figures})" for check in record.failed]
        print(f"\nKept in {record.save()}", file=sys.stderr)
    if not asked.quick:
        print(f"Wrote {write()}", file=sys.stderr)
    for line in failed:
        print(f"Does not hold: {line}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
