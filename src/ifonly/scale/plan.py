"""What a run is about, on disk before its first part: which rows, cut how, answered by what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ifonly.errors import FileError, OutputError
from ifonly.scale.fingerprint import KEPT
from ifonly.scale.stores.store import Store
from ifonly.scale.stores.whole import marked
from ifonly.space.marks import decode, encode

NAME = "run.json"
FORMAT = "ifonly run 1"


@dataclass(frozen=True)
class File:
    """A file of rows; its size and a hash of its ends tell whether it is still the same."""

    name: str
    rows: int
    size: int
    mark: str


@dataclass(frozen=True)
class Plan:
    """What a run is about.

    Parameters
    ----------
    fingerprint
        Of model, space, rules, options and seed.
    files
        The files of its rows.
    shard_rows
        How many rows a shard has.
    id
        The column that tells rows apart, if there is one.
    ending
        Of its parts: '.parquet' or '.npy'.
    record
        What the answers of every row are recorded with.
    space
        The features.
    """

    fingerprint: str
    files: tuple[File, ...]
    shard_rows: int
    id: str | None
    ending: str
    record: Mapping[str, Any]
    space: Mapping[str, Any]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(file.rows for file in self.files)

    @property
    def shards(self) -> int:
        """How many shards it has."""
        return -(-self.rows // self.shard_rows)

    def write(self, store: Store) -> None:
        """Have it in the store."""
        own = {"format": FORMAT, **asdict(self), "record": encode(dict(self.record))}
        plain = json.dumps(own, ensure_ascii=False)
        store.write(NAME, json.dumps({"mark": marked(plain.encode()), "run": plain}).encode())

    @classmethod
    def read(cls, store: Store) -> Plan | None:
        """The plan in a store; None where there is none, or it is damaged."""
        content = store.read(NAME)
        if content is None:
            return None
        try:
            whole = json.loads(content)
            if marked(whole["run"].encode()) != whole["mark"]:
                return None
            plain = json.loads(whole["run"])
        except (ValueError, KeyError, TypeError):
            return None
        if plain.pop("format") != FORMAT:
            raise FileError(f"{store.place!r} was written by another version of ifonly.", "")
        files, record = tuple(File(**file) for file in plain["files"]), decode(plain["record"])
        return cls(**{**plain, "files": files, "record": record})

    def check(self, known: Plan, place: str) -> None:
        """Refuse to write this run to a place that has another.

        Raises
        ------
        OutputError
            What differs.
        """
        if self.fingerprint != known.fingerprint:
            pairs = ((n, self.record.get(n), known.record.get(n)) for n in KEPT)
            names = [name for name, mine, theirs in pairs if encode(mine) != encode(theirs)]
            raise OutputError(
                f"{place!r} has a run with the fingerprint {known.fingerprint}, and this one has "
                f"{self.fingerprint}: {', '.join(names) or 'the model'} differ.",
                "Give this run a folder of its own. To go on with that one, ask it with the same "
                "model, rules, options and seed.",
            )
        for what, mine, theirs in (
            ("rows", _files(self), _files(known)),
            ("id", self.id, known.id),
            ("shard_rows", self.shard_rows, known.shard_rows),
            ("kind of parts", self.ending, known.ending),
        ):
            if mine != theirs:
                raise OutputError(
                    f"{place!r} has a run over other {what}: {_differing(theirs, mine)}.",
                    "Give this run a folder of its own, or ask for what that one has.",
                )


def _files(plan: Plan) -> Any:
    return [asdict(file) for file in plan.files]


def _differing(theirs: Any, mine: Any) -> str:
    if not isinstance(theirs, list):
        return f"{theirs!r} and not {mine!r}"
    if len(theirs) != len(mine):
        return f"{len(theirs)} files and not {len(mine)}"
    (one, other) = next((a, b) for a, b in zip(theirs, mine, strict=True) if a != b)
    return f"{one} and not {other}"
