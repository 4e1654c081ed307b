"""Ray: shards as tasks (`on=ray`, `on="ray://..."`), and datasets (`ifonly.scale.ray`)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ifonly.errors import IfonlyError, MissingExtra
from ifonly.scale.on.failures import TRIES, deadly, failure, first, is_death, unreachable
from ifonly.scale.on.frames import FrameTask, check_frame, refuse_repeated
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task

AHEAD = 1000
"""How many tasks Ray is given before the first of them is done."""
BLOCK_ROWS = 1000
"""The rows of a block, once a dataset is cut evenly."""


@dataclass(frozen=True, eq=False)
class Ray:
    """A Ray cluster; each shard is a task.

    Parameters
    ----------
    address
        Of the cluster; '': the one that this process is connected to, or else this machine.
    gpus
        How many devices each task has to itself.
    """

    address: str = ""
    gpus: float = 0

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish."""
        packed = Parcel.of(task)
        with _connected(self.address) as ray:
            parcel = ray.put(packed)
            # Ray would try again for ever where it has ended a worker for its memory.
            call = ray.remote(_called).options(num_cpus=1, num_gpus=self.gpus, max_retries=0)
            left, died, shard = iter(shards), Counter[int](), None
            waiting = {call.remote(parcel, one): one for one in islice(left, AHEAD)}
            try:
                while waiting:
                    (ready,), _ = ray.wait(list(waiting), num_returns=1)
                    shard = waiting.pop(ready)
                    waiting |= {call.remote(parcel, one): one for one in islice(left, 1)}
                    try:
                        result = ray.get(ready)
                    except ray.exceptions.RayError as error:
                        died[shard.index] += 1
                        if not is_death(error):
                            raise
                        if died[shard.index] >= TRIES:
                            raise deadly(shard, TRIES, f"Ray says: {first(str(error))}") from error
                        waiting[call.remote(parcel, shard)] = shard
                        continue
                    yield taken(result)
            except IfonlyError:
                raise
            except ray.exceptions.RayError as error:
                raise failure("Ray", error, sys.executable, shard) from error
            finally:
                for one in waiting:
                    ray.cancel(one, force=True)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """The package ray, connected; what was not connected before is not afterwards."""
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", "ray") from None
    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(address or "local", include_dashboard=False, logging_level="ERROR")
    except Exception as error:
        if address and isinstance(error, OSError | TimeoutError):
            raise unreachable("Ray", address, error) from error
        raise failure("Ray", error, sys.executable) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _called(parcel: Parcel, shard: Shard) -> Any:
    return parcel.called(shard)


def ray(
    dataset: Any,
    explainer: Any,
    *,
    id: str,  # noqa: A002
    even: bool = True,
    check_ids: bool = True,
    gpus: float = 0,
    **question: Any,
) -> Any:
    """The answers to the rows of a Ray dataset, as a Ray dataset.

    Parameters
    ----------
    dataset
        A `ray.data.Dataset`.
    explainer
        An `Explainer`, or a function without parameters that makes one where a worker is.
    id
        The column that tells rows apart.
    even
        Cut the dataset into blocks of 1,000 rows, so that no worker has far more than others.
    check_ids
        Look first for ids that repeat.
    gpus
        How many devices each task has to itself.
    **question
        Options of `Explainer.explain`, the same for every row.

    Returns
    -------
    ray.data.Dataset
        The columns of `ifonly.scale.schema`; computed when it is needed. Ray writes it.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used.
    """
    import pyarrow as pa
    import ray as engine

    check_frame(dataset, "Dataset", "ray.data")
    stated = dataset.schema()
    known = {
        name: isinstance(kind, pa.DataType) and pa.types.is_integer(kind)
        for name, kind in zip(stated.names, stated.types, strict=True)
    }
    task = FrameTask.of(explainer, id, known, question)
    parcel = Parcel.of(task)
    rows = dataset.select_columns(list(dict.fromkeys([id, *task.columns])))
    if check_ids:
        parts = max(1, int(engine.cluster_resources().get("CPU", 1)))  # not Ray's own 200
        counts = rows.select_columns([id]).groupby(id, num_partitions=parts).count()
        twice = counts.map_batches(_repeated, batch_format="pyarrow", batch_size=None).take(3)
        refuse_repeated(id, [one[id] for one in twice])
    if even:
        rows = rows.repartition(target_num_rows_per_block=BLOCK_ROWS)
    return rows.map_batches(
        _answered,
        batch_format="pyarrow",
        batch_size=None,
        fn_kwargs={"parcel": parcel},
        num_gpus=gpus or None,
    )


def _repeated(counts: Any) -> Any:
    """The groups that have more than one row."""
    import pyarrow.compute as pc

    return counts.filter(pc.greater(counts.column("count()"), 1))


def _answered(rows: Any, parcel: Parcel) -> Any:
    return taken(parcel.called(rows))
