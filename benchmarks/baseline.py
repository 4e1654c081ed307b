"""The package as it was at an earlier commit, run beside the package of today.

It comes from the history of the clone, and has an environment of its own.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from peers import ask, python

COMMIT = "c3f67908bb397cfa2b808a2bdd1e79e2de43206c"
HERE = Path(__file__).parent


def baseline(
    cells: Sequence[tuple[str, str]], rows: int, k: int, repeats: int
) -> dict[str, dict[str, Any]]:
    """By 'table model': the former default's nearest distances, full rows and milliseconds.

    These are medians of repeats. Beside them the changed features of its `needed` answers.
    """
    with package_of(COMMIT) as source:
        task = {"source": source, "cells": cells, "rows": rows, "k": k, "repeats": repeats}
        return ask("baseline", "baseline_answers", {**task, "benchmarks": str(HERE)})


@contextmanager
def package_of(commit: str) -> Iterator[str]:
    """The folder of the package of a commit, installed from the history of the clone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = partial(subprocess.run, check=True)
        run(["git", "-C", HERE.parent, "archive", "--output", folder / "then.tar", commit])
        (folder / "then").mkdir()
        run(["tar", "-xf", folder / "then.tar", "-C", folder / "then"])
        install = [python("baseline"), "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        run([*install, folder / "lib", folder / "then"])
        yield str(folder / "lib")
