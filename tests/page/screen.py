"""What a page shows, read as a person reads it, and compared with what the user's model says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from playwright.sync_api import Locator, Page, expect
from tests.page.conftest import SECONDS, Hand, Site

WORDS = {
    language: {
        key: text
        for path in sorted(
            (Path(__file__).parents[2] / "web" / "src" / "words").glob(f"*{language}.ts")
        )
        for key, text in re.findall(r'^\s*"([\w.]+)": "(.*)",$', path.read_text(), re.MULTILINE)
    }
    for language in ("en", "de")
}
WAYS = """ways => ways.map(way => ({
    changes: [...way.querySelectorAll("dl.changes > div")].map(
        one => [one.querySelector("dt").innerText, one.querySelector(".after").innerText]),
    outcome: way.querySelector(".after-score strong").innerText,
    score: way.querySelector(".after-score .number").innerText,
    sentence: way.querySelector(".sentence").innerText,
}))"""


def word(key: str, *, language: str = "en", **fields: Any) -> str:
    """A text of the page."""
    text: str = WORDS[language][key]
    for name, value in fields.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


@dataclass
class Screen:
    """The person's screen, used by one hand."""

    page: Page
    hand: Hand

    @classmethod
    def of(cls, page: Page, kind: str = "mouse") -> Screen:
        """The screen of a page, once it has ways or says why not."""
        screen = cls(page, Hand(page, kind))
        page.locator("main").wait_for()
        screen.settle()
        return screen

    def settle(self) -> None:
        """Wait until what is shown answers what was said."""
        expect(self.page.locator("main :is([aria-busy=true], [data-seeking=true])")).to_have_count(
            0, timeout=SECONDS
        )

    def button(self, key: str, **fields: Any) -> Locator:
        """The button with a text."""
        return self.page.get_by_role("button", name=word(key, **fields), exact=True)

    def press(self, key: str, **fields: Any) -> None:
        """Press the button with a text."""
        self.hand.press(self.button(key, **fields))
        self.settle()

    def go(self, view: str) -> None:
        """Go to one of the views."""
        views = self.page.get_by_role("navigation", name=word("view.label"))
        self.hand.press(views.get_by_role("button", name=word(f"view.{view}")))
        self.settle()

    def lock(self, label: str) -> None:
        """Lock or unlock a value."""
        self.press("card.lock", label=label)

    def ways(self) -> list[dict[str, Any]]:
        """The ways on view: what they change, the outcome and the score."""
        self.settle()
        shown: list[dict[str, Any]] = self.page.locator("article.way").evaluate_all(WAYS)
        return shown

    def check_row(self, site: Site, row: pd.Series[Any]) -> None:
        """The cards show the values of a row."""
        self.settle()
        cards = self.page.locator("article.card").evaluate_all(
            "all => all.map(one => [one.querySelector('h3'), one.querySelector('strong')])"
            ".map(pair => pair.map(one => one.textContent.trim()))"
        )
        assert {site.names[label]: text for label, text in cards} == {
            name: str(value) for name, value in row.items()
        }

    def check(self, site: Site, row: pd.Series[Any]) -> list[dict[str, Any]]:
        """The ways on view, each of which the user's own model confirms as it is shown."""
        ways = self.ways()
        assert ways
        for way in ways:
            way["changes"] = {site.names[label]: text for label, text in way["changes"]}
        names = site.labels
        before = self.page.locator("section.outcome")
        assert before.locator(".decision").inner_text() == names[decided(site, row)]
        wanted = next(one for one in names if one != decided(site, row))
        shown = before.locator(".score strong").first.inner_text()
        agree(shown, scored(site, row, wanted))
        for way in ways:
            after = changed(row, way["changes"])
            assert way["changes"], "a way changes something"
            assert way["outcome"] == names[decided(site, after)] == names[wanted]
            agree(way["score"], scored(site, after, wanted))
        return ways


def changed(row: pd.Series[Any], changes: dict[str, str]) -> pd.Series[Any]:
    """A row with the changes as they are shown."""
    after = row.copy()
    for name, text in changes.items():
        number = isinstance(row[name], int | float) or hasattr(row[name], "dtype")
        after[name] = float(text.replace(",", "")) if number else text
    return after


def decided(site: Site, row: pd.Series[Any]) -> Any:
    """What the user's model decides for a row."""
    return site.model.predict(_frame(site, row))[0]


def scored(site: Site, row: pd.Series[Any], wanted: Any) -> float:
    """The user's model's score of a class."""
    place = list(site.model.classes_).index(wanted)
    return float(site.model.predict_proba(_frame(site, row))[0, place])


def _frame(site: Site, row: pd.Series[Any]) -> pd.DataFrame:
    return row.to_frame().T.astype(site.rows.dtypes.to_dict())


def agree(shown: str, score: float) -> None:
    """A score in percent is the model's, as far as it is shown."""
    number = re.search(r"\d+(?:[.,]\d+)?", shown)
    assert number, shown
    text = number[0].replace(",", ".")
    assert "%" in shown
    half = 0.5 * 10 ** -len(text.partition(".")[2])
    assert abs(float(text) - 100 * score) <= half + 1e-6, (shown, score)


def wide(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    assert page.viewport_size is not None
    width = int(page.evaluate("document.documentElement.scrollWidth"))
    return width - page.viewport_size["width"]
