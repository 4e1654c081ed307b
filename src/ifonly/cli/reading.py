"""Tables from files: CSV (also gzipped) and Parquet, by the ending of the name; and rules."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from ifonly.errors import DataError, FileError, MissingExtra, RuleError, nearest
from ifonly.rules import Rule, read_rules
from ifonly.space import Space

Content = TypeVar("Content")

ENDINGS = (".csv", ".csv.gz", ".parquet")


def read_table(path: Path, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """The table in a file.

    A CSV file does not say what its columns hold. Where `like` has text, the file's column is read
    as text too, so that the level '10' of a few rows does not become a number.
    """
    name = path.name.lower()
    if not name.endswith(ENDINGS):
        raise FileError(
            f"{path.name!r} is not a table that can be read.", f"Known: {', '.join(ENDINGS)}."
        )
    if name.endswith(".parquet"):
        return read(path, _parquet, "a Parquet file")
    text = {} if like is None else {c: "str" for c in like.columns if _is_text(like[c])}
    return read(path, lambda file: _csv(file, text), "a CSV file")


def read_rule_file(path: Path, space: Space) -> tuple[Rule, ...]:
    """The rules in a file: one a line, or a list in JSON."""
    text = read(path, lambda file: file.read_text(encoding="utf-8-sig"), "a file of rules")
    try:
        return read_rules(text, space)
    except RuleError as error:
        raise RuleError(f"{str(path)!r}: {error.message}", error.hint) from None


def read(path: Path, reader: Callable[[Path], Content], kind: str) -> Content:
    """What a reader makes of a file; whatever cannot be read is an error that names the file."""
    if not path.is_file():
        raise FileError(f"There is no file {str(path)!r}.", _beside(path))
    try:
        if not path.stat().st_size:
            raise FileError(f"{str(path)!r} is empty.", f"{kind.capitalize()} is wanted.")
        return reader(path)
    except (FileError, DataError, MissingExtra):
        raise
    except pd.errors.EmptyDataError:
        raise FileError(
            f"{str(path)!r} holds no table.", f"{kind.capitalize()} is wanted."
        ) from None
    except (OSError, EOFError, ValueError, zlib.error, pd.errors.ParserWarning) as error:
        told = str(error).strip().splitlines() or [type(error).__name__]
        raise FileError(f"{str(path)!r} cannot be read as {kind}: {told[0]}") from error


def _csv(path: Path, dtype: Mapping[str, str]) -> pd.DataFrame:
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
    with warnings.catch_warnings():
        # Lines longer than the header would lose values with no more than a warning.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(
            path,
            dtype={name: kind for name, kind in dtype.items() if name in names},
            # A first column without a name is the index that DataFrame.to_csv wrote.
            index_col=0 if names[0] == "" else False,
            low_memory=False,
            encoding=encoding,
        )


def _parquet(path: Path) -> pd.DataFrame:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    return pd.read_parquet(path)


def _is_text(series: pd.Series[Any]) -> bool:
    known = series.dropna()
    return bool(len(known)) and all(isinstance(value, str) for value in known)


def _beside(path: Path) -> str:
    """The hint for a file that is not there."""
    if not path.parent.is_dir():
        return f"There is no folder {str(path.parent)!r} either."
    if path.is_dir():
        return "It is a folder."
    return nearest(path.name, [other.name for other in path.parent.iterdir() if other.is_file()])
