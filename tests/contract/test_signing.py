"""Signatures hold, and no planted change of a record escapes."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ifonly.contract import DecisionRecord, Handler
from ifonly.contract.records.record_file import faults_of, read_record, write_record
from ifonly.errors import FileError

from .asking import as_json

pytest.importorskip("cryptography", reason="the extra 'sign' is not installed")
from ifonly.contract.records.signing import make_keys, read_private, read_public, signed

KEY = b"key"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    folder = tmp_path_factory.mktemp("keys")
    for name, content in zip(("own.key", "own.pub"), make_keys(), strict=True):
        (folder / name).write_bytes(content)
    return read_private(folder / "own.key"), read_public(folder / "own.pub")


@pytest.fixture(scope="module")
def record(mixed: Handler, frame: pd.DataFrame, keys: tuple[Any, Any]) -> DecisionRecord:
    answers = mixed.explainer.explain(frame[:1], k=2)
    own = DecisionRecord.of(
        answers,
        as_json(frame[:1])[0],
        time="2026-01-02T12:00:00Z",
        key=KEY,
        reasons=answers.reasons(0),
    )
    return signed(own, keys[0])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value of JSON stands: leaves, and lists and objects that can lose something."""
    if not isinstance(value, dict | list):
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [*([path] if value else []), *(p for k, one in inner for p in places(one, (*path, k)))]


def other(value: Any, rng: np.random.Generator) -> Any:
    """Another value of the same kind, where there is one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + int(rng.integers(1, 5))
    if isinstance(value, float):
        return value + float(rng.choice([1e-6, 0.1, -1]))
    if isinstance(value, str):
        place = int(rng.integers(0, len(value) + 1))
        letter = "0" if value[place : place + 1] != "0" else "1"
        return value[:place] + letter + value[place + 1 :]
    if isinstance(value, list):
        return value[:-1] if rng.random() < 0.5 else [*value, value[-1]]
    if isinstance(value, dict):
        name = str(rng.choice(list(value)))
        return {key: one for key, one in value.items() if key != name}
    return 1


def tampered(whole: dict[str, Any], path: tuple[Any, ...], rng: np.random.Generator) -> Any:
    """A copy with one thing changed."""
    copied: Any = json.loads(json.dumps(whole))
    if not path:
        return other(copied, rng)
    inside = copied
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = other(inside[path[-1]], rng)
    return copied


def test_every_planted_change_of_a_signed_record_is_found(
    record: DecisionRecord, keys: tuple[Any, Any], tmp_path: Path
) -> None:
    """Each place of the file in turn; the forger computes the hash again where it is wrong."""
    file, rng = tmp_path / "record.json", np.random.default_rng(0)
    write_record(record, file)
    check = partial(faults_of, key=KEY, public=keys[1])
    kept, stated = read_record(file)
    assert kept == record
    assert check(kept, stated=stated) == []
    whole = json.loads(file.read_text(encoding="utf-8"))
    escaped, tried = [], 0
    for path in places(whole):
        forged = tampered(whole, path, rng)
        if forged == whole:
            continue
        tried += 1
        file.write_text(json.dumps(forged), encoding="utf-8")
        try:
            found, stated = read_record(file)
        except FileError:
            continue
        hidden = stated if path == ("hash",) else found.hash
        if hidden is not None and not check(found, stated=hidden):
            escaped.append((path, forged))
    assert tried > 100
    # Without its row, or without a hash beside it, a record is still what was signed.
    assert [path for path, forged in escaped if forged.get("row") and forged.get("hash")] == []


def test_what_a_signature_must_be_is_said(
    record: DecisionRecord, keys: tuple[Any, Any], tmp_path: Path
) -> None:
    for name, content in zip(("b.key", "b.pub"), make_keys(), strict=True):
        (tmp_path / name).write_bytes(content)
    stranger = read_public(tmp_path / "b.pub")
    assert "another key" in faults_of(record, public=stranger)[0]
    bare = record.model_copy(update={"signature": None})
    assert faults_of(bare, public=keys[1]) == ["it is not signed"]
    again = signed(bare, keys[0])
    assert again.signature == record.signature
    assert again.hash == bare.hash
    assert faults_of(record.model_copy(update={"row": None}), public=keys[1]) == []


def test_keys_are_those_of_openssl(tmp_path: Path, record: DecisionRecord) -> None:
    own, public = tmp_path / "o.key", tmp_path / "o.pub"
    try:
        run = partial(subprocess.run, check=True, capture_output=True)
        run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", own])
        run(["openssl", "pkey", "-in", own, "-pubout", "-out", public])
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    assert faults_of(signed(record, read_private(own)), public=read_public(public)) == []


@pytest.mark.parametrize("content", [b"", b"no key", make_keys()[1]], ids=["empty", "text", "pub"])
def test_what_is_no_private_key_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.key").write_bytes(content)
    with pytest.raises(FileError, match="no private Ed25519 key"):
        read_private(tmp_path / "a.key")
    with pytest.raises(FileError, match="nowhere"):
        read_public(tmp_path / "nowhere.pub")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"a": NaN}', '{"version": 1, "version": 1}', "[" * 100_000],
    ids=["empty", "list", "nothing", "nan", "twice", "deep"],
)
def test_what_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(FileError, match="holds no record"):
        read_record(tmp_path / "a.json")
