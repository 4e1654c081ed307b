"""Run the tutorials and write their pages: `python scripts/write_tutorials.py [NAME ...]`.

A tutorial is docs/tutorials/NAME.py: a notebook as a Python file, whose cells begin with '# %%' or
'# %% [markdown]'. Its page NAME.md has the cells with what they printed, and NAME-1.png, NAME-2.png
for the figures. `--notebooks FOLDER` writes NAME.ipynb there instead, without outputs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "tutorials"
MARK = re.compile(r"^# %%(.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its text, and whether that is code."""

    text: str
    code: bool


@dataclass(frozen=True)
class Output:
    """What a cell printed, and the figure or other object that is its last expression."""

    text: str
    value: Any


def read_cells(path: Path) -> list[Cell]:
    """The cells of a tutorial; what stands before the first mark is no cell."""
    _, *parts = MARK.split(path.read_text(encoding="utf-8"))
    cells = []
    for kind, text in zip(parts[::2], parts[1::2], strict=True):
        code = "[markdown]" not in kind
        text = text if code else re.sub(r"^# ?", "", text, flags=re.MULTILINE)
        cells.append(Cell(text.strip("\n"), code))
    return cells


def run_cells(cells: list[Cell]) -> Iterator[Output]:
    """What each cell gives, run one after the other as a notebook runs them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        printed = io.StringIO()
        value = None
        if cell.code:
            with contextlib.redirect_stdout(printed):
                value = _run(cell.text, names)
        yield Output(printed.getvalue().rstrip(), value)


def write_page(path: Path, cells: list[Cell], outputs: list[Output]) -> str:
    """The page of a tutorial as Markdown; its figures are saved beside it."""
    title, *first = cells[0].text.split("\n", 1)
    source = f"*A notebook as a Python file: [{path.name}]({path.name}). {HOW}*"
    parts = [title, source, *(text.strip("\n") for text in first)]
    figures = 0
    for cell, output in zip(cells[1:], outputs[1:], strict=True):
        parts.append(f"```python\n{cell.text}\n```" if cell.code else cell.text)
        if output.text:
            parts[-1] += f"\n```text\n{output.text}\n```"
        if hasattr(output.value, "savefig"):
            figures += 1
            picture = path.with_name(f"{path.stem}-{figures}.png")
            output.value.savefig(picture, dpi=100, bbox_inches="tight")
            parts.append(f"![{_caption(output.value)}]({picture.name})")
    return "\n\n".join(parts) + "\n"


HOW = "Run it as a script, or cell by cell in an editor that knows `# %%`."


def as_notebook(cells: list[Cell]) -> dict[str, Any]:
    """The same cells as a notebook of Jupyter."""
    return {
        "cells": [
            {
                "id": f"cell-{number}",
                "cell_type": "code" if cell.code else "markdown",
                "metadata": {},
                "source": cell.text,
                **({"outputs": [], "execution_count": None} if cell.code else {}),
            }
            for number, cell in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _caption(figure: Any) -> str:
    """The words of a figure that are written largest."""
    said = [
        one for one in figure.findobj(lambda one: hasattr(one, "get_fontsize")) if one.get_text()
    ]
    return str(max(said, key=lambda one: one.get_fontsize()).get_text())


def _run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, where that is an expression."""
    *statements, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        exec(compile(code, "cell", "exec"), names)
        return None
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def main() -> None:
    """Write the pages, or the notebooks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--notebooks", type=Path, metavar="FOLDER")
    told = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "agg")
    for path in sorted(FOLDER.glob("*.py")):
        if told.names and path.stem not in told.names:
            continue
        cells = read_cells(path)
        if told.notebooks:
            told.notebooks.mkdir(parents=True, exist_ok=True)
            notebook = json.dumps(as_notebook(cells), indent=1)
            (told.notebooks / f"{path.stem}.ipynb").write_text(notebook + "\n", encoding="utf-8")
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            page = write_page(path, cells, list(run_cells(cells)))
        path.with_suffix(".md").write_text(page, encoding="utf-8")
        print(path.stem)


if __name__ == "__main__":
    main()
