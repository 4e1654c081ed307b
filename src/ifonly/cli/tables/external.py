"""Counterfactuals that somebody else made, read from a table for `ifonly evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ifonly.cli.messages import say
from ifonly.errors import DataError, OptionError
from ifonly.metrics import Sets, gather
from ifonly.space import Space
from ifonly.space.table.carry import column_order
from ifonly.space.table.frame import free_name
from ifonly.tables.columns import Words
from ifonly.tables.files import read_table


def read_sets(
    path: Path,
    rows: Path | None,
    data: Path | None,
    *,
    outcome: str = "",
    k: int | None = None,
    target: Any = "opposite",
    words: Words | None = None,
) -> Sets:
    """The counterfactuals of a table, with the rows that they answer and the training rows."""
    if rows is None or data is None:
        raise OptionError(
            f"{path.name!r} is a table: its rows and training rows are needed to measure it.",
            "Give --rows ROWS and --data TRAIN, or evaluate the JSON of saved answers.",
        )
    train = read_table(data, words=words, say=say).drop(columns=outcome, errors="ignore")
    space = Space.infer(train)
    asked = read_table(rows, like=train, words=words, say=say)
    lines = read_table(path, like=train, words=words, say=say)
    query = free_name("query", space.names)
    if query not in lines.columns:
        raise DataError(
            f"{path.name!r} has no column {query!r}.",
            "Add one with the position, from 0, of the row that each line answers.",
        )
    return gather(
        lines[[query, *(name for name in space.names if name in lines.columns)]],
        asked[[name for name in column_order(space) if name in asked.columns]],
        space,
        k=k,
        wanted=target,
    )
