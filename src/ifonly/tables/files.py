"""Tables from files: CSV (also gzipped) and Parquet, by the ending of the name; and rules."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from ifonly.errors import DataError, FileError, MissingExtra, RuleError, absent
from ifonly.rules import Rule, read_rules
from ifonly.space import Space
from ifonly.tables.columns import Words

Content = TypeVar("Content")

ENDINGS = (".csv", ".csv.gz", ".parquet")
CSV = "a CSV file"


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
    columns = read(path, lambda file: _csv(str(path), lambda: file), CSV)
    frame, missing = typed(columns, like, words)
    if missing and say is not None:
        say(f"Read as missing in {path.name}: {'; '.join(missing)}.")
    return frame


def typed(
    columns: pd.DataFrame, like: pd.DataFrame | None = None, words: Words | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """The values of columns of words, read like the training table; what was read as missing."""
    words = words or Words()
    values: dict[str, pd.Series[Any]] = {}
    missing: list[str] = []
    for column in map(str, columns):
        alike = None if like is None or column not in like.columns else like[column]
        values[column], gone = words.read(columns[column], alike)
        each = [f"{repr(word) if word else 'empty'} ({n})" for word, n in gone.items()]
        missing += [f"{column}: {', '.join(each)}"] if each else []
    names, _ = Words().read(columns.index.to_series(), None)
    return pd.DataFrame(values, index=columns.index).set_axis(names, axis=0), missing


def read_rule_file(path: Path, space: Space) -> tuple[Rule, ...]:
    """The rules in a file: one per line, or a list in JSON."""
    text = read(path, lambda file: file.read_text(encoding="utf-8-sig"), "a file of rules")
    try:
        return read_rules(text, space)
    except RuleError as error:
        raise RuleError(f"{str(path)!r}: {error.message}", error.hint) from None


def read_words(content: bytes, name: str, most: int | None) -> pd.DataFrame:
    """The words of a CSV file that came as bytes, or at most `most` lines of it."""
    with _named(name, CSV):
        if not content:
            raise FileError(f"{name!r} is empty.", f"Expected {CSV}.")
        return _csv(name, lambda: BytesIO(content), most)


def read(path: Path, reader: Callable[[Path], Content], kind: str) -> Content:
    """What a reader makes of a file; whatever cannot be read is an error that names the file."""
    if not path.is_file():
        raise absent(path)
    with _named(str(path), kind):
        if not path.stat().st_size:
            raise FileError(f"{str(path)!r} is empty.", f"Expected {kind}.")
        return reader(path)


@contextmanager
def _named(name: str, kind: str) -> Iterator[None]:
    """Whatever cannot be read inside is an error that names the file."""
    try:
        yield
    except (FileError, DataError, MissingExtra):
        raise
    except pd.errors.EmptyDataError:
        raise FileError(f"{name!r} holds no table.", f"Expected {kind}.") from None
    except (OSError, EOFError, ValueError, zlib.error, pd.errors.ParserWarning) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        hint = "Save it as UTF-8." if isinstance(error, UnicodeDecodeError) else ""
        raise FileError(f"{name!r} cannot be read as {kind}: {lines[0]}", hint) from error


def _csv(name: str, source: Callable[[], Any], most: int | None = None) -> pd.DataFrame:
    """The words of a CSV file, none of which is missing; `source` opens it."""
    # pandas renames a column that comes twice, so the header is looked at first.
    encoding = "utf-8-sig"
    head = pd.read_csv(
        source(), header=None, nrows=1, dtype="str", keep_default_na=False, encoding=encoding
    )
    names = head.iloc[0].tolist()
    twice = sorted({one for one in names if names.count(one) > 1})
    if twice:
        raise DataError(
            f"{name!r} has more than one column named {', '.join(map(repr, twice))}.",
            "Give every column a name of its own.",
        )
    if len(names) == 1 and (found := re.search(r"[;\t|]", names[0])):
        raise DataError(
            f"{name!r} has the single column {names[0]!r}.",
            f"Columns are separated by commas, and here it may be {found[0]!r}. Save the file "
            "again with commas, and with points in decimal numbers.",
        )
    with warnings.catch_warnings():
        # Lines longer than the header would lose values with no more than a warning.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            source(),
            dtype="str",
            nrows=most,
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
