"""The secret of the rows' hashes: a file of its own, never in the store."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from ifonly.errors import FileError, OutputError, absent


def read_key(path: Path, *, create: bool = True) -> bytes:
    """The key of a file; a new one is made where there is none, which only its owner can read.

    Parameters
    ----------
    path
        The file: 64 hexadecimal digits.
    create
        Whether to make it where it is not there.

    Returns
    -------
    bytes
        32 of them.

    Raises
    ------
    FileError
        The file is not there, cannot be read or written, or holds no key.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     key = read_key(Path(folder, "records.key"))
    ...     len(key), read_key(Path(folder, "records.key")) == key
    (32, True)
    """
    try:
        if create and not path.exists():
            _make(path)
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        raise absent(path, "key file") from None
    except OSError as error:
        kind = OutputError if create else FileError
        raise kind(f"The key file {str(path)!r} cannot be used: {error.strerror}.") from None
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise FileError(
            f"The file {str(path)!r} holds no key.", "A key is 64 hexadecimal digits: 0-9, a-f."
        )
    return bytes.fromhex(text)


def _make(path: Path) -> None:
    """Write a new key, whole or not at all: another server may be making one now."""
    own = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{secrets.token_hex(32)}\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(own, path)  # fails where there is one: that one counts
    except FileExistsError:
        return
    finally:
        own.unlink(missing_ok=True)
