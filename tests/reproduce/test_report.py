"""The report of a run: files that are all there, a page that opens offline, honest gaps."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd

from ifonly.paper.report.figures import FORMATS

CHARTS = ("sets", "linear", "f1", "precision", "recall", "lambdas")


class Balanced(HTMLParser):
    """Counts open tags, and notes addresses that a browser would fetch."""

    EMPTY = {"meta", "link", "img", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href") and not str(value).startswith(("data:", "#")):
                self.fetched.append(str(value))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_fetches_nothing(tiny: Any) -> None:
    parser = Balanced()
    parser.feed(tiny.report.read_text())
    assert parser.open == []
    assert parser.fetched == []


def test_every_chart_is_in_the_page_and_beside_it_as_png_and_svg(tiny: Any) -> None:
    page = tiny.report.read_text()
    for name in CHARTS:
        assert f'id="figure-{name}"' in page
        for kind in FORMATS:
            assert (tiny.report.parent / "figures" / f"{name}.{kind}").stat().st_size > 2000
        ET.parse(tiny.report.parent / "figures" / f"{name}.svg")


def test_every_table_is_a_csv_file_that_can_be_read(tiny: Any) -> None:
    names = {path.stem for path in (tiny.report.parent / "tables").glob("*.csv")}
    wanted = {"claims", "sets", "boundary", "linear", "accuracy", "data_sets", "times"}
    assert wanted <= names
    for path in (tiny.report.parent / "tables").glob("*.csv"):
        assert len(pd.read_csv(path))


def test_what_was_not_run_is_said_and_never_invented(tiny: Any) -> None:
    page = tiny.report.read_text()
    assert "not run" in page
    missing = tiny.found.results.missing
    assert all(cell.name in page for cell in missing)
    drawn = tiny.found.ours.sets
    assert set(drawn["data"]) == {"german_credit", "compas"}


def test_every_claim_has_one_of_three_words_and_its_rule(tiny: Any) -> None:
    for verdict in tiny.found.verdicts:
        assert verdict.word in ("holds", "differs", "cannot be checked")
        assert verdict.claim.rule.endswith(".")
        assert (verdict.word == "cannot be checked") == (verdict.ours is None)
    page = (tiny.report.parent / "claims.md").read_text()
    assert page.count("\n| ") == len(tiny.found.verdicts) + 1
    assert re.search(r"^\d{4}-\d\d-\d\d\.", page, re.MULTILINE)


def test_ifonly_stands_beside_diverse_cf_sparse(tiny: Any) -> None:
    for table in (tiny.found.ours.sets, tiny.found.ours.boundary):
        assert {"ifonly", "DiverseCF-Sparse"} <= set(table["method"])


def test_the_contradictions_are_told(tiny: Any) -> None:
    page = tiny.report.read_text()
    for word in ("Training sizes", "direction of German-Credit", "LendingClub&#x27;s linear model"):
        assert word in page


def test_machine_and_versions_are_written_down(tiny: Any) -> None:
    facts = next(iter(tiny.found.results.facts.values()))
    assert facts["seconds"] > 0
    assert {"ifonly", "numpy"} <= set(facts["versions"])
    assert Path(tiny.report.parent / "run.json").exists()
