"""docs/benchmarks.md, written from the records under benchmarks/results."""

from __future__ import annotations

from pathlib import Path

from record import RESULTS, Record

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
TITLES = {
    "answers": "What answers are like",
    "answers_peers": "What dice-ml's answers are like",
    "plausible": "Rows that could exist",
    "tables": "Tables and models",
    "trust": "Answers that hold up",
    "audit": "The audit: planted biases and false alarms",
    "audit_adult": "The audit of Adult: time, subgroups and common actions",
    "gradient": "The paper's method",
    "gpu": "On a GPU",
    "gpu_scale": "On a GPU, from files to files",
    "quality": "The default engine: quality",
    "engine": "The default engine: rows, wide tables, slow models, single rows, cores",
    "exact": "Solving, with a proof",
    "rules": "Rules and causes",
    "reasons": "Reasons",
    "speed": "The default engine: speed",
    "page": "The page in a browser",
    "service": "The service under load",
    "scale": "Many rows by shards",
}
HEAD = """# Benchmarks
Written by `make bench` from the records in `benchmarks/results`; run it to get your own machine's.
The peers run in environments of their own, with the versions in `benchmarks/peers`, beside ifonly
in one run. full: rows with all k; valid: answers that the model itself accepts, of all k of all
rows; unique: valid and no repeat. det: det K, K = 1/(1 + distance); objective: 0.5 mean distance -
det K, less is better; pairwise: mean distance among a row's answers; changed: features changed.
"""


def write() -> Path:
    """Write the page and return where it is."""
    parts = [HEAD]
    for name in TITLES:
        path = RESULTS / f"{name}.json"
        if path.exists():
            parts.append(section(Record.load(path)))
    PAGE.write_text("\n\n".join(part.strip() for part in parts) + "\n")
    return PAGE


def section(record: Record) -> str:
    """A part's tables and checks."""
    facts = record.facts
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    machine = (
        f"{facts['date']}; {facts['processor']}, {facts['cores']} cores, threads a process: "
        f"{facts['threads']}; Python {facts['python']}; {versions}."
    )
    checks = "\n".join(check.markdown() for check in record.checks)
    tables = [table.markdown() for table in record.tables]
    return "\n\n".join([f"## {TITLES[record.part]}", machine, checks, *tables])


if __name__ == "__main__":
    print(write())
