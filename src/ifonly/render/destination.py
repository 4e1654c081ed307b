"""Files that are written whole or not at all; pipes and devices that are written to directly."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from ifonly.errors import OutputError


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write content to a path, whatever kind of file it is.

    A regular file has the new content or the old, never a part of either, and keeps its mode and,
    where that is permitted, its owner. A link stays, and its target is written. A pipe, a device
    and an open descriptor (`/dev/stdout`, `/dev/fd/3`) are written to directly.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        old = _stat(path)
        descriptor = _descriptor(path)
        if descriptor is not None:
            _write(os.dup(descriptor), data)
        elif old is None or stat.S_ISREG(old.st_mode):
            _replace(Path(os.path.realpath(path)), data, old)
        else:
            _write(os.open(path, os.O_WRONLY), data)
    except OSError as error:
        raise OutputError(
            f"{str(path)!r} cannot be written: {error.strerror}.",
            f"Is there a folder {str(path.parent)!r} that you may write to, with room in it?",
        ) from error


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _replace(path: Path, data: bytes, old: os.stat_result | None) -> None:
    """Write aside, in the same folder, and move into place."""
    aside = path.with_name(f".ifonly-{secrets.token_hex(8)}")
    try:
        # The mode of a new file is what the umask leaves; nobody else may open a private one.
        mode = 0o666 if old is None else 0o600
        _write(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), data, sync=True)
        if old is not None:
            with suppress(PermissionError):
                os.chown(aside, old.st_uid, old.st_gid)
            aside.chmod(stat.S_IMODE(old.st_mode))
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _write(descriptor: int, data: bytes, *, sync: bool = False) -> None:
    """Write to a descriptor, and close it."""
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(descriptor)


def _descriptor(path: Path) -> int | None:
    """The number of the open descriptor that a path stands for, if any, through links to it."""
    while True:
        # Opened by its path, a descriptor of a file would start at the file's beginning again.
        if os.path.realpath(path.parent) == os.path.realpath("/dev/fd") and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
