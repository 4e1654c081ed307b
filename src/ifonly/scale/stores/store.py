"""What a run needs of the place that it writes to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from ifonly.errors import OutputError


class Store(Protocol):
    """A place for files, each of which is there whole or not at all; it travels to workers."""

    @property
    def place(self) -> str:
        """Its name, for messages."""
        ...

    def names(self) -> list[str]:
        """The names of the files that are there whole."""
        ...

    def read(self, name: str) -> bytes | None:
        """The content of a file; None where there is none."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Have a file there, whole, in place of the former one."""
        ...

    def append(self, name: str, content: bytes) -> None:
        """Have more at the end of a file; what was there before is never lost."""
        ...

    def remove(self, name: str) -> None:
        """Have no such file."""
        ...

    def owned(self) -> AbstractContextManager[None]:
        """While this lasts, no other driver writes here."""
        ...


@contextmanager
def writing(place: str) -> Iterator[None]:
    """What cannot be written inside is an error that names the place."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        said = error.strerror or str(error) or type(error).__name__
        raise OutputError(
            f"{place!r} cannot be written: {said}.",
            "Is there room, and may you write there? What is finished is kept: start it again.",
        ) from error


def in_use(place: str, owner: str) -> OutputError:
    """The error of the second of two drivers."""
    return OutputError(
        f"Another run ({owner}) writes to {place!r}.",
        "Wait until it ends, or give this one a folder of its own.",
    )
