"""`ifonly keys`: the pair of keys that records are signed with and checked by."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ifonly.cli.messages import say
from ifonly.errors import OutputError

Name = Annotated[str, typer.Argument(help="NAME.key and NAME.pub are written.")]


def make_keys(name: Name) -> None:
    """Make a private key, which only its owner can read, and its public key."""
    from ifonly.contract.records.signing import make_keys as made

    files = Path(f"{name}.key"), Path(f"{name}.pub")
    for path in files:
        if path.exists():
            raise OutputError(f"There is a file {str(path)!r} already.", "Give another name.")
    for path, content, mode in zip(files, made(), (0o600, 0o644), strict=True):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except OSError as error:
            raise OutputError(f"{str(path)!r} cannot be written: {error.strerror}.") from None
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    say(f"Sign with {files[0]}, and keep it secret; verify with {files[1]}.")
