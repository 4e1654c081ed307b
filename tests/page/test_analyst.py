"""What an analyst does with all rows: uploads, explains, filters, moves the threshold, opens a row.

Each story asks the user's own model whether what is shown is so.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.page.conftest import SECONDS, Hand, Site, Visit
from tests.page.screen import Screen, word

expect.set_options(timeout=4 * SECONDS)  # all rows are explained on a busy machine
CELLS = """rows => rows.map(row => ({
    place: Number(row.getAttribute("aria-rowindex")),
    cells: Object.fromEntries([...row.children].map(
        one => [one.getAttribute("aria-colindex"), one.innerText.trim()]))}))"""


class Table:
    """The analyst's screen, used by one hand."""

    def __init__(self, page: Page, kind: str = "mouse") -> None:
        self.page, self.hand = page, Hand(page, kind)
        self.grid = page.get_by_role("grid", name=word("analyst.table"))

    @classmethod
    def of(cls, page: Page, kind: str = "mouse") -> Table:
        """The screen of a page."""
        page.locator("main").wait_for()
        table = cls(page, kind)
        if not page.get_by_test_id("analyst").is_visible():
            table.hand.press(page.get_by_role("button", name=word("app.analyst"), exact=True))
        page.get_by_test_id("analyst").wait_for()
        return table

    def upload(self, path: Path, frame: pd.DataFrame) -> None:
        """Open a table from a file, and wait for its scores and answers."""
        frame.to_csv(path, index=False)
        self.page.get_by_test_id("upload").set_input_files(path)
        count = f"{len(frame)} of {len(frame)} rows shown"
        expect(self.page.get_by_test_id("shown")).to_have_text(count)
        expect(self.page.get_by_test_id("progress")).to_have_text(word("analyst.done"))

    def header(self, title: str) -> Locator:
        return self.page.get_by_role("columnheader", name=title, exact=True)

    def column(self, title: str) -> list[str]:
        """The cells of a column on view, from the first row on."""
        place = self.header(title).get_attribute("aria-colindex")
        rows = self.grid.locator("[role=row][aria-rowindex]").evaluate_all(CELLS)
        shown = sorted((one["place"], one["cells"][place]) for one in rows if one["place"] > 1)
        return [text for _, text in shown]

    def sort(self, title: str) -> None:
        """Sort by a column."""
        if self.hand.kind == "keyboard":
            self.hand.reach(self.grid)
            self.page.keyboard.press("Control+Home")
            self.page.keyboard.press("ArrowUp")
            place = int(self.header(title).get_attribute("aria-colindex") or 1)
            for _ in range(place - 1):
                self.page.keyboard.press("ArrowRight")
            self.page.keyboard.press("Enter")
        else:
            self.header(title).scroll_into_view_if_needed()
            self.hand.press(self.header(title))


def uploaded(site: Site) -> pd.DataFrame:
    """Fewer rows than the page begins with: their count tells that they are there."""
    rows: pd.DataFrame = site.rows[:-2].reset_index(drop=True)
    return rows


def scores(site: Site, rows: pd.DataFrame) -> np.ndarray:
    return np.asarray(site.model.predict_proba(rows)[:, 1])


