"""A folder of this machine, or of a file system that all workers share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ifonly.scale.stores.store import in_use, writing
from ifonly.scale.stores.whole import ASIDE, Owned, own, sync, write


@dataclass(frozen=True)
class Folder:
    """A folder; it is made where it is not there."""

    place: str

    @property
    def _path(self) -> Path:
        return Path(self.place)

    def names(self) -> list[str]:
        """The names of the files that are there whole."""
        if not self._path.is_dir():
            return []
        return sorted(path.name for path in self._path.iterdir() if not path.name.endswith(ASIDE))

    def read(self, name: str) -> bytes | None:
        """The content of a file; None where there is none."""
        try:
            return (self._path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        """Have a file there: written aside, synced, moved into place."""
        with writing(self.place):
            self._path.mkdir(parents=True, exist_ok=True)
            write(self._path / name, content)

    def append(self, name: str, content: bytes) -> None:
        """Have more at the end of a file, on disk."""
        with writing(self.place), (self._path / name).open("ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def remove(self, name: str) -> None:
        """Have no such file."""
        with writing(self.place):
            (self._path / name).unlink(missing_ok=True)

    @contextmanager
    def owned(self) -> Iterator[None]:
        """While this lasts, no other driver writes here; it ends with the process."""
        with writing(self.place):
            self._path.mkdir(parents=True, exist_ok=True)
            try:
                lock = own(self._path)
            except Owned as error:
                raise in_use(self.place, f"process {error}") from None
            for aside in self._path.glob(f"*{ASIDE}"):  # of one that was killed
                aside.unlink(missing_ok=True)
            sync(self._path)
        try:
            yield
        finally:
            os.close(lock)
