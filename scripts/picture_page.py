"""Take the pictures of the page in docs/pictures: `python scripts/picture_page.py`.

The demo's page in Chromium, in eight states.
"""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
MOST = 150_000
"""The most bytes of a picture."""
LOCKED = ("Age", "Kind of work", "Education", "Occupation", "Hours per week")


def main() -> None:
    """Take all pictures."""
    run = [sys.executable, "-m", "ifonly", "demo", "--page", "--no-browser"]
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as process:
        try:
            said: Any = re.search(r"http\S+", process.stdout.readline() if process.stdout else "")
            with sync_playwright() as playwright:
                chromium = shutil.which("chromium")
                browser = playwright.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox"]
                )
                take(browser, said[0])
                browser.close()
        finally:
            process.send_signal(signal.SIGINT)


def take(browser: Browser, address: str) -> None:
    """The eight states."""
    page = opened(browser, address, 1280, 860)
    keep(page, "ways")
    press(page, "Wishes for Education")
    page.get_by_role("slider", name="How hard is a change?").first.fill("3")
    press(page, "Wishes for Education")
    press(page, "Wishes for Hours per week")
    page.get_by_role("radio", name="only up").first.check()
    settle(page)
    keep(page, "wishes")
    for place in range(2):
        page.get_by_role("button", name="Keep", exact=True).nth(place).click()
    view(page, "Kept")
    keep(page, "kept")
    view(page, "What if")
    page.get_by_label("Education", exact=True).select_option(label="Bachelors")
    page.get_by_label("Hours per week", exact=True).fill("55")
    page.get_by_label("Hours per week", exact=True).blur()
    settle(page)
    page.wait_for_timeout(500)
    keep(page, "what-if")
    page = opened(browser, address, 1280, 640)
    view(page, "Guide me")
    keep(page, "guided")
    page = opened(browser, address, 1280, 760)
    for label in LOCKED:
        press(page, f"Keep {label} as it is")
        settle(page)
    keep(page, "none")
    page.get_by_role("button", name="All rows", exact=True).click()
    page.wait_for_timeout(4000)
    keep(page, "rows")
    keep(opened(browser, address, 360, 1100, scheme="dark"), "phone")


def opened(
    browser: Browser, address: str, width: int, height: int, *, scheme: Any = "light"
) -> Page:
    """A page with its first ways."""
    size: Any = {"width": width, "height": height}
    context = browser.new_context(viewport=size, locale="en-GB", color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.locator("article.way").first.wait_for(timeout=60_000)
    settle(page)
    return page


def press(page: Page, name: str) -> None:
    """Press a button."""
    page.get_by_role("button", name=name, exact=True).click()


def view(page: Page, name: str) -> None:
    """Go to a view."""
    page.get_by_role("navigation", name="Views").get_by_role("button", name=name).click()
    settle(page)


def settle(page: Page) -> None:
    """Wait until what is shown answers what was said."""
    page.wait_for_timeout(100)
    page.locator("main :is([aria-busy=true], [data-seeking=true])").first.wait_for(
        state="detached", timeout=60_000
    )


def keep(page: Page, name: str) -> None:
    """Save what is on view, in few colours."""
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = PICTURES / f"page-{name}.png"
    picture.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    assert path.stat().st_size <= MOST, path
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
