"""What a part of the benchmarks found: tables and checks, printed as they come and kept as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("ifonly", "numpy", "pandas", "scikit-learn", "torch", "xgboost")


@dataclass(frozen=True)
class Table:
    """A title, the columns, one list a line, and what a reader must know."""

    title: str
    columns: tuple[str, ...]
    lines: list[list[Any]]
    note: str = ""

    def markdown(self) -> str:
        """The table as Markdown, numbers to three decimals."""
        lines = [[_cell(entry) for entry in line] for line in self.lines]
        rows = [list(self.columns), ["---"] * len(self.columns), *lines]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return "\n\n".join(part for part in (f"### {self.title}", self.note, table) if part)


@dataclass(frozen=True)
class Check:
    """A claim, whether it holds, and the figures."""

    claim: str
    holds: bool
    figures: str

    def markdown(self) -> str:
        """One line of a list."""
        return f"- {'holds' if self.holds else '**does not hold**'}: {self.claim} ({self.figures})"


@dataclass
class Record:
    """One part's tables and checks. It grows while the part runs, and prints what it gets."""

    part: str
    quick: bool = False
    tables: list[Table] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=lambda: machine())

    def table(
        self, title: str, columns: Sequence[str], lines: list[list[Any]], note: str = ""
    ) -> None:
        """Keep and print a table."""
        self.tables.append(Table(title, tuple(columns), lines, note))
        print(f"\n{self.tables[-1].markdown()}\n", flush=True)

    def check(self, claim: str, holds: bool, figures: str) -> None:
        """Keep and print a claim with its outcome."""
        self.checks.append(Check(claim, bool(holds), figures))
        print(self.checks[-1].markdown(), flush=True)

    @property
    def failed(self) -> list[Check]:
        """The checks that do not hold; of a quick run they say nothing, so there are none."""
        return [] if self.quick else [check for check in self.checks if not check.holds]

    def save(self) -> Path:
        """Write the record under benchmarks/results; a quick one apart."""
        folder = RESULTS / "quick" if self.quick else RESULTS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.part}.json"
        path.write_text(json.dumps(asdict(self), indent=1, default=float) + "\n")
        return path

    @classmethod
    def load(cls, path: Path) -> Record:
        """The record that `save` wrote."""
        kept = json.loads(path.read_text())
        tables = [Table(**{**one, "columns": tuple(one["columns"])}) for one in kept["tables"]]
        checks = [Check(**one) for one in kept["checks"]]
        return cls(kept["part"], kept["quick"], tables, checks, kept["facts"])


def machine() -> dict[str, Any]:
    """When and where: date, cores, versions."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS", "all"),
        "versions": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _cell(entry: Any) -> str:
    if isinstance(entry, float):
        return f"{entry:,.1f}" if abs(entry) >= 100 else f"{entry:.3f}"
    return f"{entry:,}" if isinstance(entry, int) and not isinstance(entry, bool) else str(entry)
