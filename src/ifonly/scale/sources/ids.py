"""Ids that repeat are found before any row is answered, without all ids in memory.

Ids that only increase are known to differ after one pass. Otherwise each pass over the id column
looks at the hashes of one bucket, and an id is held only where its hash comes twice.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ifonly.errors import DataError
from ifonly.scale.sources.tables import TableFiles

AT_A_TIME = 32_000_000
"""So many hashes are held at a time, eight bytes each."""
TOLD = 5


def check_ids(source: TableFiles, rows: int) -> None:
    """Refuse ids that repeat, also in other files.

    Raises
    ------
    DataError
        Which ids, and where.
    """
    if _increasing(source):
        return
    buckets = -(-rows // AT_A_TIME)
    for bucket in range(buckets):
        hashes = np.concatenate(
            [
                own[own % buckets == bucket]
                for _, _, ids in source.id_values()
                if len(own := hashed(ids))
            ]
            or [np.empty(0, dtype=np.uint64)]
        )
        hashes.sort()
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        if len(twice):
            _refuse(source, twice)


def _increasing(source: TableFiles) -> bool:
    """Whether each id is greater than the one before it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    last: Any = None
    for _, _, ids in source.id_values():
        if not len(ids):
            continue
        with_last = ids if last is None else pa.concat_arrays([pa.array([last], ids.type), ids])
        if ids.null_count or pc.any(pc.greater_equal(with_last[:-1], with_last[1:])).as_py():
            return False
        last = ids[-1].as_py()
    return True


def hashed(ids: Any) -> np.ndarray:
    """uint64 [n]: the same for equal ids."""
    from pandas.util import hash_array

    values = ids.cast("string") if not _whole(ids) else ids.cast("int64")
    if _whole(ids):
        return np.asarray(hash_array(values.to_numpy(zero_copy_only=False)))
    return np.asarray(hash_array(np.array(values.to_pylist(), dtype=object), categorize=False))


def _whole(ids: Any) -> bool:
    return str(ids.type).startswith(("int", "uint")) and not ids.null_count


def _refuse(source: TableFiles, twice: np.ndarray) -> None:
    """Raise where ids with these hashes are really equal."""
    places: dict[Any, list[str]] = defaultdict(list)
    for file, first, ids in source.id_values():
        for place in np.flatnonzero(np.isin(hashed(ids), twice)).tolist():
            places[ids[place].as_py()].append(f"row {first + place} of {file!r}")
    repeated = {one: where for one, where in places.items() if len(where) > 1}
    if repeated:
        told = "; ".join(
            f"{one!r} in {' and '.join(where[:2])}" for one, where in list(repeated.items())[:TOLD]
        )
        raise DataError(
            f"The ids of {len(repeated)} rows or more in {source.id!r} repeat: {told}.",
            "Give each row an id of its own, or leave `id` out: the file and the number of a row "
            "tell rows apart.",
        )
