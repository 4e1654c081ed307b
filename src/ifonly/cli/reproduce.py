"""`ifonly reproduce`: the paper's evaluation, run again, with a report of its claims."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ifonly.cli.messages import say, talk
from ifonly.cli.output import deliver
from ifonly.errors import FileError, MissingExtra


class Models(StrEnum):
    """Whose models are explained."""

    OWN = "own"
    PUBLISHED = "published"


class Within(StrEnum):
    """The shape that the local boundary is sampled in."""

    SPHERE = "sphere"
    BOX = "box"


Out = Annotated[Path, typer.Option(help="The folder of results and report.")]
Quick = Annotated[bool, typer.Option("--quick", help="50 rows per data set, k = 1, 4 and 10.")]
Only = Annotated[
    list[str] | None,
    typer.Option(
        help="Cells by name or part of it: 'adult', 'sets/*/DiverseCF/*'. Can be repeated."
    ),
]
Published = Annotated[
    Path | None, typer.Option(help="The folder of the authors' records, to compare with.")
]
Whose = Annotated[Models, typer.Option(help="Models trained here, or the authors' weights.")]
Shape = Annotated[Within, typer.Option(help="Where the local boundary is sampled.")]
Rows = Annotated[int | None, typer.Option(min=1, help="The most rows per data set.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same results.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; by default one per core.")]
Listed = Annotated[bool, typer.Option("--list", help="List the cells without running them.")]


def reproduce(
    *,
    out: Out = Path("reproduction"),
    quick: Quick = False,
    only: Only = None,
    published: Published = None,
    models: Whose = Models.OWN,
    within: Shape = Within.SPHERE,
    rows: Rows = None,
    seed: Seed = 0,
    workers: Workers = None,
    listed: Listed = False,
) -> None:
    """Run the paper's evaluation and write a report of what holds.

    Every cell is kept as it ends: stopped and started again, the run goes on where it was. Exits
    with 0 where every cell has a result, with 3 where some have none.
    """
    # Heavy, and needed by no other command.
    from ifonly.paper import Plan, Store, matrix, run
    from ifonly.paper.report.findings import find
    from ifonly.paper.report.report import write
    from ifonly.paper.runs.machine import machine
    from ifonly.paper.runs.results import Results

    plan = Plan(models=models.value, records=published, within=within.value, seed=seed)
    plan = plan.quick() if quick else plan
    plan = plan if rows is None else replace(plan, rows=rows)
    cells = matrix(plan, only or ())
    if listed:
        deliver("".join(f"{cell.name}\n" for cell in cells), None)
        return
    for package in ("pyarrow", "matplotlib"):  # results and report need them; LIME, its own cells
        if find_spec(package) is None:
            raise MissingExtra(package, "paper")
    _make(out)
    start = time.perf_counter()
    store = Store(out)
    with cells_done() as report:
        ended = run(cells, plan, store, workers=workers, report=report)
    facts = {**machine(), "plan": vars(plan), "seconds": time.perf_counter() - start}
    results = Results.gather(matrix(plan), plan, store, ended)
    path = write(find(plan, results, facts), out)
    failed = [one for one in ended if one.why_not]
    say(f"{len(ended) - len(failed)} of {len(ended)} cells have results. Written: {path}")
    for why in dict.fromkeys(one.why_not for one in failed):
        count = sum(one.why_not == why for one in failed)
        say(f"Not run, {count} cell{'s' if count > 1 else ''}: {why}", style="yellow")
    if failed:
        raise typer.Exit(3)


@contextmanager
def cells_done() -> Iterator[Callable[[Any], None]]:
    """Shows cells done and time left: a bar in a terminal, a line now and then elsewhere."""
    console = talk()
    if not console.is_terminal or console.is_dumb_terminal:
        yield _lines(say)
        return
    columns = (
        TextColumn("{task.fields[cells]}"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", style="dim", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("cells", total=1.0, cells="", last="")

        def report(state: Any) -> None:
            progress.update(
                task,
                completed=state.share,
                cells=f"{state.done} of {state.total} cells",
                last=state.cell.name if state.cell else "",
            )

        yield report


def _lines(say: Callable[[str], None]) -> Callable[[Any], None]:
    """A line for every tenth of the work."""
    start, first, printed = time.perf_counter(), [0.0], [-1]

    def tell(state: Any) -> None:
        if state.cell is None:
            first[0] = state.share
        tenth = int(10 * state.share)
        if tenth > printed[0]:
            printed[0] = tenth
            done, taken = state.share - first[0], time.perf_counter() - start
            left = f", about {taken * (1 - state.share) / done:.0f} s left" if done > 0 else ""
            say(f"{state.done} of {state.total} cells{left}")

    return tell


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{str(folder)!r} cannot be made: {error.strerror}.") from error
