"""The user's own index: what the rows of a pandas frame are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import RuleError, nearest
from ifonly.space.table.frame import Frame


def index_of(rows: Any, q: int) -> tuple[Any, ...]:
    """The labels of q rows, or their positions; one row of several levels has a tuple.

    >>> index_of(pd.DataFrame({"age": [30, 40]}, index=["ann", "bob"]), 2)
    ('ann', 'bob')
    """
    index = _own(rows)
    return tuple(range(q)) if index is None else tuple(index.tolist())


def index_names(rows: Any) -> list[Any] | None:
    """The names of the levels of an index; None where it only counts the rows.

    >>> index_names(pd.DataFrame({"age": [30, 40]})), index_names(pd.Series({"age": 1}, name="ann"))
    (None, [None])
    """
    index = _own(rows)
    if index is None or (index.names == [None] and index.equals(pd.RangeIndex(len(index)))):
        return None
    return list(index.names)


def with_index(frame: Frame, names: list[Any] | None, labels: list[Any]) -> Frame:
    """A frame, new, whose lines have these labels; as it is where there are no names."""
    if names is None:
        return frame
    if len(names) > 1:
        frame.index = pd.MultiIndex.from_tuples(labels, names=names)
    else:
        frame.index = pd.Index(labels, name=names[0], tupleize_cols=False)
    return frame


def positions_of(named: Iterable[Any], index: Sequence[Any]) -> dict[Any, list[int]]:
    """The positions of rows that a user names, each by its position or by a label of the index.

    A whole number in the range of the positions is a position, whatever the labels are.

    >>> positions_of([0, "bob"], ["ann", "bob"])
    {0: [0], 'bob': [1]}
    """
    labels: dict[Any, list[int]] = {}
    for place, label in enumerate(index):
        labels.setdefault((isinstance(label, bool), label), []).append(place)
    found: dict[Any, list[int]] = {}
    for row in named:
        whole = isinstance(row, int | np.integer) and not isinstance(row, bool)
        places = [int(row)] if whole and 0 <= row < len(index) else None
        places = places or labels.get((isinstance(row, bool), row))
        if places is None:
            words = [label for label in index if isinstance(label, str | tuple)]
            near = f" {nearest(row, words)}" if words and not whole else ""
            raise RuleError(
                f"row_rules names row {row!r}.",
                f"Name rows by their position, from 0 to {len(index) - 1}, or by a label of the "
                f"index.{near}",
            )
        found[row] = places
    return found


def _own(rows: Any) -> pd.Index[Any] | None:
    if isinstance(rows, pd.Series):
        return None if rows.name is None else pd.Index([rows.name], tupleize_cols=False)
    index = getattr(rows, "index", None)
    return index if isinstance(index, pd.Index) else None
