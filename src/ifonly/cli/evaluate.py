"""`ifonly evaluate`: the metrics of saved answers."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ifonly.answers import Answers
from ifonly.cli import tables
from ifonly.cli.output import check_writable, deliver
from ifonly.cli.reading import read
from ifonly.errors import FileError, IfonlyError
from ifonly.metrics import summary


class Format(StrEnum):
    """How metrics are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


Saved = Annotated[Path, typer.Argument(help="Answers saved as JSON.")]
Written = Annotated[Format, typer.Option("--format", help="CSV and JSON have every metric.")]
Out = Annotated[Path | None, typer.Option(help="The file to write, in place of stdout.")]


def evaluate(answers: Saved, *, written: Written = Format.TABLE, out: Out = None) -> None:
    """Measure saved answers: each row, the means over all rows, and over the rows with all k.

    In CSV the means are the two last lines, whose query is 'all' and 'full'.
    """
    check_writable(out)
    saved: Answers = read(answers, _saved, "the JSON of saved answers")
    # Whatever library the rows came in, the command works in pandas.
    per_row = replace(saved, library="pandas").metrics()
    means = summary(per_row, saved.k)
    if written is Format.TABLE:
        deliver(tables.metrics(per_row, means), out)
    elif written is Format.CSV:
        deliver(_csv(per_row, means), out)
    else:
        deliver(_json(per_row, means), out)


def _saved(path: Path) -> Answers:
    content = path.read_text(encoding="utf-8")
    try:
        return Answers.from_json(content)
    except IfonlyError as error:
        raise FileError(f"{str(path)!r}: {error.message}", error.hint) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FileError(
            f"{str(path)!r} holds saved answers that are damaged: {error!r}.", "Save them again."
        ) from error


def _csv(per_row: pd.DataFrame, means: pd.DataFrame) -> str:
    lines = means.drop(index="rows").T.rename_axis("query").reset_index()
    return pd.concat([per_row.astype({"query": object}), lines]).to_csv(index=False)


def _json(per_row: pd.DataFrame, means: pd.DataFrame) -> str:
    def plain(frame: pd.DataFrame, orient: Any) -> Any:
        return json.loads(frame.to_json(orient=orient, double_precision=15))

    content = {"rows": plain(per_row, "records"), **plain(means, "columns")}
    return json.dumps(content, indent=2) + "\n"
