"""Every error that ifonly raises on purpose, as one tree.

    IfonlyError
    ├── DataError      (ValueError)    a frame does not fit: columns, levels, missing values, dtypes
    ├── OptionError    (ValueError)    k, seed, weights, method
    ├── TargetError    (ValueError)    the wanted outcome does not exist or does not fit the model
    ├── RuleError      (ValueError)    a rule is not understood, or no row can obey
    ├── ModelError     (RuntimeError)  the model raised, or its output cannot be used
    │   ├── ReadingError               the model disagrees with what was read from it
    │   └── ServiceError               the model is a service that cannot be reached
    ├── MissingExtra   (ImportError)   an optional dependency is not installed
    ├── StoreError     (RuntimeError)  records of decisions cannot be kept or read
    └── FileError      (OSError)       a file cannot be read or trusted
        └── OutputError                a file, pipe or stream cannot be written

Each message says what is wrong with the value that was given; after a blank line, a hint says what
to do. A row without an answer is not an error: it is a `Status`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar


class IfonlyError(Exception):
    """The base of every error that ifonly raises on purpose.

    Parameters
    ----------
    message
        What is wrong, with the value that was given.
    hint
        What to do about it, if there is something.

    Examples
    --------
    >>> print(IfonlyError("There is no feature 'agee'.", "Did you mean 'age'?"))
    There is no feature 'agee'.
    <BLANKLINE>
    Hint: Did you mean 'age'?
    """

    field: str = ""
    """Where the value stands in a request to a server: 'rows[0].income'."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n\nHint: {self.hint}" if self.hint else self.message


class DataError(IfonlyError, ValueError):
    """A frame, a row or a description of features does not fit."""


class OptionError(IfonlyError, ValueError):
    """An option has a value that means nothing."""


class TargetError(IfonlyError, ValueError):
    """The wanted outcome does not exist, or does not fit the kind of model."""


class RuleError(IfonlyError, ValueError):
    """A rule cannot be understood, or the rules cannot hold for any row."""

    place: int | None = None
    """The position in a line of text where it cannot be understood."""


class ModelError(IfonlyError, RuntimeError):
    """The model failed, or returned what no model of its kind returns."""


class PredictionError(ModelError):
    """The model failed on some rows, or returned what cannot be used for them."""

    scores: Any = None
    """[n, c] what it returned, where only some rows cannot be used: NaN or infinite."""


class ReadingError(ModelError):
    """The model is of a kind that can be read, and disagrees with what was read from it."""


class ServiceError(ModelError):
    """The model is a service, and a request to it failed on the way, not because of its rows."""

    passing = False
    """Whether the same request may succeed in a second."""


class MissingExtra(IfonlyError, ImportError):
    """An optional dependency is needed and absent."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"This needs the package {package!r}, which is not installed.",
            f"pip install 'ifonly[{extra}]'",
        )
        self.args = (package, extra)


class StoreError(IfonlyError, RuntimeError):
    """The store of decision records cannot be opened, written or read."""


class FileError(IfonlyError, OSError):
    """A file cannot be read or trusted."""


class OutputError(FileError):
    """A file, a pipe or a stream cannot be written."""


class ModelWarning(UserWarning):
    """What the model says of the training rows makes no sense, so that its answers may not."""


SHARED = (".json", ".txt", ".toml", ".md")
"""Endings that files of many kinds have: such a file is named only where its name is near."""


def absent(path: Path, kind: str = "file", endings: Iterable[str] = ()) -> FileError:
    """The error for a file that is not there; the hint names those beside it that may be meant.

    `endings` are those that such a file can have. Without them any file may be meant whose name is
    near, and otherwise those with the same ending.
    """
    if path.is_dir():
        hint = "It is a folder."
    elif not path.parent.is_dir():
        hint = f"There is no folder {str(path.parent)!r} either."
    else:
        ends = set(endings)
        beside = sorted(one.name for one in path.parent.iterdir() if one.is_file())
        alike = [name for name in beside if not ends or Path(name).suffix.lower() in ends]
        telling = (ends or {path.suffix.lower()}) - {"", *SHARED}
        sure = [name for name in beside if Path(name).suffix.lower() in telling]
        place = "The folder" if path.parent == Path() else f"The folder {str(path.parent)!r}"
        none = f"{place} has no {kind} of a similar name."
        near = difflib.get_close_matches(path.stem, [Path(name).stem for name in alike], n=1)
        meant = [name for name in alike if Path(name).stem in near]
        hint = close(path.name, meant) or (f"{place} has {listed(sure)}." if sure else none)
    return FileError(f"There is no {kind} {str(path)!r}.", hint)


P = ParamSpec("P")
R = TypeVar("R")
REMOVED = {
    "minimal": "Every change is needed by default; method=Engine(needed=False, tight=False) is the "
    "former choice."
}
"""What to do in place of options that there no longer are."""
OF_SPACE = {"ordinal", "labels", "sparsity", "precision", "one_hot", "thousands"}
OF_SPACE |= {"fillable", "erasable", "carry"}
"""The options of `Space.infer` alone."""


def options(function: Callable[P, R]) -> Callable[P, R]:
    """The function; an option that it does not have is an `OptionError` with the nearest name."""
    known = [name for name in signature(function).parameters if name != "self"]

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                hint = REMOVED.get(name) or _of_space(name, known) or nearest(name, known)
                raise OptionError(f"There is no option {name!r}.", hint)
        return function(*args, **kwargs)

    return checked


def _of_space(name: str, known: Iterable[str]) -> str:
    """The hint for an option of the space; nothing for others."""
    if name not in OF_SPACE:
        return ""
    where = "Give" if "space" in known else "Give ifonly.Explainer"
    return f"It belongs to the space. {where} space=ifonly.Space.infer(data, {name}=...)."


def check_flag(value: object, name: str) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise OptionError(f"{name} is {value!r}.", "It is True or False.")


def nearest(name: object, known: Iterable[object]) -> str:
    """The hint that names the nearest known name, or lists what is known."""
    names = list(known)
    return close(name, names) or f"Known: {listed(names)}."


def close(name: object, known: Iterable[object]) -> str:
    """The hint that names the nearest known name; nothing where none is near.

    >>> close("agee", ["age", "job"]), close("pay", ["age", "job"])
    ("Did you mean 'age'?", '')
    """
    names = {str(other): other for other in known}
    found = difflib.get_close_matches(str(name), names, n=1)
    return f"Did you mean {names[found[0]]!r}?" if found else ""


def listed(known: Iterable[object]) -> str:
    """The first of what is known, as Python writes it.

    >>> listed([0, 1]), listed(["no", "yes"])
    ('0, 1', "'no', 'yes'")
    """
    names = [repr(other) for other in known]
    return ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
