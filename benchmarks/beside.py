"""This tree's speed beside that of another commit, in one run.

    .venv/bin/python benchmarks/beside.py REVISION [ROUNDS]

Two processes, one for each tree, prepare the same models and take turns: a batch, then single rows.
CPU seconds on one thread are compared, since a shared machine takes more or less wall-clock time
for the same work.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pandas as pd

from timing import framed

ROOT = Path(__file__).parent.parent
FORMS = ("network", "forest", "xgboost")
ROWS, SINGLES, K = 200, 10, 4


def main(revision: str, rounds: int) -> None:
    """Print a table of medians and ratios."""
    with _checked_out(revision) as other:
        workers = {"before": _worker(other), "now": _worker(ROOT)}
        taken: dict[tuple[str, str, str], list[float]] = {}
        for place in range(rounds + 1):  # the first round warms up
            for form in FORMS:
                for by, worker in workers.items():
                    for what, seconds in _ask(worker, form).items():
                        if place:
                            taken.setdefault((form, what, by), []).append(seconds)
        for worker in workers.values():
            worker.terminate()
    print(f"{'model':10}{'':14}{'before':>10}{'now':>10}{'ratio':>8}   ms, medians of {rounds}")
    for form in FORMS:
        for what in ("row of a batch", "single row", "model call"):
            before, now = (statistics.median(taken[form, what, by]) for by in ("before", "now"))
            print(f"{form:10}{what:14}{1e3 * before:10.3f}{1e3 * now:10.3f}{now / before:8.3f}")


@contextmanager
def _checked_out(revision: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree"
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", path, revision], check=True)
        try:
            yield path
        finally:
            subprocess.run([*git, "remove", "--force", path], check=True)


def _worker(tree: Path) -> subprocess.Popen[str]:
    """A process that times the ifonly of a tree, on one thread."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, str(tree / "benchmarks" / "beside.py"), "--serve"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ask(worker: subprocess.Popen[str], form: str) -> dict[str, float]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(form, file=worker.stdin, flush=True)
    line = worker.stdout.readline()
    if not line:
        raise SystemExit("A worker ended; its own message stands above.")
    answer: dict[str, float] = json.loads(line)
    return answer


def serve() -> None:
    """Time a form for each line of stdin."""
    import ifonly
    from pipelines import fitted
    from published import published

    problem = published("adult")
    asked = {"network": (problem.model, problem.train, problem.rows[:ROWS])}
    for name in FORMS[1:]:
        fit = fitted(name, ROWS)
        asked[name] = (fit.pipeline, fit.train, fit.rows)
    explainers = {
        form: ifonly.Explainer(model, data=train) for form, (model, train, _) in asked.items()
    }
    for line in sys.stdin:
        model, _, rows = asked[line.strip()]
        explain = partial(framed, partial(explainers[line.strip()].explain, k=K))
        times = {
            "row of a batch": seconds(partial(explain, rows)) / ROWS,
            "single row": _median(explain, rows),
            "model call": _median(getattr(model, "predict", len), rows),
        }
        print(json.dumps(times), flush=True)


def seconds(action: Callable[[], object]) -> float:
    """The CPU seconds of one run."""
    start = time.process_time()
    action()
    return time.process_time() - start


def _median(action: Callable[[pd.DataFrame], object], rows: pd.DataFrame) -> float:
    """The seconds of an action on a single row."""
    return statistics.median(seconds(partial(action, rows[i : i + 1])) for i in range(SINGLES))


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9)
