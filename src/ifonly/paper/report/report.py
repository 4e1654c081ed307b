"""The report of a run: one HTML file that opens offline, its figures and tables as files."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from ifonly.paper.report import figures, sections, tables
from ifonly.paper.report.claims_page import claims_page, claims_table
from ifonly.paper.report.contradictions import contradictions
from ifonly.paper.report.findings import Findings
from ifonly.render import page_parts as pages
from ifonly.render.destination import write_file


def write(findings: Findings, folder: Path) -> Path:
    """Write report.html, claims.md, figures/, tables/ and run.json; the path of the report."""
    for name in ("figures", "tables"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    drawn = {name: figures.rendered(one) for name, one in sections.charts(findings).items()}
    for name, files in drawn.items():
        for kind, content in files.items():
            write_file(folder / "figures" / f"{name}.{kind}", content)
    for name, frame in _csv_tables(findings).items():
        write_file(folder / "tables" / f"{name}.csv", frame.to_csv(index=False))
    write_file(folder / "claims.md", claims_page(findings))
    write_file(folder / "run.json", json.dumps(findings.facts, indent=1, default=str) + "\n")
    svgs = {name: files["svg"] for name, files in drawn.items()}
    html = pages.page(
        "The paper, reproduced", sections.lead(findings), sections.every(findings, svgs)
    )
    path = folder / "report.html"
    write_file(path, html)
    return path


def _csv_tables(findings: Findings) -> dict[str, pd.DataFrame]:
    found = {
        **tables.evidence_tables(findings.ours),
        "claims": claims_table(findings.verdicts),
        "data_sets": tables.described(findings.plan.data),
        "accuracy": findings.accuracy,
        "boundary_of_published": findings.echo,
        "qualitative": findings.ours.qualitative,
        "times": findings.results.times(),
        "contradictions": pd.DataFrame(
            [vars(one) for one in contradictions(findings.accuracy, findings.echo)]
        ),
    }
    return {name: frame for name, frame in found.items() if not frame.empty}
