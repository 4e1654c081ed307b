"""One job, which is a folder: every file of it is written whole, so that it may end at any instant.

    job.json            who asks what, and how it goes
    rows.jsonl          the rows, one per line
    START-END-HASH.part the answers to these rows, with their decision records
    result.parquet      all answers, in place of the rows and the parts

Rows that no part has an answer to are yet to be asked; nothing else says how far the job is.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.scale.stores.whole import marked, sync, write
from ifonly.serve.jobs.table import read_part

FIRST, PART_SECONDS = 10, 1.0
"""The rows of the first part, and how long a part is to take."""
OPEN, ENDED = ("queued", "running"), ("stopped", "failed", "done")
"""The states of a job that goes on, and of one whose result waits; then it is 'fetched'."""


@dataclass(frozen=True)
class Stated:
    """What `job.json` has."""

    id: str
    token: str
    """The name of who asked: nobody else knows the job."""
    model: str
    options: dict[str, Any]
    """The request without its rows."""
    sight: dict[str, Any]
    rows: int
    columns: dict[str, str]
    """The columns of the result that are those of rows, with their types."""
    prediction: str
    most: int
    """The most rows of a part."""
    fingerprints: dict[str, str]
    created: float
    key: str = ""
    request_hash: str = ""
    state: str = "queued"
    reason: str = ""
    done: int = 0
    statuses: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """The file of the answers to some rows."""

    path: Path
    start: int
    end: int
    statuses: dict[str, int]


@dataclass(eq=False)
class Job:
    """A job, and what is known of it while the server runs."""

    folder: Path
    stated: Stated
    parts: dict[int, Part] = field(default_factory=dict)
    asked: dict[int, int] = field(default_factory=dict)
    """The rows that are being answered now: where they start and end."""
    asks: set[Any] = field(default_factory=set)
    size: int = FIRST
    spent: list[tuple[float, int]] = field(default_factory=list)
    """When the last parts were ready, and of how many rows."""
    unrecorded: set[int] = field(default_factory=set)
    """The parts whose decision records are not yet in the store, by their starts."""
    pause: float = 0.0
    waits_until: float = 0.0
    waits_for: str = ""
    """Why it is left alone: a disk without room need not hold this."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    claiming: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while rows are claimed, until it is known how far they reach."""
    finishing: bool = False
    stream: Any = None
    """A weak reference to what sends the result; it dies with it, even if it never began."""

    @classmethod
    def load(cls, folder: Path) -> Job:
        """The job of a folder; a part that is damaged is deleted, and its rows are asked again."""
        job = cls(folder, Stated(**json.loads((folder / "job.json").read_bytes())))
        for path in folder.glob("*.aside"):
            path.unlink()
        for path in sorted(folder.glob("*.part")):
            start, end, mark = path.stem.split("-")
            content = path.read_bytes()
            if marked(content) == mark:
                job.parts[int(start)] = Part(path, int(start), int(end), read_part(content)[1])
            else:
                path.unlink()
        return job

    @property
    def going(self) -> bool:
        """Whether rows are to be asked."""
        return self.stated.state in OPEN

    @property
    def fetching(self) -> bool:
        """Whether somebody is fetching the result."""
        return self.stream is not None and self.stream() is not None

    @property
    def overdue(self) -> bool:
        """Whether it has ended, or all of it is answered, and its result is not there yet."""
        if self.stated.state in ENDED:
            return not (self.folder / "result.parquet").exists()
        return self.going and self.claim() is None

    @property
    def ended_at(self) -> float:
        """When something about it was stated last."""
        with suppress(FileNotFoundError):
            return (self.folder / "job.json").stat().st_mtime
        return 0.0

    @property
    def done(self) -> int:
        """How many rows are answered."""
        return sum(part.end - part.start for part in self.parts.values()) or self.stated.done

    def progress(self) -> dict[str, Any]:
        """How far it is, for the one who asked."""
        stated, done = self.stated, self.done
        statuses = sum((Counter(part.statuses) for part in self.parts.values()), Counter())
        speed = None
        if self.going and len(self.spent) > 1:
            took = max(self.spent[-1][0] - self.spent[0][0], 1e-3)
            speed = sum(rows for _, rows in self.spent[1:]) / took
        left = (stated.rows - done) / speed if speed else None
        return {
            "id": stated.id,
            "model": stated.model,
            "state": "running" if self.overdue and stated.state in ENDED else stated.state,
            "reason": stated.reason or (self.waits_for if self.going else ""),
            "created": stated.created,
            "rows": stated.rows,
            "done": done,
            "rows_per_second": None if speed is None else round(speed, 3),
            "seconds_left": None if left is None else round(left, 1),
            "statuses": dict(statuses) or stated.statuses,
            "fingerprints": stated.fingerprints,
        }

    def state(self, *, only_from: Sequence[str] = (), **changes: Any) -> bool:
        """Change what is stated and have it on disk; where it is in another state, do nothing."""
        with self.lock:
            if only_from and self.stated.state not in only_from:
                return False
            stated = replace(self.stated, **changes)
            write(self.folder / "job.json", json.dumps(asdict(stated)).encode())
            self.stated = stated
            return True

    def claim(self) -> tuple[int, int] | None:
        """The next rows that are neither answered nor being answered: where they start and end."""
        spans = [(part.start, part.end) for part in self.parts.values()]
        start, end = 0, self.stated.rows
        for begin, after in sorted([*spans, *self.asked.items()]):
            if begin > start:
                end = begin
                break
            start = max(start, after)
        return (start, min(end, start + self.size)) if start < end else None

    def measure(self, rows: int, seconds: float) -> None:
        """Make the next part last about as long as parts are to take."""
        factor = min(2.0, max(0.5, PART_SECONDS / max(seconds, 1e-3)))
        self.size = int(min(self.stated.most, max(1, rows * factor)))
        self.spent = [*self.spent[-50:], (time.monotonic(), rows)]

    @cached_property
    def _content(self) -> tuple[np.ndarray, np.ndarray]:
        """The bytes of the rows, and where each row ends."""
        content = np.memmap(self.folder / "rows.jsonl", dtype=np.uint8, mode="r")
        return content, np.flatnonzero(content == ord("\n"))

    def lines(self, start: int, end: int) -> list[bytes]:
        """The JSON of some rows."""
        content, ends = self._content
        first = int(ends[start - 1]) + 1 if start else 0
        return bytes(content[first : int(ends[end - 1])]).split(b"\n")

    def keep(self, part: Part, content: bytes) -> Part:
        """Have the answers to some rows on disk."""
        path = self.folder / f"{part.start:09}-{part.end:09}-{marked(content)}.part"
        write(path, content)
        self.parts[part.start] = replace(part, path=path)
        return self.parts[part.start]

    def bodies(self) -> Iterator[bytes]:
        """The files of the parts in the order of their rows; a damaged one is left out."""
        for part in sorted(self.parts.values(), key=lambda part: part.start):
            content = part.path.read_bytes()
            if marked(content) != part.path.stem.rpartition("-")[2]:
                part.path.unlink()
                del self.parts[part.start]
                raise Damaged
            yield content

    def forget(self, *, result: bool) -> None:
        """Delete the rows and the parts, and the result where nobody is to have it any more."""
        kinds = ["rows.jsonl", "*.part", "*.aside", *(["result.parquet"] if result else [])]
        self.parts = {}
        for path in (path for kind in kinds for path in self.folder.glob(kind)):
            path.unlink()
        sync(self.folder)

    @staticmethod
    def remove(folder: Path) -> None:
        """Delete all of a job."""
        shutil.rmtree(folder, ignore_errors=True)

    @property
    def on_disk(self) -> int:
        """How many bytes it takes on disk."""
        with suppress(FileNotFoundError):
            return sum(path.stat().st_size for path in self.folder.iterdir())
        return 0


class Damaged(Exception):
    """A part is not what was written; it was deleted."""
