"""axe-core finds nothing on any screen: on a desk in light, on a phone in dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tests.page.conftest import Site, Visit
from tests.page.screen import Screen, wide, word

LOOKS = [("mouse", "light"), ("phone", "dark")]


@pytest.mark.parametrize(("kind", "scheme"), LOOKS)
def test_every_screen_is_accessible(lender: Site, visit: Visit, kind: str, scheme: str) -> None:
    page = visit(lender.address, kind, color_scheme=scheme)
    screen = Screen.of(page, kind)
    found = {"ways": violations(page)}
    page.get_by_role("button", name=word("way.keep"), exact=True).first.click()
    for label in ("Age", "Education"):
        screen.press("card.more", label=label)
    found["cards"] = violations(page)
    for view in ("try", "guide", "kept"):
        screen.go(view)
        page.locator(".stage h2").wait_for()
        found[view] = violations(page)
    screen.go("ways")
    for label in ("Age", "Kind of work", "Education", "Occupation", "Hours per week"):
        screen.lock(label)
    page.locator(".panel.none").wait_for()
    found["none"] = violations(page)
    page.get_by_role("button", name=word("app.analyst"), exact=True).click()
    page.locator("main").wait_for()
    found["analyst"] = violations(page)
    assert {name: one for name, one in found.items() if one} == {}


def violations(page: Page) -> list[str]:
    """What axe-core finds: the rule and the first place."""
    assert wide(page) <= 0, "the page scrolls sideways"
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']:.200}" for one in found]
