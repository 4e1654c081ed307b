"""The route `read_table`: the rows of a CSV or Parquet file, and every cell that cannot be used.

Nothing is kept: the rows go back to whoever sent the file, as the other routes take them. A cell is
wrong because of its value alone, so that each distinct value of a column is read once.
"""

from __future__ import annotations

import base64
import binascii
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import WithJsonSchema

from ifonly.contract.columns import read_columns
from ifonly.contract.context import Context
from ifonly.contract.problem import FieldError, Refused
from ifonly.contract.types import SCALAR, Reply, Request, Strict
from ifonly.contract.values import column_codes, key_of, plain
from ifonly.errors import DataError, FileError, nearest
from ifonly.space import Categorical, Feature
from ifonly.tables.columns import Words
from ifonly.tables.files import read_words

LISTED = 1000
"""How many cells with errors are listed, and how many different ones of a column."""
WIDEST = 1000
"""How many columns a table may have beside those of the model."""
GAP = "The value is missing, and the data have no missing values there."
NUMBER_HINT = "Write digits, with a point before decimals and nothing else: 1234.5."

Cells = Annotated[list[Any], WithJsonSchema({"type": "array", "items": SCALAR})]


class ReadTableRequest(Request):
    """A file that somebody uploads."""

    name: str
    """Its name, which ends in .csv or .parquet."""
    content: str
    """Its bytes in base64."""

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """Two rows as CSV."""
        file = io.StringIO()
        lines = csv.writer(file, lineterminator="\n")
        lines.writerows([list(row), list(row.values()), [other[name] for name in row]])
        content = base64.b64encode(file.getvalue().encode()).decode()
        return [{"name": "rows.csv", "content": content}]


class TableColumn(Strict):
    """A column of the table, from the first row to the last."""

    name: str
    known: bool
    """Whether rows of the model have it; any other is shown, and not sent with rows."""
    values: Cells


class CellError(Strict):
    """Why a cell, or a whole column, cannot be used."""

    row: int | None
    """The position of the row, from 0; null: the whole column."""
    column: str
    message: str
    hint: str


class ReadTableReply(Reply):
    """A table by columns, and what is wrong with it."""

    count: int
    """How many rows it has."""
    columns: list[TableColumn]
    errors: list[CellError]
    """The first 1000, in the order of the rows; those of whole columns first."""
    wrong_rows: list[int]
    """The positions of all rows with an error; the others can be asked about."""
    missing: dict[str, dict[str, int]]
    """By column, the words that were read as missing, and how often each stands there."""


def read_table(context: Context, request: ReadTableRequest) -> ReadTableReply:
    """The rows of an uploaded file, and every cell that cannot be used."""
    columns, count = _read(context, request)
    space = context.space
    features = dict(zip(space.names, space.features, strict=True))
    absent = [name for name in _wanted(context) if name not in columns]
    whole = [
        _error(None, name, FieldError("", f"The column {name!r} is absent.", near))
        for name, near in ((name, nearest(name, columns)) for name in absent)
    ]
    wrong = np.full(count, bool(absent))
    found: list[CellError] = []
    for name in (name for name in columns if name in features):
        errors = _errors(features[name], columns[name])
        for rows, error in errors:
            wrong[rows] = True
            found += [_error(row, name, error) for row in rows[:LISTED].tolist()]
        if len(errors) >= LISTED:  # what comes after them was not looked at
            wrong[:] = True
            message = f"More than {LISTED} different values cannot be used."
            hint = "Check that the column holds what its name says."
            whole.append(_error(None, name, FieldError("", message, hint)))
    found.sort(key=lambda one: one.row or 0)
    known = {*space.names, *(one.name for one in space.carry)}
    return ReadTableReply(
        count=count,
        columns=[
            TableColumn(name=name, known=name in known, values=column.cells)
            for name, column in columns.items()
        ],
        errors=[*whole, *found][:LISTED],
        wrong_rows=np.flatnonzero(wrong).tolist(),
        missing={name: one.missing for name, one in columns.items() if one.missing},
    )


