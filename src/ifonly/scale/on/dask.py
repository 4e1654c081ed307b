"""Dask: shards on the workers of a cluster (`on=client`), and frames (`ifonly.scale.dask`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ifonly.errors import IfonlyError, MissingExtra
from ifonly.scale.on.failures import failure, guarded
from ifonly.scale.on.frames import FrameTask, check_frame, refuse_repeated
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task

UNEVEN = 2.0
"""A partition with so many times the rows of the average is cut."""
GRAPH = {"distributed.admin.large-graph-warning-threshold": "1TB"}
"""An Explainer may be large, and is sent once."""


@dataclass(frozen=True, eq=False)
class Dask:
    """Workers of Dask, which starts dead ones again and gives their shards to others.

    Parameters
    ----------
    client
        A `distributed.Client`, the address of a scheduler, or '' for workers of this machine.
    workers
        How many of them to start.
    """

    client: Any = ""
    workers: int | None = None

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish."""
        parcel = Parcel.of(task)
        with self._connected() as client:
            import dask
            from distributed import as_completed

            with dask.config.set(GRAPH):
                # Not scattered: what the scheduler holds is sent again when every worker has died.
                sent = client.submit(_kept, parcel, pure=False)
                futures = client.map(_called, shards, parcel=sent, pure=False)
            try:
                for future in as_completed(futures):
                    yield taken(future.result())
                    future.release()
            except IfonlyError:
                raise
            except Exception as error:
                raise failure("Dask", error, sys.executable) from error
            finally:
                client.cancel(futures)

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
        own = {"n_workers": self.workers, "threads_per_worker": 1, "dashboard_address": None}
        with guarded("Dask"):
            client = Client(self.client) if self.client else Client(**own)
        with client:
            yield client


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
