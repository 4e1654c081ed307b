"""Every page of the built site in a real browser, at the width of a desk and of a phone."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page
from tests.page.conftest import SECONDS, Watched
from tests.site.conftest import Site

DESK, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
PICTURES = "[...document.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.src)"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Read(HTMLParser):
    """The links of a page, and the places that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.places |= {str(said[name]) for name in ("id", "name") if said.get(name)}
        if tag == "a" and said.get("href"):
            self.links.add(str(said["href"]))


@pytest.fixture(scope="module")
def read(site: Site) -> dict[str, Read]:
    """What each page says, by its path."""
    return {page: Read((site.folder / page).read_text(encoding="utf-8")) for page in site.pages}


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_pages_are_shown_without_an_error_a_lost_picture_or_a_word_to_others(
    site: Site, browser: Browser, size: str
) -> None:
    """Every page at the width of a phone; at that of a desk, the first of each folder."""
    assert len(site.pages) > 90
    firsts = [one for one in site.pages if one.endswith("index.html") or "/" not in one]
    context = browser.new_context(
        viewport=PHONE if size == "phone" else DESK, reduced_motion="reduce"
    )
    page = context.new_page()
    watched = Watched(page, site.address)
    wrong: dict[str, list[str]] = {}
    for path in site.pages if size == "phone" else firsts:
        page.goto(f"{site.address}/{path}")
        lost, wide = page.evaluate(f"[{PICTURES}, {WIDER}]")
        found = [*watched.wrong, *lost, *([f"{wide} px too wide"] if wide > 0 else [])]
        wrong |= {path: found} if found else {}
        watched.wrong.clear()
    context.close()
    assert wrong == {}


def test_no_link_is_dead(site: Site, read: dict[str, Read]) -> None:
    dead = {
        (page, link)
        for page, one in read.items()
        for link in one.links
        if not _leads_somewhere(site.folder, read, urljoin(f"/{page}", link))
    }
    assert dead == set()


def _leads_somewhere(folder: Path, read: dict[str, Read], address: str) -> bool:
    """Whether an address of the site is that of a file, and of a place in it; others are."""
    parts = urlsplit(address)
    if parts.scheme in ("http", "https", "mailto", "javascript"):
        return True
    path = unquote(parts.path).lstrip("/") or "index.html"
    path = f"{path}index.html" if path.endswith("/") else path
    if path not in read:
        return (folder / path).is_file()
    return parts.fragment in ("", "__comments") or unquote(parts.fragment) in read[path].places


def test_the_list_for_programs_leads_somewhere(site: Site) -> None:
    links = re.findall(r"\]\((.+?)\)", (site.folder / "llms.txt").read_text(encoding="utf-8"))
    assert len(links) > 50
    assert [one for one in links if not (site.folder / one).is_file()] == []


@pytest.mark.parametrize("how", ["served", "folder"])
def test_the_search_finds_a_page_without_another_host(
    site: Site, browser: Browser, how: str
) -> None:
    """Also in a folder that somebody has copied: there is no server then."""
    start = (
        f"{site.address}/index.html" if how == "served" else (site.folder / "index.html").as_uri()
    )
    context = browser.new_context(viewport=DESK)
    page = context.new_page()
    page.goto(start)
    _search(page, "median absolute deviation")
    page.get_by_text("Distance and price").filter(visible=True).first.wait_for(timeout=SECONDS)
    context.close()


def _search(page: Page, words: str) -> None:
    """Open the search by its key, which does nothing until the page is ready, and type."""
    box = page.get_by_placeholder("Search")
    page.wait_for_load_state("networkidle")
    for _ in range(10):
        if not box.is_visible():
            page.keyboard.press("Control+k")
            page.wait_for_timeout(500)
    box.fill(words, timeout=SECONDS)
