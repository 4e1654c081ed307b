"""Dask: shards on the workers of a cluster (`on=client`), and frames (`ifonly.scale.dask`)."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

import pandas as pd

from ifonly.errors import IfonlyError, MissingExtra, ModelError
from ifonly.scale.on.failures import AGAIN, deadly, failure, guarded, unreachable
from ifonly.scale.on.frames import FrameTask, check_frame, refuse_repeated
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task
from ifonly.solve.workers.worker import ONE_THREAD, deaf, environment_kept

SET = ("MALLOC_TRIM_THRESHOLD_", "PYTHONHASHSEED", *ONE_THREAD)
"""What Dask sets in the environment of a process that starts workers, for these."""
UNEVEN = 2.0
"""A partition with so many times the rows of the average is cut."""
GRAPH = {"distributed.admin.large-graph-warning-threshold": "1TB"}
"""An Explainer may be large, and is sent once."""
EVERY = 2.0
"""The seconds after which somebody looks whether there are workers, where no shard finishes."""
OWN = 30.0
"""How many seconds workers that were started here may take to come back."""
ALONE = {"distributed.scheduler.worker-saturation": 1.0}
"""A worker of this machine has no second shard, which would be suspected when it dies."""


@dataclass(frozen=True, eq=False)
class Dask:
    """Workers of Dask, which starts dead ones again and gives their shards to others.

    Parameters
    ----------
    client
        A `distributed.Client`, the address of a scheduler, or '' for workers of this machine.
    workers
        How many of them to start.
    patience
        After so many seconds without any worker, a run ends; 30 for workers of this machine.
    """

    client: Any = ""
    workers: int | None = None
    patience: float = 300.0

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish."""
        parcel = Parcel.of(task)
        with self._connected() as client:
            import dask

            with dask.config.set(GRAPH):
                # Not scattered: what the scheduler holds is sent again when every worker has died.
                sent = client.submit(_kept, parcel, pure=False)
                futures = client.map(_called, shards, parcel=sent, pure=False)
            keys = {future.key: shard for future, shard in zip(futures, shards, strict=True)}
            shard = None
            try:
                for future in self._finished(client, futures):
                    shard = keys[future.key]
                    yield taken(future.result())
                    future.release()
            except NoWorkers as error:
                raise _deserted(client, keys, error.seconds) from None
            except IfonlyError:
                raise
            except Exception as error:
                raise failure("Dask", error, sys.executable, shard) from error
            finally:
                client.cancel(futures)

    def _finished(self, client: Any, futures: Sequence[Any]) -> Iterator[Any]:
        """The futures as they finish; where all workers have been gone for long, an error.

        Dask itself waits for ever, and a nanny whose worker dies while it starts gives up.
        """
        ready, seen = SimpleQueue[Any](), time.monotonic()
        patience = self.patience if self.client else min(self.patience, OWN)
        for future in futures:
            future.add_done_callback(ready.put)
        left = len(futures)
        while left:
            try:
                yield ready.get(timeout=EVERY)
                left, seen = left - 1, time.monotonic()
            except Empty:
                seen = time.monotonic() if client.nthreads() else seen
                if time.monotonic() - seen > patience:
                    raise NoWorkers(time.monotonic() - seen) from None

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """The client that was given, or one of our own."""
        if not isinstance(self.client, str):
            yield self.client
            return
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtra("distributed", "dask") from None
        with environment_kept(SET):
            try:
                client = Client(self.client) if self.client else _started(Client, self.workers)
            except OSError as error:
                raise unreachable("Dask", self.client, error) from error
            with client:
                yield client


