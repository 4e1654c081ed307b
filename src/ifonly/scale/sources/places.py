"""Files by their paths, folders, globs and URLs; fsspec is asked where a name has '://'."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from ifonly.errors import FileError, MissingExtra, absent

ENDINGS = (".parquet", ".csv", ".csv.gz", ".npy")
EDGE = 2**16
"""So many bytes at both ends of a file tell it from another of the same size."""


def filesystem(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtra("fsspec", "scale") from None
    try:
        found, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise FileError(
            f"{url!r} cannot be opened: {error}",
            "pip install 'ifonly[scale]' for s3://; other stores have packages of their own, such "
            "as gcsfs and adlfs.",
        ) from error
    found.invalidate_cache()
    return found, path


def found_files(source: str | PathLike[str] | Iterable[Any]) -> list[str]:
    """The files that a path, a folder, a glob, a URL or a list of these means, in order."""
    if not isinstance(source, str | PathLike):
        return [file for one in source for file in found_files(one)]
    name = fspath(source)
    remote = "://" in name
    files = _remote(name) if remote else _local(name)
    known = sorted(file for file in files if file.lower().endswith(ENDINGS))
    if not known:
        if not remote and not glob.has_magic(name) and not Path(name).is_dir():
            if not Path(name).exists():
                raise absent(Path(name))
            hint = f"Known: {', '.join(ENDINGS)}."
            raise FileError(f"{name!r} is not a file of rows.", hint)
        raise FileError(f"There are no rows at {name!r}.", f"Known: {', '.join(ENDINGS)}.")
    return known


def _local(name: str) -> Sequence[str]:
    if Path(name).is_dir():
        return [str(path) for path in Path(name).rglob("*") if not _hidden(path, Path(name))]
    if glob.has_magic(name):
        return glob.glob(name, recursive=True)  # noqa: PTH207  names stay as they were written
    return [name] * Path(name).is_file()


def _hidden(path: Path, folder: Path) -> bool:
    return any(part[0] in "._" for part in path.relative_to(folder).parts) or not path.is_file()


def _remote(url: str) -> Sequence[str]:
    files, path = filesystem(url)
    scheme = url.partition("://")[0]
    try:
        names = files.glob(path) if glob.has_magic(path) else files.find(path)
    except OSError as error:
        raise FileError(f"{url!r} cannot be read: {error}", "Is the name right?") from error
    inside = [name.rpartition("/")[2] for name in names]
    return [f"{scheme}://{n}" for n, one in zip(names, inside, strict=True) if one[:1] not in "._"]


def opened(file: str) -> BinaryIO:
    """A file, open for reading."""
    try:
        if "://" not in file:
            return Path(file).open("rb")
        files, path = filesystem(file)
        own: BinaryIO = files.open(path, "rb")
        return own
    except OSError as error:
        if isinstance(error, FileError):
            raise
        said = error.strerror or str(error)
        raise FileError(f"{file!r} cannot be read: {said}.", "Can every worker see it?") from error


def size_and_mark(file: str) -> tuple[int, str]:
    """How many bytes a file has, and what tells it from others: a hash of both its ends."""
    with opened(file) as content:
        head = content.read(EDGE)
        size = content.seek(0, 2)
        content.seek(max(0, size - EDGE))
        mark = hashlib.sha256(head + content.read(EDGE)).hexdigest()[:16]
    return size, mark
