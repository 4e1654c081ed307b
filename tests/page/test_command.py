"""`ifonly page` and `ifonly demo --page`: an address with a token, a browser, and a clean end."""

from __future__ import annotations

import json
import os
import signal
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.page.conftest import command, until_file

from ifonly.cli import main


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A small model and its rows, as arguments of the command."""
    frame = pd.DataFrame({"income": [10, 20, 40, 50], "paid": ["no", "no", "yes", "yes"]})
    joblib.dump(LogisticRegression().fit(frame[["income"]], frame["paid"]), tmp_path / "m.joblib")
    frame.to_csv(tmp_path / "train.csv", index=False)
    frame[:2].to_csv(tmp_path / "rows.csv", index=False)
    paths = {"--data": "train.csv", "--rows": "rows.csv"}
    named = [part for name, path in paths.items() for part in (name, str(tmp_path / path))]
    return [str(tmp_path / "m.joblib"), *named, "--outcome", "paid", "--trust-pickle"]


def ask(address: str, path: str, token: str = "") -> Any:
    head = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(address.partition("#")[0] + path, headers=head)
    with urllib.request.urlopen(request) as said:
        return said.read()


def test_the_address_opens_the_page_for_who_has_it(files: list[str], tmp_path: Path) -> None:
    script, seen = tmp_path / "browser", tmp_path / "seen.txt"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part && mv {seen}.part {seen}\n')
    script.chmod(0o755)
    options = ["--row", "1", "--title", "Loans", "--workers", "1"]
    with command("page", *files, *options, BROWSER=f"{script} %s") as (address, process):
        base, _, token = address.partition("#token=")
        assert base.startswith("http://127.0.0.1:")
        assert b"page/page.js" in ask(address, "")
        start = json.loads(ask(address, "page/start", token))
        assert start["rows"] == [{"income": 10}, {"income": 20}]
        assert (start["row"], start["title"]) == (1, "Loans")
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(address, "page/start")
        with refused.value:
            assert refused.value.code == 401
        assert until_file(seen) == address
        process.send_signal(signal.SIGINT)
        said, noted = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, "")
    assert token not in noted
    assert "Traceback" not in noted


def test_what_cannot_be_shown_is_said_before_anything_starts(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["page", *files, "--row", "9", "--no-browser"])
    assert ended.value.code == 2
    assert "row=9" in capsys.readouterr().err


def test_without_the_service_its_extra_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['fastapi'] = None; from ifonly.cli import main; main(sys.argv[1:])"
    )
    run = [sys.executable, "-c", code, "demo", "--page"]
    done = subprocess.run(run, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert done.returncode == 2
    assert "ifonly[serve]" in done.stderr
    assert "Traceback" not in done.stderr
