"""The report in a real browser: every chart drawn, every table there, nothing in the console."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium brings Debian's"
)

# Runs in the page once everything is loaded, and leaves what it saw where --dump-dom shows it.
LOOK = """<script>
addEventListener("error", event => { document.body.dataset.failed = String(event.message); });
addEventListener("load", () => {
  const images = [...document.images];
  const seen = {
    images: images.length,
    drawn: images.filter(one => one.complete && one.naturalWidth > 100).length,
    tables: document.querySelectorAll("table").length,
    filled: [...document.querySelectorAll("table")].filter(one => one.rows.length > 1).length,
    wide: document.documentElement.scrollWidth > innerWidth + 1,
  };
  for (const [name, value] of Object.entries(seen)) document.body.dataset[name] = value;
});
</script></body>"""


def opened(page: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    words = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--enable-logging=stderr",
        "--virtual-time-budget=20000",
        f"--user-data-dir={folder / 'profile'}",
        "--window-size=1300,2400",
        *more,
        page.as_uri(),
    ]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)


def test_the_report_opens_with_every_chart_and_table(tiny: Any, tmp_path: Path) -> None:
    html = tiny.report.read_text()
    page = tmp_path / "report.html"
    page.write_text(html.replace("</body>", LOOK))
    done = opened(page, tmp_path, "--dump-dom")
    seen = dict(re.findall(r'data-(\w+)="([^"]*)"', done.stdout.partition("<body")[2][:2000]))
    assert "failed" not in seen
    assert seen["images"] == seen["drawn"] == str(html.count("<img "))
    assert seen["tables"] == seen["filled"] == str(html.count("<table>"))
    assert seen["wide"] == "false"
    assert "CONSOLE" not in done.stderr


def test_a_picture_of_the_report_can_be_taken(tiny: Any, tmp_path: Path) -> None:
    picture = tmp_path / "report.png"
    opened(tiny.report, tmp_path, f"--screenshot={picture}")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000
