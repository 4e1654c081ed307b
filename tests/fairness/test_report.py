"""The validator's report, as text and in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly.search import Engine

Ask = Callable[..., ifonly.Audit]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
# Runs in the page once everything is loaded, and leaves what it saw where --dump-dom shows it.
LOOK = """<script>
addEventListener("error", event => { document.body.dataset.failed = String(event.message); });
addEventListener("load", () => {
  const images = [...document.images], tables = [...document.querySelectorAll("table")];
  Object.assign(document.body.dataset, {
    drawn: images.filter(one => one.complete && one.naturalWidth > 100).length,
    filled: tables.filter(one => one.rows.length > 1).length,
    wide: document.documentElement.scrollWidth > innerWidth + 1,
  });
});
</script></body>"""


@pytest.fixture(scope="module")
def result(audited: Ask) -> ifonly.Audit:
    hostile = pd.Series(["<b>north</b>", "_$south$"] * 40, name="<i>region</i>")
    return audited(groups=hostile, plausible=0.01)


def test_the_report_says_what_was_audited_and_how_to_run_it_again(result: ifonly.Audit) -> None:
    page = result.to_html()
    for word in ("Scope", "sex fixed", "Left out", "burden", "reach", "p after Holm"):
        assert word in page, word
    assert "Where it is worst" in page
    assert "Few actions for everybody" in page
    assert "how usual nearest answers are" in page
    again = re.search(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)
    assert again
    assert unescape(again[1]) == result.record["command"]
    assert result.record["model_fingerprint"] in page


def test_the_call_in_the_report_gives_the_same_audit(
    audited: Ask, lender: Any, rows: pd.DataFrame
) -> None:
    stated = {"groups": ["income"], "cuts": {"income": [30]}, "weights": {"income": 2.0}}
    stated |= {"within": 0.5, "method": Engine(effort="small")}
    result = audited(**stated)
    known = {"ifonly": ifonly, "model": lender, "method": stated["method"]}
    known |= {"rows": rows[["income", "sex"]], "data": rows[["income", "sex"]]}
    other = eval(result.record["command"], known)
    assert other.record["command"] == result.record["command"]
    pd.testing.assert_frame_equal(other.measures, result.measures)
    assert "groups=groups" in audited(groups=rows["region"], k=1).record["command"]


def test_what_is_beyond_chance_is_said_first(audited: Ask, rows: pd.DataFrame) -> None:
    result = audited()
    lead = unescape(re.sub(r"<[^>]+>", "", result.to_html().partition("<nav>")[0]))
    rate = result.by_group.loc["sex", "selection_rate"]
    assert f"{100 * rate['f']:.1f} % (" in lead
    assert "another value of it alone would give the wanted outcome" in lead
    assert result.further.worst["sex"].alarms[0].sentence in lead
    even = audited(groups=rows["region"], k=1)
    assert "No group's curve of costs differs" in even.to_html().partition("<nav>")[0]


def test_nothing_of_the_data_becomes_html_and_nothing_is_fetched(result: ifonly.Audit) -> None:
    page = result.to_html()
    assert "<b>north" not in page
    assert "<i>region" not in page
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert len(page) < 5_000_000


@pytest.mark.skipif(BROWSER is None, reason="no chromium here")
def test_the_report_opens_in_a_browser_with_every_chart_and_table(
    result: ifonly.Audit, tmp_path: Path
) -> None:
    html = result.to_html()
    (tmp_path / "report.html").write_text(html.replace("</body>", LOOK))
    words = [
        *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--enable-logging=stderr", "--virtual-time-budget=20000", "--window-size=1300,2400"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
        (tmp_path / "report.html").as_uri(),
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    seen = dict(re.findall(r'data-(\w+)="([^"]*)"', done.stdout.partition("<body")[2][:2000]))
    assert "failed" not in seen
    assert seen["drawn"] == str(html.count("<img ")) == "1"
    assert seen["filled"] == str(html.count("<table>"))
    assert seen["wide"] == "false"
    assert "CONSOLE" not in done.stderr
