"""Names, levels, labels, rules and titles that try to be markup are shown as text."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest
from playwright.sync_api import Page
from tests.page.conftest import Visit, served
from tests.page.screen import Screen, wide, word

import ifonly
from ifonly.contract import Handler
from ifonly.page.start import start_of

IMAGE = "<img src=x onerror=alert(1)>"
TEXTS = [
    IMAGE,
    "\"'><script>alert(2)</script>",
    "{{7*7}}${7*7}{@html '<b>x</b>'}",
    "\u202eevil\u202c \u2066x",
    "</title></textarea><svg onload=alert(3)>",
    "javascript:alert(4)//",
    "long " + "x" * 10_000,
]
FOREIGN = """() => [...document.querySelectorAll("*")].filter(one =>
    ["IMG", "IFRAME", "OBJECT", "EMBED", "BASE", "META2"].includes(one.tagName)
    || one.tagName === "SCRIPT" && !one.src.endsWith("/page/page.js")
    || [...one.attributes].some(own => own.name.startsWith("on"))
    || /^javascript:/.test(one.href || "")).map(one => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A page whose every text is hostile."""
    n = 60
    columns = {name: [TEXTS[(i + j) % 7] for i in range(n)] for j, name in enumerate(TEXTS[1:])}
    number, title = TEXTS[0], TEXTS[4]
    data = pd.DataFrame({number: range(n), **columns})
    model = ifonly.as_model(lambda frame: frame[number] > 40, classes=[TEXTS[1], TEXTS[6]])
    labels = {TEXTS[1]: f"{IMAGE} again", TEXTS[2]: f"{TEXTS[5]} again"}
    space = ifonly.Space.infer(data, labels=labels)
    rules = [ifonly.fixed(name) for name in TEXTS[1:4]]
    handler = Handler(ifonly.Explainer(model, data=data, space=space, rules=rules))
    own = [ifonly.fixed(TEXTS[4])]
    start = start_of(space, data[:1], title=title, rules=own, k=2)
    with served(handler, start) as opened:
        yield opened


@pytest.mark.parametrize("kind", ["mouse", "phone"])
def test_hostile_text_is_shown_as_text_in_every_view(address: str, visit: Visit, kind: str) -> None:
    page = visit(address, kind)
    screen = Screen.of(page, kind)
    assert page.title() == TEXTS[4]
    check(page)
    shown = page.locator("main").inner_text()
    assert IMAGE in shown, "the changed feature by its name"
    for one in page.locator("article.card button[aria-expanded]:enabled").all()[:4]:
        one.click()
    check(page)
    for view in ("try", "guide", "kept"):
        screen.go(view)
        check(page)
    screen.go("ways")
    page.locator("article.card button[aria-pressed]:enabled").first.click()
    screen.settle()
    page.locator(".panel.none").wait_for()
    check(page)
    page.get_by_role("button", name=word("app.analyst"), exact=True).click()
    page.get_by_text(word("status.found"), exact=True).first.wait_for()
    check(page)
    page.get_by_role("combobox", name=word("rules.rule", place=1)).press("Control+Space")
    page.get_by_role("listbox").get_by_text(IMAGE).first.wait_for()
    check(page)


def check(page: Page) -> None:
    """Nothing was injected, and nothing is wider than the page."""
    assert page.evaluate(FOREIGN) == []
    assert wide(page) <= 0, "the page scrolls sideways"
