"""`ifonly demo`, as a stranger runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("ifonly")


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed command in a process of its own."""
    return subprocess.run(
        [str(COMMAND), *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture(scope="module")
def shown() -> subprocess.CompletedProcess[str]:
    return command("demo", COLUMNS="80")


def test_it_ends_well_and_talks_on_stderr(shown: subprocess.CompletedProcess[str]) -> None:
    assert shown.returncode == 0
    assert shown.stderr == "Training a logistic regression on the bundled Adult data …\n"


def test_it_shows_four_answers_as_a_table_and_as_sentences(
    shown: subprocess.CompletedProcess[str],
) -> None:
    assert shown.stdout.count("If only") == 4
    lines = re.findall(r"^ +[1-4]   \w.* 0\.\d\d +\d\.\d\d$", shown.stdout, flags=re.MULTILINE)
    assert len(lines) == 4


def test_it_shows_the_applicant_and_the_scores_before_and_after(
    shown: subprocess.CompletedProcess[str],
) -> None:
    assert "hours_per_week  45" in shown.stdout
    before, *after = re.findall(r"0\.\d\d", shown.stdout.partition("The score before:")[2])
    assert float(before) < 0.5
    assert len(after) == 4
    assert all(float(score) >= 0.5 for score in after)


def test_the_readme_shows_what_it_prints(shown: subprocess.CompletedProcess[str]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    block = readme.partition("$ make demo\n")[2].partition("```")[0].split()
    printed = shown.stdout.split()
    first = block.index("In")  # the words; the applicant before them, the table between
    for part in (block[:first], block[first:]):
        start = printed.index(part[0], printed.index("In") if part[0] == "In" else 0)
        assert printed[start : start + len(part)] == part


def test_it_says_where_to_go_next(shown: subprocess.CompletedProcess[str]) -> None:
    assert "ifonly explain --help" in shown.stdout
    assert "docs/how-it-works.md" in shown.stdout


def test_it_fits_80_columns_and_leaves_no_space_at_the_end_of_a_line(
    shown: subprocess.CompletedProcess[str],
) -> None:
    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert "\x1b" not in shown.stdout


def test_it_is_the_same_every_time_and_whatever_the_locale(
    run: Any, shown: subprocess.CompletedProcess[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run("demo").out == shown.stdout
    assert command("demo", COLUMNS="80", PYTHONIOENCODING="ascii").stdout == shown.stdout


def test_the_version_is_one_line(run: Any) -> None:
    ran = run("--version")
    assert (ran.code, ran.out) == (0, f"ifonly {version('ifonly')}\n")


def test_every_command_has_help(run: Any) -> None:
    for name in ("demo", "explain", "evaluate"):
        ran = run(name, "--help")
        assert ran.code == 0
        assert f"Usage: ifonly {name}" in ran.out
