"""A tutorial as a notebook of Jupyter, run by its kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_tutorial_runs_in_jupyter(tmp_path: Path) -> None:
    reason = "JupyterLab is large: `make lab` installs it"
    nbclient = pytest.importorskip("nbclient", reason=reason)
    nbformat = pytest.importorskip("nbformat", reason=reason)
    script = ROOT / "scripts" / "write_tutorials.py"
    subprocess.run([sys.executable, script, "causes", "--notebooks", tmp_path], check=True)
    notebook = nbformat.read(tmp_path / "causes.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(tmp_path))
    shown = json.dumps([cell.get("outputs") for cell in notebook.cells])
    assert "and what follows is right: True" in shown
