"""The manifest: one line for each part that is in place, with a hash of it and of the line.

A part counts when its line is written, and not before. A line that was cut off, a part that is not
what its line says, and a part without a line are all the same: the shard is answered again, and
its part has the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ifonly.scale.shard import Shard
from ifonly.scale.stores.store import Store
from ifonly.scale.stores.whole import marked
from ifonly.scale.summary import Summary, total
from ifonly.scale.task import Done

NAME = "manifest.jsonl"


@dataclass(frozen=True)
class Line:
    """What is written of a part."""

    done: Done
    time: str
    """When it was in place, in UTC."""

    def text(self) -> bytes:
        """The line, with a hash of itself."""
        done = self.done
        plain = {
            "shard": done.shard,
            "name": done.name,
            "rows": done.rows,
            "sha256": done.sha256,
            "seconds": round(done.seconds, 3),
            "time": self.time,
            "summary": done.summary.to_plain(),
        }
        own = json.dumps(plain, ensure_ascii=False)
        return f'{own[:-1]}, "mark": "{marked(own.encode())}"}}\n'.encode()

    @classmethod
    def read(cls, text: bytes) -> Line | None:
        """The line of a text; None where it is damaged."""
        try:
            plain = json.loads(text)
            mark = plain.pop("mark")
            if marked(json.dumps(plain, ensure_ascii=False).encode()) != mark:
                return None
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
        summary, time = Summary.from_plain(plain.pop("summary")), plain.pop("time")
        return cls(Done(**plain, summary=summary), time)


@dataclass
class Manifest:
    """The lines of a store, by shard."""

    store: Store
    lines: dict[int, Line] = field(default_factory=dict)

    @classmethod
    def load(cls, store: Store) -> Manifest:
        """What is written in a store; damaged lines are left out."""
        found = map(Line.read, (store.read(NAME) or b"").split(b"\n"))
        return cls(store, {line.done.shard: line for line in found if line is not None})

    def keep_intact(self, shards: Sequence[Shard]) -> list[str]:
        """Forget the lines whose parts are not what they say; one sentence about each."""
        names = {shard.index: shard for shard in shards}
        there, damaged = set(self.store.names()), []
        for index, line in list(self.lines.items()):
            shard = names.get(index)
            if shard is None or line.done.name != shard.name or line.done.rows != shard.rows:
                reason = "belongs to another run"
            elif line.done.name not in there:
                reason = "is gone"
            else:
                content = self.store.read(line.done.name)
                own = hashlib.sha256(content or b"").hexdigest()
                reason = "" if own == line.done.sha256 else "is damaged"
            if reason:
                damaged.append(f"The part {line.done.name} {reason}, and is made again.")
                del self.lines[index]
        own_names = {shard.name for shard in names.values()}
        strange = [n for n in there - own_names if n.endswith((".parquet", ".npy"))]
        damaged += [
            f"{name} is no part of this run, and is left alone." for name in sorted(strange)
        ]
        return damaged

    def begin(self) -> None:
        """Write what is known and nothing else: a line that was cut off would spoil the next."""
        self.finish()

    def add(self, done: Done) -> None:
        """Have a line about a part that is in place."""
        line = Line(done, datetime.now(UTC).isoformat(timespec="milliseconds"))
        self.lines[done.shard] = line
        self.store.append(NAME, line.text())

    def finish(self) -> None:
        """Write all lines anew, in the order of their shards."""
        lines = [self.lines[index].text() for index in sorted(self.lines)]
        self.store.write(NAME, b"".join(lines))

    @property
    def rows(self) -> int:
        """How many rows are answered."""
        return sum(line.done.rows for line in self.lines.values())

    @property
    def summary(self) -> Summary:
        """The summary of all of them; in the order of shards, so that sums are the same."""
        return total(self.lines[index].done.summary for index in sorted(self.lines))

    def seconds(self) -> float:
        """How long workers took for them, one after the other."""
        return sum(line.done.seconds for line in self.lines.values())


def plain_lines(content: bytes) -> list[dict[str, Any]]:
    """The lines of a manifest without their times: what two runs of the same have in common."""
    lines = [json.loads(text) for text in content.splitlines()]
    return [{k: v for k, v in one.items() if k not in ("time", "seconds", "mark")} for one in lines]
