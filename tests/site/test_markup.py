"""What the built pages show is Markdown that was understood, never its signs.

The repository's own view makes a table or a list of lines right under a paragraph or a block of
code; the site needs a blank line before them, and keeps a backslash in code.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.site.conftest import Site

ROW = re.compile(r"\s*\|.*\|\s*")
ITEM = re.compile(r"\s*([-*+]|\d{1,2}\.) .*")


class Shown(HTMLParser):
    """The lines of the paragraphs of a page, and its code within lines."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.paragraphs = ""
        self.code: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("p", "pre", "code"):
            self._open.append(tag)
            self.paragraphs += "\n" if tag == "p" else ""

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            del self._open[self._open.index(tag) :]

    def handle_data(self, data: str) -> None:
        if "pre" in self._open:
            return
        if "code" in self._open:
            self.code.append(data)
        if "p" in self._open:
            self.paragraphs += data


@pytest.fixture(scope="module")
def shown(site: Site) -> dict[str, Shown]:
    """What each page shows, by its path."""
    return {page: Shown((site.folder / page).read_text(encoding="utf-8")) for page in site.pages}


@pytest.mark.parametrize("sign", [ROW, ITEM], ids=["table", "list"])
def test_no_paragraph_shows_a_line_of_a_table_or_a_list(
    shown: dict[str, Shown], sign: re.Pattern[str]
) -> None:
    raw = {
        page: [line for line in one.paragraphs.splitlines() if sign.fullmatch(line)]
        for page, one in shown.items()
    }
    assert {page: lines for page, lines in raw.items() if lines} == {}


def test_code_in_a_table_can_be_pasted(shown: dict[str, Shown]) -> None:
    escaped = {page: [text for text in one.code if r"\|" in text] for page, one in shown.items()}
    assert {page: texts for page, texts in escaped.items() if texts} == {}
    assert sum(len(one.code) for one in shown.values()) > 1000
