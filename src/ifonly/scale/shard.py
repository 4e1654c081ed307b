"""What a shard is: some rows of some files, of which one worker makes one part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Rows `start` to `stop` of a file; of a CSV file, also the bytes to read."""

    file: str
    start: int
    stop: int
    begin: int = 0
    end: int = 0

    def __str__(self) -> str:
        return f"rows {self.start} to {self.stop - 1} of {self.file!r}"


@dataclass(frozen=True)
class Shard:
    """A range of rows that is answered, written and counted as one: small, and travels anywhere.

    Parameters
    ----------
    index
        Its position among the shards of a run.
    name
        The name of the part that holds its answers.
    sources
        The rows, as spans of files.

    Examples
    --------
    >>> shard = Shard(0, "000000-ab.parquet", (Span("a.parquet", 0, 3), Span("b.parquet", 0, 1)))
    >>> print(shard.rows, shard)
    4 shard 0 (rows 0 to 2 of 'a.parquet' and of 1 more files)
    """

    index: int
    name: str
    sources: tuple[Span, ...]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(span.stop - span.start for span in self.sources)

    def __str__(self) -> str:
        more = f" and of {len(self.sources) - 1} more files" if len(self.sources) > 1 else ""
        return f"shard {self.index} ({self.sources[0]}{more})"


def cut(counts: Iterable[tuple[str, int]], shard_rows: int) -> list[tuple[Span, ...]]:
    """The spans of each shard of files with so many rows each: all shards but the last are equal.

    Files do not matter: a large one is cut, small ones are joined, so that no worker has more to
    do than another.

    >>> cut([("a", 3), ("b", 2)], 4)
    [(Span(file='a', start=0, stop=3, begin=0, end=0), Span(file='b', start=0, stop=1, ...)), ...]
    """
    shards: list[tuple[Span, ...]] = []
    open_: list[Span] = []
    room = shard_rows
    for file, rows in counts:
        start = 0
        while start < rows:
            stop = min(rows, start + room)
            open_.append(Span(file, start, stop))
            room -= stop - start
            start = stop
            if not room:
                shards.append(tuple(open_))
                open_, room = [], shard_rows
    return [*shards, tuple(open_)] if open_ else shards


def named(spans: Sequence[tuple[Span, ...]], fingerprint: str, ending: str) -> tuple[Shard, ...]:
    """The shards of spans, whose names carry the fingerprint of what answers them."""
    return tuple(
        Shard(index, f"{index:06}-{fingerprint}{ending}", some) for index, some in enumerate(spans)
    )
