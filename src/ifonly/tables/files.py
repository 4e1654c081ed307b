"""Tables from files: CSV (also gzipped) and Parquet, by the ending of the name; and rules."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from ifonly.errors import DataError, FileError, MissingExtra, RuleError, absent
from ifonly.rules import Rule, read_rules
from ifonly.space import Space
from ifonly.tables.columns import Words

Content = TypeVar("Content")

ENDINGS = (".csv", ".csv.gz", ".parquet")


def read_table(
    path: Path,
    like: pd.DataFrame | None = None,
    words: Words | None = None,
    say: Callable[[str], Any] | None = None,
) -> pd.DataFrame:
    """The table in a file; `like` is the training table, which a CSV file is read like.

    `say` gets a message about what was read as missing.
    """
    name = path.name.lower()
    if not name.endswith(ENDINGS):
        raise FileError(
            f"{path.name!r} is not a table that can be read.", f"Known: {', '.join(ENDINGS)}."
        )
    if name.endswith(".parquet"):
        return read(path, _parquet, "a Parquet file")
    columns, words = read(path, _csv, "a CSV file"), words or Words()
    values: dict[str, pd.Series[Any]] = {}
    missing: list[str] = []
    for column in map(str, columns):
        alike = None if like is None or column not in like.columns else like[column]
        values[column], gone = words.read(columns[column], alike)
        each = [f"{repr(word) if word else 'empty'} ({n})" for word, n in gone.items()]
        missing += [f"{column}: {', '.join(each)}"] if each else []
    if missing and say is not None:
        say(f"Read as missing in {path.name}: {'; '.join(missing)}.")
    names, _ = Words().read(columns.index.to_series(), None)
    return pd.DataFrame(values, index=columns.index).set_axis(names, axis=0)


def read_rule_file(path: Path, space: Space) -> tuple[Rule, ...]:
    """The rules in a file: one per line, or a list in JSON."""
    text = read(path, lambda file: file.read_text(encoding="utf-8-sig"), "a file of rules")
    try:
        return read_rules(text, space)
    except RuleError as error:
        raise RuleError(f"{str(path)!r}: {error.message}", error.hint) from None


def read(path: Path, reader: Callable[[Path], Content], kind: str) -> Content:
    """What a reader makes of a file; whatever cannot be read is an error that names the file."""
    if not path.is_file():
        raise absent(path)
    try:
        if not path.stat().st_size:
            raise FileError(f"{str(path)!r} is empty.", f"Expected {kind}.")
        return reader(path)
    except (FileError, DataError, MissingExtra):
        raise
    except pd.errors.EmptyDataError:
        raise FileError(f"{str(path)!r} holds no table.", f"Expected {kind}.") from None
    except (OSError, EOFError, ValueError, zlib.error, pd.errors.ParserWarning) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise FileError(f"{str(path)!r} cannot be read as {kind}: {lines[0]}") from error


def _csv(path: Path) -> pd.DataFrame:
    """The words of a CSV file, none of which is missing."""
    # pandas renames a column that comes twice, so the header is looked at first.
    encoding = "utf-8-sig"
    head = pd.read_csv(
        path, header=None, nrows=1, dtype="str", keep_default_na=False, encoding=encoding
    )
    names = head.iloc[0].tolist()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"{str(path)!r} has more than one column named {', '.join(map(repr, twice))}.",
            "Give every column a name of its own.",
        )
    if len(names) == 1 and (found := re.search(r"[;\t|]", names[0])):
        raise DataError(
            f"{str(path)!r} has the single column {names[0]!r}.",
            f"Columns are separated by commas, and here it may be {found[0]!r}. Save the file "
            "again with commas, and with points in decimal numbers.",
        )
    with warnings.catch_warnings():
        # Lines longer than the header would lose values with no more than a warning.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            path,
            dtype="str",
            keep_default_na=False,
            # A first column without a name is the index that DataFrame.to_csv wrote.
            index_col=0 if names[0] == "" else False,
            encoding=encoding,
        )
    return frame.fillna("")


def _parquet(path: Path) -> pd.DataFrame:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    return pd.read_parquet(path)
