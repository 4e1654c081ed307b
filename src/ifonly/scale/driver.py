"""One run: plan it, give its shards to an engine, write a line for each part; or go on with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ifonly.errors import OptionError, OutputError
from ifonly.explainer import Explainer
from ifonly.scale.fingerprint import check_question, fingerprint_of, record_of
from ifonly.scale.manifest import Manifest
from ifonly.scale.on.engines import runner_of
from ifonly.scale.on.runner import Runner
from ifonly.scale.parts.forms import ArrayForm, ParquetForm
from ifonly.scale.plan import File, Plan
from ifonly.scale.run import Run
from ifonly.scale.shard import Shard, Span, cut, named
from ifonly.scale.sources.arrays import ArrayFiles
from ifonly.scale.sources.ids import check_ids
from ifonly.scale.sources.places import found_files, size_and_mark
from ifonly.scale.stores.place import store_of
from ifonly.scale.stores.store import Store
from ifonly.scale.summary import Summary
from ifonly.scale.table import schema
from ifonly.scale.task import Task
from ifonly.solve.question import check_whole

SHARD_ROWS = 10_000
ARRAY_ROWS = 500_000
"""How many rows a shard has unless somebody says; those of arrays are for devices."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    done
        How many rows are answered, those of earlier runs included.
    rows
        How many there are.
    rows_per_second
        Of this run so far.
    seconds_left
        At this speed; None where it is not known.
    summary
        The summary of the rows that are answered.

    Examples
    --------
    >>> Progress(50, 200, 25.0, 6.0, Summary(50)).seconds_left
    6.0
    """

    done: int
    rows: int
    rows_per_second: float
    seconds_left: float | None
    summary: Summary


def explain(
    explainer: Any,
    source: Any,
    *,
    out: Any,
    on: Any = "local",
    id: str | None = None,  # noqa: A002
    shard_rows: int | None = None,
    workers: int | str = "all",
    progress: Callable[[Progress], Any] | None = None,
    say: Callable[[str], Any] | None = None,
    words: Any = None,
    like: Any = None,
    **question: Any,
) -> Run:
    """Answer all rows of files, shard by shard, into a folder of parts; or go on with it.

    Parameters
    ----------
    explainer
        An `Explainer`, or a function without parameters that makes one where a worker is.
    source
        Parquet, CSV or array files (.npy, codes): a path, a folder, a glob, a URL, or a list.
    out
        The folder of the parts, or a URL of an object store.
    on
        'local'; 'devices', a process for each GPU; a Dask client or 'tcp://...', the package `ray`
        or 'ray://...', a Spark session or 'spark://...'; 'dask', 'ray' or 'spark' for an engine
        that is started here; or a runner of `ifonly.scale.on`.
    id
        The column that tells rows apart; without one, the file and the number of the row do.
    shard_rows
        How many rows are answered and written together.
    workers
        How many local processes; 'all': one per core.
    progress
        Called with a `Progress` after each shard.
    say
        Called with a sentence about what is found damaged.
    words
        How the words of CSV files are read: `ifonly.tables.columns.Words`.
    like
        Some rows of the training table, for CSV files; by default, made from the space.
    **question
        Options of `Explainer.explain`, the same for every row.

    Returns
    -------
    Run

    Raises
    ------
    IfonlyError
        Something cannot be used, read or written, or another run is in the folder.

    Examples
    --------
    >>> import pandas as pd, ifonly, tempfile
    >>> from ifonly import scale
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data.to_parquet(f"{folder}/rows.parquet")
    ...     explainer, out = ifonly.Explainer(rich, data=data), f"{folder}/answers"
    ...     run = scale.explain(explainer, f"{folder}/rows.parquet", out=out, workers=1, k=1)
    ...     run, run.summary.statuses
    (<Run: 3 of 3 rows>, {'found': 3})
    """
    check_question(question)
    if shard_rows is not None:
        check_whole(shard_rows, "shard_rows", least=1)
    own = explainer if isinstance(explainer, Explainer) else _made(explainer)
    store = store_of(out)
    with store.owned():
        known = Plan.read(store)
        cuts: dict[str, Any] = {"id_column": id, "shard_rows": shard_rows}
        plan, shards, read = planned(own, source, question, known, words=words, like=like, **cuts)
        _check_place(plan, known, store)
        if known is None:
            plan.write(store)
        form = ArrayForm() if plan.ending == ".npy" else ParquetForm()
        task = Task(explainer, question, plan.fingerprint, read, store, form)
        _run(task, shards, plan, runner_of(on, workers), progress, say or (lambda _: None))
    return Run(store)


def _run(
    task: Task,
    shards: tuple[Shard, ...],
    plan: Plan,
    runner: Runner,
    progress: Callable[[Progress], Any] | None,
    say: Callable[[str], Any],
) -> None:
    """Have every shard answered and written down."""
    manifest = Manifest.load(task.store)
    for sentence in manifest.keep_intact(shards):
        say(sentence)
    manifest.begin()
    missing = [shard for shard in shards if shard.index not in manifest.lines]
    began, before, told = time.monotonic(), manifest.rows, manifest.summary
    for done in runner.run(task, missing) if missing else ():
        if done.shard in manifest.lines:  # an engine may have tried it twice
            continue
        manifest.add(done)
        told += done.summary
        if progress is not None:
            speed = (told.rows - before) / max(time.monotonic() - began, 1e-6)
            progress(Progress(told.rows, plan.rows, speed, (plan.rows - told.rows) / speed, told))
    lost = [shard.index for shard in shards if shard.index not in manifest.lines]
    if lost:
        raise OutputError(
            f"The engine ended without {len(lost)} of {len(shards)} shards, such as {lost[0]}.",
            "Start the run again: it goes on with what is missing.",
        )
    manifest.finish()


def planned(
    explainer: Explainer,
    source: Any,
    question: Mapping[str, Any],
    known: Plan | None = None,
    *,
    id_column: str | None = None,
    shard_rows: int | None = None,
    words: Any = None,
    like: Any = None,
) -> tuple[Plan, tuple[Shard, ...], Any]:
    """The plan of a run, its shards, and what reads their rows."""
    files = found_files(source)
    arrays = files[0].lower().endswith(".npy")
    if any(file.lower().endswith(".npy") != arrays for file in files):
        raise OptionError("Some files are arrays and others are tables.", "Give one kind.")
    if arrays:
        if id_column is not None:
            raise OptionError(f"id={id_column!r} has no effect: arrays have codes alone.", "")
        read: Any = ArrayFiles(tuple(files))
        counts, spans = read.counts(), lambda span: span
    else:
        read, counts, spans = _tables(explainer, files, id_column, words, like)
    record = record_of(explainer, question)
    default = ARRAY_ROWS if arrays else SHARD_ROWS
    plan = Plan(
        fingerprint_of(record),
        tuple(File(name, rows, *size_and_mark(name)) for name, rows in counts),
        shard_rows or (known.shard_rows if known else default),
        id_column,
        ".npy" if arrays else ".parquet",
        record,
        explainer.setting.space.to_plain(),
    )
    if not plan.rows:
        raise OptionError(f"There are no rows in {files[0]!r}.", "Give at least one.")
    if id_column is not None and known is None:
        check_ids(read, plan.rows)
    cuts = [tuple(map(spans, some)) for some in cut(counts, plan.shard_rows)]
    return plan, named(cuts, plan.fingerprint, plan.ending), read


def _tables(
    explainer: Explainer, files: list[str], id_column: str | None, words: Any, like: Any
) -> tuple[Any, list[tuple[str, int]], Callable[[Span], Span]]:
    """What reads tables, how many rows each has, and where the spans of CSV files are."""
    from ifonly.scale.sources.tables import TableFiles, counted, id_kind, training
    from ifonly.space.table.carry import column_order
    from ifonly.tables.columns import Words

    space = explainer.setting.space
    if id_column is not None:
        schema(explainer, {id_column: "string"})  # an id that is a feature is refused first
    found = counted(files)
    read = TableFiles(
        tuple(files),
        column_order(space),
        id_column,
        training(explainer) if like is None else like,
        words or Words(),
        "string" if id_column is None else id_kind(files, id_column),
    )
    counts = [(f, one if isinstance(one, int) else one.rows) for f, one in found.items()]

    def placed(span: Span) -> Span:
        index = found[span.file]
        return span if isinstance(index, int) else index.span(*span[:3])

    return read, counts, placed


def _check_place(plan: Plan, known: Plan | None, store: Store) -> None:
    """Refuse a place that has another run."""
    if known is not None:
        plan.check(known, store.place)
        return
    parts = [name for name in store.names() if name.endswith((".parquet", ".npy"))]
    other = [name for name in parts if plan.fingerprint not in name]
    if other:
        raise OutputError(
            f"{store.place!r} has files that are not of this run, such as {other[0]!r}.",
            "Give this run a folder of its own.",
        )


def _made(explainer: Any) -> Explainer:
    if not callable(explainer):
        raise OptionError(
            f"The explainer is a {type(explainer).__name__}.",
            "Give an ifonly.Explainer, or a function without parameters that makes one.",
        )
    made = explainer()
    if not isinstance(made, Explainer):
        hint = "It returns an ifonly.Explainer."
        raise OptionError(f"The function of `explainer` made a {type(made).__name__}.", hint)
    return made
