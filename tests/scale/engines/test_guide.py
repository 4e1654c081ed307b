"""The guide 'Millions of rows' runs as it is written; Ray, Spark and Delta Lake in test-cluster."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import CLUSTER

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "millions-of-rows.md"
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.DOTALL)
LARGE = {"Ray", "Spark", "Delta Lake"}


@pytest.mark.filterwarnings("ignore")  # what engines say of pandas 3 and of their own options
def test_the_examples_run_and_print_what_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    ran = []
    for section in GUIDE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.split("\n", 1)[0]
        if (title in LARGE and not CLUSTER) or (title == "Dask" and CLUSTER):
            continue
        for code, shown in EXAMPLE.findall(section):
            capfd.readouterr()
            exec(code, names)
            printed = [line.rstrip() for line in capfd.readouterr().out.splitlines()]
            assert set(shown.splitlines()) <= set(printed), (title, printed)
            ran.append(title)
    assert LARGE & set(ran) == (LARGE if CLUSTER else set())
    assert "Files to files" in ran
