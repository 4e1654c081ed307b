"""Every tutorial runs from start to end, and its page shows what it prints."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "tutorials"
TUTORIALS = sorted(FOLDER.glob("*.py"))


@pytest.fixture(scope="module")
def writing() -> ModuleType:
    """The script that runs tutorials and writes their pages."""
    path = ROOT / "scripts" / "write_tutorials.py"
    spec = importlib.util.spec_from_file_location("write_tutorials", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_and_its_page_shows_what_it_prints(
    path: Path, writing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = writing.read_cells(path)
    page = writing.write_page(tmp_path / path.name, cells, list(writing.run_cells(cells)))
    shown = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page == shown, f"run: python scripts/write_tutorials.py {path.stem}"
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", shown):
        assert (FOLDER / picture).is_file()


def test_every_tutorial_is_in_the_list() -> None:
    listed = re.findall(r"\]\(([\w-]+)\.md\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [path.stem for path in TUTORIALS]
