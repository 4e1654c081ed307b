"""Spark: shards as the tasks of a job (`on=session`), and frames (`ifonly.scale.spark`)."""

from __future__ import annotations

import pickle
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

from ifonly.errors import IfonlyError, MissingExtra, OptionError
from ifonly.scale.on.failures import failure
from ifonly.scale.on.frames import FrameTask, check_frame, refuse_repeated
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.shard import Shard
from ifonly.scale.table import arrow
from ifonly.scale.task import Done, Task

EVERY = 0.05
"""The seconds between two looks at what is done."""
WAVES = 4
"""The partitions of an even frame, for each core."""


@dataclass(frozen=True, eq=False)
class Spark:
    """A Spark session; a shard is a partition, tried `spark.task.maxFailures` times.

    Parameters
    ----------
    session
        A `SparkSession`, or the address of a master for a session of our own.
    """

    session: Any = "local[*,4]"

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish.

        A job returns nothing before its end, so that results come through an accumulator, to which
        Spark adds those of each task once.
        """
        packed = Parcel.of(task)
        with _connected(self.session) as context:
            from pyspark import InheritableThread

            parcel = context.broadcast(packed)
            results = context.accumulator([], _Appended())
            group, raised = f"ifonly-{uuid4()}", list[BaseException]()

            def work() -> None:
                context.setJobGroup(group, "ifonly", interruptOnCancel=True)
                rows = context.parallelize(list(shards), max(1, len(shards)))
                try:
                    rows.foreach(lambda shard: results.add([parcel.value.called(shard)]))
                except BaseException as error:
                    raised.append(error)

            thread, seen, going = InheritableThread(target=work, daemon=True), 0, True
            thread.start()
            try:
                while going:
                    going = thread.is_alive()  # looked at first: what comes last is not missed
                    found = results.value[seen:]
                    seen += len(found)
                    yield from map(taken, found)
                    time.sleep(EVERY * going)
                if raised:
                    task_of = re.search(r"Task (\d+) in stage", str(raised[0]))
                    shard = shards[int(task_of[1])] if task_of else None
                    raise failure("Spark", raised[0], sys.executable, shard) from raised[0]
            finally:
                with suppress(Exception):  # a JVM that is gone has cancelled everything
                    context.cancelJobGroup(group)
                    parcel.unpersist()


class _Appended:
    """How Spark adds up lists (its `AccumulatorParam`)."""

    def zero(self, value: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, value: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802
        value += more
        return value


@contextmanager
def _connected(session: Any) -> Iterator[Any]:
    """The context of a session; one of our own ends with the run."""
    if not isinstance(session, str):
        yield context_of(session)
        return
    own = started(session)
    try:
        yield own.sparkContext
    finally:
        own.stop()


def started(master: str) -> Any:
    """A session of our own, whose workers on this machine have the Python of this process."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark") from None
    try:
        quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        session = SparkSession.builder.master(master).config(map=quiet).getOrCreate()
    except Exception as error:
        raise failure("Spark", error, sys.executable) from error
    if master.startswith("local"):
        session.sparkContext.pythonExec = sys.executable
    return session


def context_of(session: Any) -> Any:
    """The context of a session; Spark Connect has none."""
    try:
        return session.sparkContext
    except Exception as error:
        raise no_context(session) from error


def no_context(session: Any) -> OptionError:
    """The error of a session of Spark Connect, to which shards cannot be given."""
    return OptionError(
        f"on={session!r} is Spark Connect, which has no Spark context to run shards with.",
        "Read the rows as a frame of that session: ifonly.scale.spark(spark.read.parquet(...), "
        "explainer, id=...) works there. Or give a classic session, or 'spark://...'.",
    )


def spark(
    frame: Any,
    explainer: Any,
    *,
    id: str,  # noqa: A002
    even: bool = True,
    check_ids: bool = True,
    **question: Any,
) -> Any:
    """The answers to the rows of a Spark frame, as a Spark frame.

    Parameters
    ----------
    frame
        A `pyspark.sql.DataFrame`.
    explainer
        An `Explainer`, or a function without parameters that makes one where a worker is.
    id
        The column that tells rows apart.
    even
        Spread the rows evenly over four partitions per core first: a partition is a task.
    check_ids
        Look first for ids that repeat.
    **question
        Options of `Explainer.explain`, the same for every row.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of `ifonly.scale.schema`; computed when it is needed. Spark writes it.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used, or the workers have another Python.
    """
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import IntegralType

    check_frame(frame, "DataFrame", "pyspark.sql")
    known = {one.name: isinstance(one.dataType, IntegralType) for one in frame.schema.fields}
    task = FrameTask.of(explainer, id, known, question)
    parcel = Parcel.of(task)
    _try_worker(frame.sparkSession, parcel)
    rows = frame.select(*dict.fromkeys([id, *task.columns]))
    if check_ids:
        twice = rows.groupBy(id).count().where("count > 1").limit(3).collect()
        refuse_repeated(id, [one[0] for one in twice])
    if even:
        rows = rows.repartition(_even(frame.sparkSession))
    return rows.mapInArrow(partial(_answered, parcel), from_arrow_schema(task.schema))


def _answered(parcel: Parcel, batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of answers for batches of rows."""
    pa = arrow()
    for batch in batches:
        yield from taken(parcel.called(pa.Table.from_batches([batch]))).to_batches()


def _try_worker(session: Any, parcel: Parcel) -> None:
    """Refuse, before anything long begins, workers that cannot open a parcel."""
    tried = session.range(1).mapInArrow(partial(_tried, parcel), "said binary")
    try:
        said = [pickle.loads(one[0]) for one in tried.collect()]
    except Exception as error:
        raise failure("Spark", error, sys.executable) from error
    for one in said:
        taken(one)


def _tried(parcel: Parcel, batches: Iterator[Any]) -> Iterator[Any]:
    """What a worker says to no rows, pickled."""
    pa = arrow()
    for _ in batches:
        said = parcel.called(())
        error = said if isinstance(said, IfonlyError) else None
        yield pa.RecordBatch.from_pydict({"said": pa.array([pickle.dumps(error)], pa.binary())})


def _even(session: Any) -> int:
    """How many partitions an even frame has."""
    try:
        return WAVES * int(session.sparkContext.defaultParallelism)
    except Exception:  # Spark Connect does not tell
        return int(session.conf.get("spark.sql.shuffle.partitions"))
