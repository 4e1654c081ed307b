"""Whatever --out names, it has the whole new content or the old, and stays the kind that it was."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ifonly.errors import FileError
from ifonly.render.destination import write_file

OLD = "old\n"


def regular(folder: Path) -> Path:
    path = folder / "kept.csv"
    path.write_text(OLD)
    path.chmod(0o640)
    return path


def private(folder: Path) -> Path:
    path = regular(folder)
    path.chmod(0o600)
    return path


def absent(folder: Path) -> Path:
    return folder / "new.csv"


def link(folder: Path) -> Path:
    """A link to a link to a file in another folder."""
    (folder / "far").mkdir()
    (folder / "near.csv").symlink_to(Path("far") / private(folder / "far").name)
    (folder / "link.csv").symlink_to("near.csv")
    return folder / "link.csv"


def dangling(folder: Path) -> Path:
    (folder / "link.csv").symlink_to("new.csv")
    return folder / "link.csv"


def fifo(folder: Path) -> Path:
    os.mkfifo(folder / "fifo.csv", 0o620)
    return folder / "fifo.csv"


def device(folder: Path) -> Path:
    (folder / "null.csv").symlink_to("/dev/null")
    return folder / "null.csv"


KINDS = (regular, private, absent, link, dangling, fifo, device)


def shape(path: Path) -> list[tuple[int, int, int]]:
    """The kind, mode and owner of what a path names and of what it leads to."""
    found = [path.lstat(), path.stat()] if path.exists() else [path.lstat()]
    return [(one.st_mode, one.st_uid, one.st_gid) for one in found]


def content(path: Path, reader: int | None) -> str:
    if reader is None:
        return path.read_text() if path.is_file() else ""
    try:
        return os.read(reader, 1 << 20).decode()
    except BlockingIOError:
        return ""


OUTCOMES: dict[str, tuple[Callable[[int], int], str, int]] = {
    "whole": (lambda calls: 0, "nothing", 0),
    "refused": (lambda calls: 1, "error", 2),
    "interrupted early": (lambda calls: 1, "SIGINT", 130),
    "interrupted": (lambda calls: calls * 2 // 3, "SIGINT", 130),
    "stopped": (lambda calls: calls - 1, "SIGTERM", 143),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_destination_has_the_whole_new_content_or_the_old(
    folder: Path, run: Any, signalling: Any, outcome: str
) -> None:
    when, what, code = OUTCOMES[outcome]
    call = when(signalling.calls)
    whole = (folder / "whole.csv").read_text()
    for make in KINDS:
        place = folder / make.__name__
        place.mkdir()
        path = make(place)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if make is fifo else None
        before = shape(path) if path.is_symlink() or path.exists() else []
        old = content(path, reader)
        signalling.plan(call, what)
        ran = run(*signalling.words, "--out", str(path))
        assert ran.code == code, (make.__name__, ran.err)
        new = content(path, reader)
        if outcome == "whole":
            assert new == ("" if make is device else whole)
        elif outcome == "interrupted" and make is not device:
            # The rows that were finished; those of the chunk that was not have what was found.
            assert new.splitlines()[:5] == whole.splitlines()[:5]
            assert 5 < len(new.splitlines()) <= len(whole.splitlines())
            assert f"rows were searched; written to {path}." in ran.err
        else:
            assert new == old
        assert not before or make is dangling or shape(path) == before
        assert not list(place.rglob(".ifonly-*"))
        if reader is not None:
            os.close(reader)


def test_a_second_interrupt_while_the_file_is_written_leaves_the_old_file(
    folder: Path, run: Any, signalling: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = private(folder)
    signalling.plan(signalling.calls - 1, "SIGINT")
    monkeypatch.setattr("os.fsync", lambda _: os.kill(os.getpid(), signal.SIGINT))
    ran = run(*signalling.words, "--out", str(path))
    assert (ran.code, ran.err, path.read_text()) == (130, "Interrupted.\n", OLD)
    assert not list(folder.glob(".ifonly-*"))


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file to another owner")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    path = private(tmp_path)
    os.chown(path, 4321, 1234)
    write_file(path, "new")
    assert (path.read_text(), shape(path)[0][1:]) == ("new", (4321, 1234))


def test_a_descriptor_is_written_where_it_stands(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        log.write("first\n")
        log.flush()
        (tmp_path / "link").symlink_to(f"/dev/fd/{log.fileno()}")
        write_file(tmp_path / "link", "second\n")
        write_file(f"/dev/fd/{log.fileno()}", "third\n")
    assert (tmp_path / "log").read_text() == "first\nsecond\nthird\n"


@pytest.mark.parametrize("name", ["circle", "/dev/fd/987", "folder", "nowhere/file", "x" * 300])
def test_what_cannot_be_written_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written") as raised:
        write_file(tmp_path / name, "new")
    assert name in raised.value.message
    assert sorted(one.name for one in tmp_path.iterdir()) == ["circle", "folder"]
