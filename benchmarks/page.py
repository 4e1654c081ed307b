"""The page in a real browser: from an edit to the painted answers."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from playwright.sync_api import Page, sync_playwright
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from pipelines import Fitted, fitted
from record import Record
from service import RULES, network

MODELS = {"network": 120, "xgboost": 120, "logistic": 120, "forest": 200}
"""The most milliseconds of p95, on two idle cores."""
EDITS, WARM = 200, 10
ROWS = 5
EDIT = """async seed => {
    let state = seed;
    const random = n => (state = (state * 48271) % 2147483647) % n;
    // What a frame shows is painted when the first task after it runs.
    const painted = () => new Promise(done => requestAnimationFrame(() => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => done(performance.now());
        port2.postMessage(null);
    }));
    const stage = () => document.querySelector("main section[aria-busy]");
    const until = (name, value) => new Promise(done => {
        const came = () => stage().getAttribute(name) === value;
        if (came()) return done();
        const watch = new MutationObserver(() => { if (came()) { watch.disconnect(); done(); } });
        watch.observe(document.querySelector("main"), {attributes: true, subtree: true});
    });
    const set = document.querySelectorAll("article.card.set").length;
    const locks = [...document.querySelectorAll("article.card button[aria-pressed]:enabled")];
    const mine = locks.filter(one => (one.getAttribute("aria-pressed") === "true") === (set > 1));
    const efforts = [...document.querySelectorAll("article.card .effort input")];
    const most = document.querySelector("section.more select");
    const kind = set > 1 ? 0 : random(4);
    const began = performance.now();
    if (kind === 3) {
        most.selectedIndex = most.selectedIndex === 3 ? 0 : 3;
        most.dispatchEvent(new Event("change", {bubbles: true}));
    } else if (kind > 0 && efforts.length) {
        const one = efforts[random(efforts.length)];
        one.value = String((Number(one.value) + 1 + random(4)) % 5);
        one.dispatchEvent(new Event("input", {bubbles: true}));
    } else if (mine.length) {
        mine[random(mine.length)].click();
    } else {
        document.querySelector("article.card.set .plain, article.card.set button").click();
    }
    await Promise.resolve();
    await new Promise(done => setTimeout(done));
    await until("aria-busy", "false");
    const shown = await painted();
    const short = stage().dataset.seeking === "true";
    await until("data-seeking", "false");
    const done = short ? await painted() : shown;
    return [shown - began, document.querySelectorAll("article.way").length, done - began, short];
}"""


def main(record: Record) -> None:
    """Fill the record."""
    edits = 20 if record.quick else EDITS
    lines, found = [], {}
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder), name) as page:
            taken = np.array([page.evaluate(EDIT, 7919 * (i + 1)) for i in range(edits + WARM)])
        taken = taken[WARM:]
        p50, p95 = (float(one) for one in np.percentile(taken[:, 0], (50, 95)))
        found[name], short = p95, taken[:, 3] > 0
        whole = float(np.median(taken[short, 2])) if short.any() else np.nan
        shares = 100 * np.mean(taken[:, 1] > 0), 100 * short.mean()
        last = float(np.percentile(taken[:, 2], 95))
        lines.append([name, edits, p50, p95, float(taken[:, 0].max()), *shares, whole, last])
    columns = (
        "p50, ms",
        "p95, ms",
        "most, ms",
        "% with ways",
        "% sought on",
        "until then, p50, ms",
        "until the last reply, p95, ms",
    )
    record.table(
        "From an edit to the painted answers, k = 4",
        ("model", "edits", *columns),
        lines,
        "Random edits in Chromium: locks, how hard a change is, the number of changes. The time "
        "runs from the event to the end of the frame that shows the reply. A reply that "
        "is short of ways is shown as it is ('No way found so far' where it has none), and sought "
        "on: 'until then' is the time until that ends, with the reasons where no way is left; the "
        "last column has it for all edits, those that are answered at once among them. "
        "Adult; four rules; browser, server and workers share the machine.",
    )
    for name, most in MODELS.items():
        record.check(
            f"{name}: p95 of at most {most} ms", found[name] <= most, f"{found[name]:.0f} ms"
        )


@contextmanager
def opened(folder: Path, name: str) -> Iterator[Page]:
    """The page about a model in a browser, all cards open, with its first ways."""
    one = _fitted(name)
    paths = [str(folder / file) for file in ("model.joblib", "train.csv", "rows.csv")]
    joblib.dump(one.pipeline, paths[0])
    one.train.to_csv(paths[1], index=False)
    refused = one.rows[one.pipeline.predict(one.rows) == 0]
    refused[:ROWS].to_csv(paths[2], index=False)
    command = ["page", paths[0], "--data", paths[1], "--rows", paths[2], "--row", "0"]
    command += [part for rule in RULES for part in ("--rule", rule)]
    run = [sys.executable, "-m", "ifonly", *command, "--no-browser", "--trust-pickle"]
    chromium = shutil.which("chromium")
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as process:
        try:
            said: Any = re.search(r"http\S+", process.stdout.readline() if process.stdout else "")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox"]
                )
                page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-GB")
                page.goto(said[0])
                page.locator("article.way").first.wait_for(timeout=60_000)
                for card in page.locator("article.card button[aria-expanded]:enabled").all():
                    card.click()
                yield page
                browser.close()
        finally:
            process.send_signal(signal.SIGINT)


def _fitted(name: str) -> Fitted:
    """A model on Adult behind the same encoding."""
    if name == "network":
        return network()
    if name != "logistic":
        return fitted(name, 200)
    one = fitted("xgboost", 200)
    made = make_pipeline(one.pipeline[0], LogisticRegression(max_iter=1000))
    made.fit(one.train, one.outcome)
    return Fitted(**{**vars(one), "name": "logistic", "pipeline": made})
