"""An object store, by fsspec: a part is one put, and the lock an object that only one can create.

A lock that is an object does not end with its process, so its owner renews it. Locks are numbered:
whoever finds the last one given back, or not renewed for `LEASE` seconds, creates the next number,
and of two who try, the store lets one. No clock is compared with that of another machine.
"""

from __future__ import annotations

import inspect
import json
import os
import platform
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ifonly.errors import FileError, OutputError
from ifonly.scale.sources.places import filesystem
from ifonly.scale.stores.store import in_use, writing

RENEW = 3.0
LEASE = 15.0
"""How often a lock is renewed, and after how long without it its owner is taken for dead, in s."""
EVERY = 5.0
"""How often the manifest, which an object store cannot append to, is put at most, in seconds."""


@dataclass(frozen=True)
class Objects:
    """Objects under a URL, such as s3://bucket/answers.

    Parameters
    ----------
    place
        The URL.
    """

    place: str
    _pending: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was appended to an object, and when it was last put."""

    def names(self) -> list[str]:
        """The names of the objects."""
        files, path = self._files
        with suppress(FileNotFoundError):
            found = files.find(path)
            return sorted(name.removeprefix(f"{path}/") for name in found)
        return []

    def read(self, name: str) -> bytes | None:
        """The content of an object; None where there is none."""
        files, path = self._files
        try:
            content: bytes = files.cat_file(f"{path}/{name}")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FileError(f"{self.place!r} cannot be read: {error}", "Try again.") from error
        return content

    def write(self, name: str, content: bytes) -> None:
        """Put an object: others see the former one, or this one whole."""
        files, path = self._files
        self._pending.pop(name, None)
        with writing(self.place):
            files.pipe_file(f"{path}/{name}", content)

    def append(self, name: str, content: bytes) -> None:
        """Put an object with more at its end, at most every few seconds.

        What was not put before a driver dies are lines about parts, which are made again.
        """
        pieces, put = self._pending.get(name) or ([self.read(name) or b""], 0.0)
        pieces.append(content)
        if time.monotonic() - put >= EVERY:
            self.write(name, b"".join(pieces))
            put = time.monotonic()
        self._pending[name] = pieces, put

    def remove(self, name: str) -> None:
        """Have no such object."""
        files, path = self._files
        with writing(self.place), suppress(FileNotFoundError):
            files.rm_file(f"{path}/{name}")

    @contextmanager
    def owned(self) -> Iterator[None]:
        """While this lasts, no other driver writes here."""
        lock = self._create()
        stop, lost = threading.Event(), threading.Event()
        beat = threading.Thread(target=self._renew, args=(lock, stop, lost), daemon=True)
        beat.start()
        try:
            yield
        finally:
            stop.set()
            beat.join()
            if not lost.is_set():
                self.write(_name(lock), _said(over=True))
        if lost.is_set():
            raise in_use(self.place, "which took over, since this one did not renew its lock")

    @property
    def _files(self) -> tuple[Any, str]:
        return filesystem(self.place)

    def _locks(self) -> list[int]:
        names = [name for name in self.names() if name.startswith("lock-")]
        return sorted(int(name.removeprefix("lock-")) for name in names)

    def _create(self) -> int:
        """The number of a lock of our own; the objects of former ones are removed."""
        former = self._locks()
        last = former[-1] if former else 0
        if former:
            self._wait_for(last)
        if not self._put_new(_name(last + 1)):
            raise in_use(self.place, "which began at the same time")
        if self._put_new(_name(last + 1)):  # the store lets anybody create what is there
            raise OutputError(
                f"{self.place!r} is in a store that cannot create an object only where there is "
                "none, so that two runs could write there at once.",
                "Write to a store that can (such as S3 and what speaks its If-None-Match), or to a "
                "folder.",
            )
        for number in former:
            self.remove(_name(number))
        return last + 1

    def _wait_for(self, number: int) -> None:
        """Return when the owner of a lock has given it back, or has not renewed it for long."""
        first = self.read(_name(number))
        end = time.monotonic() + LEASE
        while first is not None and not json.loads(first)["over"]:
            if time.monotonic() >= end:
                return
            time.sleep(RENEW / 4)
            now = self.read(_name(number))
            if now is not None and now != first and not json.loads(now)["over"]:
                raise in_use(self.place, json.loads(now)["owner"])
            first = now if now is None or json.loads(now)["over"] else first

    def _put_new(self, name: str) -> bool:
        """Whether an object was created, which was not there before."""
        files, path = self._files
        if (
            "mode"
            not in inspect.signature(
                files._pipe_file if files.async_impl else files.pipe_file
            ).parameters
        ):
            files.pipe_file(f"{path}/{name}", _said())
            return True
        try:
            with writing(self.place):
                files.pipe_file(f"{path}/{name}", _said(), mode="create")
        except OutputError as error:
            if isinstance(error.__cause__, FileExistsError):
                return False
            raise
        return True

    def _renew(self, lock: int, stop: threading.Event, lost: threading.Event) -> None:
        while not stop.wait(RENEW):
            with suppress(OSError):  # it may work the next time; the lease is longer
                # Not a list of all names: there may be as many parts as a list has pages.
                if self.read(_name(lock + 1)) is not None or self.read(_name(lock)) is None:
                    lost.set()
                    return
                self.write(_name(lock), _said())


def _name(number: int) -> str:
    return f"lock-{number:06}"


def _said(*, over: bool = False) -> bytes:
    """What a lock says: who has it, and something new each time."""
    owner = f"process {os.getpid()} of {platform.node()}"
    return json.dumps({"owner": owner, "over": over, "beat": secrets.token_hex(8)}).encode()
