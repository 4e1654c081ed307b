"""Frame to frame: the rows of a table that an engine holds become the table of their answers.

The engine cuts the rows, brings them to workers and keeps what comes back; nothing of ifonly is
written, so that nothing has to be resumed. The schema is known before any row is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ifonly.errors import DataError, OptionError, listed, nearest
from ifonly.explainer import Explainer
from ifonly.scale.fingerprint import check_question, fingerprint_of, record_of
from ifonly.scale.sources.parquet import frame_of
from ifonly.scale.sources.tables import plain
from ifonly.scale.table import answers_table, arrow, schema
from ifonly.scale.task import Asking, Rows
from ifonly.space.table.carry import column_order


@dataclass(frozen=True)
class FrameTask:
    """What a worker makes of the rows that an engine brings it: the table of their answers.

    Parameters
    ----------
    asking
        How they are answered.
    id
        The column that tells rows apart.
    kind
        The Arrow type of the ids: 'int64' or 'string'.
    columns
        The columns of the space.
    schema
        Of every table that comes back, a `pyarrow.Schema`.
    """

    asking: Asking
    id: str
    kind: str
    columns: tuple[str, ...]
    schema: Any

    @classmethod
    def of(
        cls,
        explainer: Explainer | Callable[[], Explainer],
        id_column: str,
        known: Mapping[str, bool],
        question: Mapping[str, Any],
    ) -> FrameTask:
        """The task of a frame with the `known` columns, each with whether it has whole numbers."""
        check_question(question)
        own = explainer if isinstance(explainer, Explainer) else explainer()
        columns = column_order(own.setting.space)
        for name in (id_column, *columns):
            if name not in known:
                raise DataError(f"The frame has no column {name!r}.", nearest(name, known))
        kind = "int64" if known[id_column] else "string"
        fingerprint = fingerprint_of(record_of(own, question))
        asking = Asking(explainer, dict(question), fingerprint)
        return cls(asking, id_column, kind, columns, schema(own, {id_column: kind}))

    def __call__(self, rows: Any) -> Any:
        """The table of the answers to rows, an Arrow table or a pandas frame."""
        pa = arrow()
        if not len(rows):
            self.asking.opened()
            return self.schema.empty_table()
        if isinstance(rows, pd.DataFrame):
            ids, frame = pa.array(rows[self.id]), rows[list(self.columns)]
        else:
            ids, frame = rows.column(self.id), frame_of(rows.select(self.columns))
        own = plain(ids).cast(self.kind)
        if own.null_count:
            raise DataError(
                f"The id column {self.id!r} has no value in {own.null_count} rows.",
                "Give every row an id of its own.",
            )
        parts = self.asking.answered(Rows(frame.reset_index(drop=True), {self.id: own}))
        return pa.concat_tables(answers_table(*part) for part in parts).cast(self.schema)


def refuse_repeated(column: str, repeated: Iterable[Any]) -> None:
    """Refuse ids that repeat: their answers could not be told apart."""
    found = list(repeated)
    if found:
        raise DataError(
            f"Ids in {column!r} repeat, such as {listed(found)}.",
            "Name a column that has another value in each row, or drop the rows that are there "
            "twice. check_ids=False leaves this check out.",
        )


def check_frame(frame: Any, kind: str, engine: str) -> None:
    """Refuse what is no frame of an engine."""
    package, kinds = engine.split(".")[0], type(frame).__mro__
    if not any(one.__name__ == kind and one.__module__.startswith(package) for one in kinds):
        raise OptionError(
            f"The frame is a {type(frame).__module__}.{type(frame).__name__}.",
            f"Give a {kind} of {engine}; ifonly.scale.explain answers files.",
        )
