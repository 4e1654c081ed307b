"""`make bench` fails where a check does not hold, after everything has been printed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Run a part that makes two checks, of which the second holds or not."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    run, record, report = (import_module(name) for name in ("run", "record", "report"))
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    monkeypatch.setattr(report, "write", lambda: tmp_path / "page.md")

    def ask(holds: bool, *options: str) -> int:
        def main(made: Any) -> None:
            made.check("it is large", True, "9")
            made.check("it is small", holds, "7 of 8")
            made.table("Sizes", ["size"], [[8]])

        monkeypatch.setattr(run, "import_module", lambda _: SimpleNamespace(main=main))
        monkeypatch.setattr(sys, "argv", ["run.py", "speed", *options])
        return int(run.main())

    yield ask
    for name in ("run", "record", "report"):
        sys.modules.pop(name, None)


def test_checks_that_hold_end_with_0(bench: Any) -> None:
    assert bench(True) == 0


def test_a_check_that_does_not_hold_ends_with_1_and_is_named_last(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(False) == 1
    said = capsys.readouterr()
    assert "- **does not hold**: it is small (7 of 8)" in said.out
    assert "### Sizes" in said.out
    assert said.err.splitlines()[-1] == "Does not hold: speed: it is small (7 of 8)"


def test_a_quick_run_decides_nothing(bench: Any) -> None:
    assert bench(False, "--quick") == 0