def test_scores_statuses_and_ways_are_those_of_the_model(
    forest: Site, visit: Visit, kind: str, tmp_path: Path
) -> None:
    rows = uploaded(forest)
    table = Table.of(visit(forest.address, kind), kind)
    table.upload(tmp_path / "rows.csv", rows.assign(region=["north", "south"] * (len(rows) // 2)))
    shown = dict(zip(table.column("Row"), table.column("Score"), strict=True))
    own = scores(forest, rows)
    assert len(shown) >= 8
    for row, score in shown.items():
        assert float(score) == pytest.approx(own[int(row) - 1], abs=0.00501)
    table.sort("Score")
    expect(table.header("Score")).to_have_attribute("aria-sort", "ascending")
    lowest = np.argsort(own, kind="stable")[:3] + 1
    assert table.column("Row")[:3] == [str(row) for row in lowest]
    if kind == "keyboard":
        table.page.keyboard.press("ArrowDown")
        table.page.keyboard.press("Enter")
    else:
        table.hand.press(table.grid.get_by_role("gridcell", name=str(lowest[0]), exact=True).first)
    Screen.of(table.page, kind)
    applicant = rows.loc[lowest[0] - 1]
    main = table.page.locator("main").inner_text()
    assert all(str(applicant[name]) in main for name in ("education", "occupation"))
    table.page.go_back()
    expect(table.header("Score")).to_have_attribute("aria-sort", "ascending")
    assert table.column("Row")[:3] == [str(row) for row in lowest], "back keeps the place"


def test_filters_count_what_they_leave(forest: Site, visit: Visit, tmp_path: Path) -> None:
    rows = uploaded(forest)
    region = ["north" if i % 3 else "south" for i in range(len(rows))]
    table = Table.of(visit(forest.address))
    table.upload(tmp_path / "rows.csv", rows.assign(region=region))
    shown = table.page.get_by_test_id("shown")
    filters = table.page.get_by_test_id("filters")
    filters.get_by_label(word("analyst.group")).select_option("region")
    filters.get_by_label(word("analyst.level")).select_option("south")
    expect(shown).to_have_text(f"{region.count('south')} of {len(rows)} rows shown")
    assert set(table.column("Row")) <= {
        str(i + 1) for i, one in enumerate(region) if one == "south"
    }
    table.page.get_by_role("button", name=word("analyst.resetFilters")).click()
    table.page.get_by_label(word("analyst.mostChanges")).fill("1")
    changes = table.column("Changes")
    assert set(changes) == {"1"}
    table.page.get_by_label(word("analyst.mostChanges")).fill("0")
    expect(table.page.get_by_text(word("analyst.noRows"))).to_be_visible()


def test_the_threshold_shows_who_crosses_it(forest: Site, visit: Visit, tmp_path: Path) -> None:
    rows = uploaded(forest)
    own, table = scores(forest, rows), Table.of(visit(forest.address))
    table.upload(tmp_path / "rows.csv", rows)
    slider = table.page.get_by_role("slider")
    cut = round(float(np.sort(own)[-5]) - 0.005, 2)
    slider.focus()
    while float(slider.input_value()) > cut + 1e-9:
        table.page.keyboard.press("ArrowLeft")
    crossing = int((own >= cut).sum())
    counts = table.page.get_by_test_id("threshold-counts")
    expect(counts).to_contain_text(f"+{crossing} more than with 0.50")
    table.page.get_by_label(word("analyst.crossesOnly")).check()
    expect(table.page.get_by_test_id("shown")).to_contain_text(f"{crossing} of {len(rows)} rows")
    assert table.page.get_by_text(word("analyst.stale")).is_visible()
    table.page.get_by_test_id("explain").click()
    expect(table.page.get_by_test_id("progress")).to_have_text(word("analyst.done"))
    assert set(table.column("Status")) == {word("status.found")}, "now for the other outcome"


def test_a_table_with_faults_says_so_beside_its_cells(
    forest: Site, visit: Visit, kind: str, tmp_path: Path
) -> None:
    rows = uploaded(forest).astype(object)
    rows.loc[1, "age"], rows.loc[2, "education"] = "old", "Masterz"
    table = Table.of(visit(forest.address, kind), kind)
    table.upload(tmp_path / "rows.csv", rows)
    problems = table.page.get_by_test_id("problems")
    assert problems.get_by_role("button").count() == 2
    assert "Did you mean 'Masters'?" in problems.inner_text()
    statuses = table.column("Status")
    assert [i for i, one in enumerate(statuses) if one == word("status.wrong")] == [1, 2]
    assert word("status.found") in statuses, "the others are explained"
    table.hand.press(problems.get_by_role("button", name="Row 3, education"))
    cell = table.page.locator("[role=gridcell][aria-invalid=true].active")
    expect(cell).to_contain_text("'Masterz' is not a known level.")
    expect(table.page.get_by_test_id("cell-error")).to_contain_text("Did you mean 'Masters'?")


def test_rules_are_completed_and_corrected_by_keyboard(forest: Site, visit: Visit) -> None:
    page = visit(forest.address, "keyboard")
    table = Table.of(page, "keyboard")
    expect(page.get_by_test_id("progress")).to_have_text(word("analyst.done"))
    line = page.get_by_role("combobox", name=word("rules.rule", place=1))
    table.hand.reach(line)
    page.keyboard.type("educ")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_text(
        [re.compile("education")]
    )
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(line).to_have_value("education ")
    page.keyboard.type("fixxed")
    expect(line).to_have_attribute("aria-invalid", "true")
    error = page.locator(".rule-box .error")
    expect(error).to_contain_text("'fixxed' is not a verb of a rule")
    mark = page.locator(".rule-box .mark").evaluate("one => getComputedStyle(one).textIndent")
    assert float(mark.removesuffix("px")) > 50, "the mark stands under the word"
    for _ in range(3):
        page.keyboard.press("Backspace")
    page.keyboard.type("ed")
    expect(line).not_to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_text(word("analyst.stale"))).to_be_visible()
    table.hand.press(page.get_by_test_id("explain"))
    expect(page.get_by_test_id("progress")).to_have_text(word("analyst.done"))
    assert not any("education" in way for way in table.column("Nearest way"))
    assert any(table.column("Nearest way")), "other ways were found"


def test_what_the_ways_change_is_what_answers_say(forest: Site, visit: Visit) -> None:
    """The shares on the page are those of the answers that the service gives."""
    page = visit(forest.address)
    said: list[Any] = []
    page.on("response", lambda one: "explain_batch" in one.url and said.append(one))
    page.reload()
    Table.of(page)
    expect(page.get_by_test_id("progress")).to_have_text(word("analyst.done"))
    rows = [row for one in said for row in json.loads(one.body())["rows"]]
    assert len(rows) == len(forest.rows)
    answered = [row for row in rows if row["answers"]]
    shares: dict[str, float] = {}
    for row in answered:
        for name, use in row["uses"].items():
            shares[name] = shares.get(name, 0) + use["changed"] / len(answered)
    buttons = page.get_by_test_id("importance").locator("button.use").all_inner_texts()
    shown = dict(re.split(r"\s*\n\s*", one) for one in buttons)
    assert len(shown) == len(shares)
    for name, text in shown.items():
        assert float(text.strip(" %")) == pytest.approx(100 * shares[name], abs=0.51)
