"""Files written aside and moved into place, so that nothing is ever half written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ifonly.errors import FileError


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a whole file, or none of it."""
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(aside).chmod(0o666 & ~_umask())
        Path(aside).replace(path)
    except BaseException as error:
        Path(aside).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from error
        raise


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(
        f"{str(path)!r} cannot be written: {error.strerror}.",
        f"Is there a folder {str(path.parent)!r} that you may write to, with room in it?",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