class NoWorkers(Exception):
    """There have been no workers for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def _started(kind: Any, workers: int | None) -> Any:
    """A client with workers of this machine, which leave Ctrl-C to this process."""
    import dask

    # Any free port: without one, Dask takes its usual one, which another run may have.
    own = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with guarded("Dask"), deaf(), dask.config.set(ALONE):
        return kind(**own)


def _deserted(client: Any, shards: Mapping[str, Shard], seconds: float) -> IfonlyError:
    """The error of a cluster without workers: they died of a shard, or never came."""
    try:
        counts = client.run_on_scheduler(_deaths, keys=list(shards))
    except Exception:  # a cluster may forbid it
        counts = {}
    none = f"Dask has had no workers for {seconds:.0f} s."
    if counts:
        worst = max(counts, key=lambda key: counts[key])
        return deadly(shards[worst], counts[worst], none)
    return ModelError(
        none,
        f"Are they running, and connected to {client.scheduler.address}? {AGAIN} "
        "`ifonly.scale.on.dask.Dask(client, patience=...)` waits longer.",
    )


def _deaths(dask_scheduler: Any, keys: Sequence[str]) -> dict[str, int]:
    """How many workers have died of each task, of those that any has died of."""
    known = ((key, dask_scheduler.tasks.get(key)) for key in keys)
    return {key: task.suspicious for key, task in known if task is not None and task.suspicious}


def _kept(parcel: Parcel) -> Parcel:
    return parcel


def _called(shard: Shard, parcel: Parcel) -> Any:
    return parcel.called(shard)


def dask(
    frame: Any,
    explainer: Any,
    *,
    id: str,  # noqa: A002
    even: bool = True,
    check_ids: bool = True,
    **question: Any,
) -> Any:
    """The answers to the rows of a Dask frame, as a Dask frame.

    Parameters
    ----------
    frame
        A `dask.dataframe.DataFrame`.
    explainer
        An `Explainer`, or a function without parameters that makes one where a worker is.
    id
        The column that tells rows apart.
    even
        Cut partitions that have far more rows than others; this counts the rows of each first.
    check_ids
        Look first for ids that repeat.
    **question
        Options of `Explainer.explain`, the same for every row.

    Returns
    -------
    dask.dataframe.DataFrame
        The columns of `ifonly.scale.schema`, in Arrow's types; computed when it is needed.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, ifonly
    >>> data = pd.DataFrame({"customer": [7, 8, 9], "income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> explainer = ifonly.Explainer(rich, data=data[["income"]])
    >>> made = ifonly.scale.dask(dd.from_pandas(data, npartitions=2), explainer, id="customer", k=1)
    >>> found = made.compute(scheduler="sync")
    >>> found.loc[found["answer"] == 0, ["customer", "income"]].to_dict("list")
    {'customer': [7, 8, 9], 'income': [41, 41, 40]}
    """
    check_frame(frame, "DataFrame", "dask.dataframe")
    known = {name: pd.api.types.is_integer_dtype(kind) for name, kind in frame.dtypes.items()}
    task = FrameTask.of(explainer, id, known, question)
    if check_ids:
        counts = frame[id].value_counts().compute()
        refuse_repeated(id, counts.index[counts > 1])
    rows = frame[list(dict.fromkeys([id, *task.columns]))]
    meta = _pandas(task.schema.empty_table())
    return (_evened(rows) if even else rows).map_partitions(
        _answered, Parcel.of(task), meta=meta, enforce_metadata=False
    )


def _answered(rows: pd.DataFrame, parcel: Parcel) -> pd.DataFrame:
    return _pandas(taken(parcel.called(rows)))


def _pandas(table: Any) -> pd.DataFrame:
    frame: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def _evened(frame: Any) -> Any:
    """The rows of a frame, where partitions that are far larger than the average are cut."""
    import dask.dataframe as dd
    from dask import delayed

    counts = frame.map_partitions(len).compute().tolist()
    size = max(1, -(-sum(counts) // max(1, len(counts))))
    if max(counts, default=0) <= UNEVEN * size:
        return frame
    parts = [
        delayed(_cut)(part, start, start + size)
        for part, count in zip(frame.to_delayed(), counts, strict=True)
        for start in range(0, count, size)
    ]
    return dd.from_delayed(parts, meta=frame._meta, verify_meta=False)


def _cut(rows: pd.DataFrame, start: int, stop: int) -> pd.DataFrame:
    return rows.iloc[start:stop]