@dataclass(frozen=True)
class Column:
    """The distinct values of a column, and which of them each row has."""

    values: list[Any]
    places: np.ndarray
    missing: dict[str, int]

    @cached_property
    def cells(self) -> list[Any]:
        """The value of each row, as JSON has it."""
        shown = [str(v) if plain(v) is None and v is not None else plain(v) for v in self.values]
        return [shown[place] for place in self.places.tolist()]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Column:
        """The column of values of JSON."""
        distinct: dict[Any, int] = {}
        places = [distinct.setdefault(key_of(value), len(distinct)) for value in values]
        return cls([value for _, value in distinct], np.array(places, np.intp), {})


def _wanted(context: Context) -> list[str]:
    """The columns that every row must have."""
    return [*context.space.names, *(one.name for one in context.space.carry if not one.empty)]


def _error(row: int | None, column: str, error: FieldError) -> CellError:
    return CellError(row=row, column=column, message=error.detail, hint=error.hint)


def _errors(feature: Feature, column: Column) -> list[tuple[np.ndarray, FieldError]]:
    """Each error of a column, and the rows [n] that have it."""
    errors: list[FieldError] = []
    values = column.values
    column_codes(feature, values, [str(i) for i in range(len(values))], errors, LISTED)
    order = np.argsort(column.places, kind="stable")
    ends = np.searchsorted(column.places[order], np.arange(len(values) + 1))
    listed = []
    for error in errors:
        place = int(error.field)
        text = isinstance(values[place], str) and not isinstance(feature, Categorical)
        hint = NUMBER_HINT if text and not feature.column.unit else error.hint
        message = GAP if values[place] is None else error.detail
        listed.append((order[ends[place] : ends[place + 1]], FieldError("", message, hint)))
    return listed


def _read(context: Context, request: ReadTableRequest) -> tuple[dict[str, Column], int]:
    """The columns of the file, and how many rows they have."""
    name, most = request.name.lower(), context.limits.batch_rows
    try:
        content = base64.b64decode(request.content, validate=True)
    except (binascii.Error, ValueError):
        message = "This is not base64."
        raise Refused(message, "Send the bytes of the file so.", field="content") from None
    if name.endswith(".parquet"):
        table = read_columns(content, "parquet", most)
        _check_width(context, len(table))
        return {n: Column.of(v) for n, v in table.items()}, len(next(iter(table.values()), ()))
    if not name.endswith(".csv"):
        hint = "Send a file whose name ends in .csv or .parquet."
        raise Refused(f"{request.name!r:.60} is not a table that can be read.", hint, field="name")
    _check_width(context, content.partition(b"\n")[0].count(b",") + 1)
    try:
        words = read_words(content, request.name, most + 1)
    except (FileError, DataError) as error:
        raise Refused(error.message, error.hint, field="content", kind="data") from None
    if len(words) > most:
        hint = f"At most {most} are accepted."
        raise Refused(f"There are more than {most} rows.", hint, field="content", kind="limit")
    return {str(n): _column(context, str(n), words[n]) for n in words}, len(words)


def _check_width(context: Context, columns: int) -> None:
    most = len(context.space) + len(context.space.carry) + WIDEST
    if columns > most:
        hint = f"At most {most} are accepted."
        raise Refused(f"There are {columns} columns.", hint, field="content", kind="limit")


def _column(context: Context, name: str, words: pd.Series[Any]) -> Column:
    """What the words of a column mean: the model's own levels, numbers or dates."""
    places, unique = pd.factorize(words)
    space = context.space
    feature = space.features[space.index(name)] if name in space.names else None
    levels = {name: feature.levels} if isinstance(feature, Categorical) else {}
    like = None if feature is None else pd.Series([0.0] if not feature.column.unit else ["P1D"])
    read, gone = Words(levels=levels).read(pd.Series(unique, name=name), like)
    counts = np.bincount(places, minlength=len(unique)).tolist()
    missing = {word: n for word, n in zip(unique, counts, strict=True) if word in gone}
    known = [v.item() if isinstance(v, np.generic) else v for v in read.to_numpy(object)]
    values = [None if word in gone else v for word, v in zip(unique, known, strict=True)]
    return Column(values, np.asarray(places, np.intp), missing)
