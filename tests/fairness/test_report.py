"""The validator's report, as text and in a real browser."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.fairness.report.wording import between
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
    assert f"{100 * rate['f']:.0f} % (" in lead
    assert "another value of it alone would give the wanted outcome" in lead
    assert result.further.worst["sex"].alarms[0].sentence in lead
    even = audited(groups=rows["region"], k=1)
    assert "No group's curve of costs differs" in even.to_html().partition("<nav>")[0]


@pytest.mark.parametrize("sure", [0, 3, 8])
def test_the_worst_subgroups_listed_are_those_counted(audited: Ask, sure: int) -> None:
    result = audited()
    search = result.further.worst["sex"]
    alike = (replace(search.found[0], side=f"side {place}") for place in range(10))
    found = [
        replace(one, adjusted=0.01 if place < sure else 1.0) for place, one in enumerate(alike)
    ]
    further = replace(result.further, worst={"sex": replace(search, found=tuple(found))})
    page = replace(result, further=further).to_html().partition('<section id="worst">')[2]
    told = re.search(r"(\w+) differences? that chance does not explain", page)
    assert told
    assert told[1] == (str(sure) if sure else "no")
    assert re.findall(r"<li>[^<]*(side \d)", page) == [f"side {place}" for place in range(sure)]


def test_each_p_value_says_which_test_it_is_of(audited: Ask) -> None:
    result = audited()
    page = replace(result, tests=result.tests.assign(p_holm=0.006)).to_html()
    lead = unescape(re.sub(r"<[^>]+>", "", page.partition("<nav>")[0]))
    assert "(p = 0.006 by the permutation test of groups, after Holm's correction)" in lead
    assert "corrected for all comparisons of the search for subgroups" in lead


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("burden", (0.00175, 0.00158, 0.118), "0.002 (0.002 to 0.118)"),
        ("burden", (0.172, 0.158, 0.186), "0.172 (0.158 to 0.186)"),
        ("burden", (1.2, 1.1634, 1.2678), "1.20 (1.16 to 1.27)"),
        ("burden", (1234.5, 1100.2, 1400.7), "1234 (1100 to 1401)"),
        ("burden", (0.25, 0.25, 0.25), "0.250 (0.250 to 0.250)"),
        ("burden", (0.4, 0.21, math.inf), "0.40 (0.21 to ∞)"),
        ("burden", (math.inf, math.inf, math.inf), "∞ (∞ to ∞)"),
        ("choice", (279.0, 266.0, 286.0), "279 (266 to 286)"),
        ("reach", (0.43, 0.312, 0.541), "43 % (31 to 54)"),
        ("reach", (0.328, 0.301, 0.355), "32.8 % (30.1 to 35.5)"),
        ("reach", (0.004, 0.0, 0.12), "0.4 % (0.0 to 12.0)"),
        ("reach", (1.0, 1.0, 1.0), "100 % (100 to 100)"),
        ("reach", (0.9963, 0.9908, 1.0), "99.6 % (99.1 to 100.0)"),
        ("reach", (0.881,), "88.1 %"),
        ("reach", (math.nan,), "—"),
    ],
)
def test_a_value_and_its_interval_have_as_many_decimals_as_its_width_needs(
    name: str, values: tuple[float, ...], words: str
) -> None:
    assert between(name, *values) == words


@pytest.mark.parametrize("most", [3e-7, 0.00123, 0.099, 0.85, 1.0, 2.3, 7.4, 48.0, 99999.0])
@pytest.mark.parametrize("skewed", [False, True])
def test_no_labels_of_the_picture_overlap(audited: Ask, most: float, skewed: bool) -> None:
    result = audited()
    budget = most * np.linspace(0.02, 1, 40) ** (4 if skewed else 1)
    share = np.linspace(0, 1, 40)
    lines = {"attribute": "sex", "group": "f", "budget": budget, "share": share}
    drawn = replace(result, curves=pd.DataFrame({**lines, "low": share, "high": share})).plot()
    drawn.draw_without_rendering()
    (axes,) = drawn.axes
    shown = [one for one in axes.get_xticklabels() if 0 <= one.get_position()[0] <= 1.05 * most]
    boxes = [one.get_window_extent() for one in shown]
    assert len(boxes) >= 3
    assert all(a.x1 + 3 < b.x0 for a, b in pairwise(boxes))


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
