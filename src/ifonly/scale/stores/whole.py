"""Files that are there whole or not at all, and folders that one process owns."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ASIDE = ".aside"
"""The ending of a file that is not whole yet."""


def marked(content: bytes) -> str:
    """What tells a content from others, in sixteen hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()[:16]


def write(path: Path, content: bytes) -> None:
    """Write a file whole."""
    with publish(path) as aside:
        aside.write_bytes(content)


@contextmanager
def publish(path: Path) -> Iterator[Path]:
    """Where to write a file, which then takes its place."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}{ASIDE}")  # two may write it
    try:
        yield aside
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
    sync(path.parent)


def sync(folder: Path) -> None:
    """Have the names of a folder on disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class Owned(Exception):
    """Another process owns the folder; its id, as text."""


def own(folder: Path) -> int:
    """The lock of a folder, an open file: it ends with the process.

    Raises
    ------
    Owned
        Another process has it.
    """
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        owner = os.read(lock, 20).decode(errors="replace")
        os.close(lock)
        raise Owned(owner) from error
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    return lock
