"""Whatever happens to a run, it ends with the same parts, and the same manifest but for times."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ifonly
from ifonly.scale.manifest import NAME

from .conftest import Content, Drive, asked, content, ended, explainer_of


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def flip(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)


DAMAGES: dict[str, Any] = {
    "a truncated part": lambda folder: os.truncate(parts(folder)[1], 100),
    "a flipped byte": lambda folder: flip(parts(folder)[2]),
    "a part that is gone": lambda folder: parts(folder)[0].unlink(),
    "a foreign part": lambda folder: parts(folder)[3].write_bytes(parts(folder)[0].read_bytes()),
    "an empty part": lambda folder: parts(folder)[4].write_bytes(b""),
    "a flipped byte of the manifest": lambda folder: flip(folder / NAME),
    "a manifest that was cut off": lambda folder: os.truncate(folder / NAME, 1500),
    "no manifest": lambda folder: (folder / NAME).unlink(),
    "a damaged plan": lambda folder: flip(folder / "run.json"),
    "no plan": lambda folder: (folder / "run.json").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_again(
    damage: str, explainer: Any, rows: Path, calm: tuple[Path, Content], copied: Path
) -> None:
    said: list[str] = []
    DAMAGES[damage](copied)
    asked(explainer, rows, copied, say=said.append)
    assert content(copied) == calm[1]
    if "part" in damage:
        assert len(said) == 1
        assert said[0].startswith("The part 00000")


def test_a_run_that_is_done_makes_nothing_again(explainer: Any, rows: Path, copied: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in parts(copied)}
    asked(explainer, rows, copied, on=Nobody())
    assert {path: path.stat().st_mtime_ns for path in parts(copied)} == before


class Nobody:
    """An engine that is not to be asked."""

    def run(self, task: Any, shards: Any) -> Any:
        raise AssertionError("there is nothing to do")


def test_a_changed_model_is_refused(
    rows: Path, calm: tuple[Path, Content], copied: Path, refused: Any
) -> None:
    ask = lambda: asked(explainer_of(1), rows, copied)  # noqa: E731
    refused(ifonly.errors.OutputError, "model_fingerprint", hint="folder of its own", ask=ask)
    assert content(copied) == calm[1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"k": 3}, "fingerprint"),
        ({"seed": 1}, "seed"),
        ({"shard_rows": 13}, "shard_rows"),
        ({"id": None}, "id"),
        ({"rules": ["job fixed"]}, "rules"),
    ],
)
def test_another_run_in_the_folder_is_refused(
    options: Any, told: str, explainer: Any, rows: Path, copied: Path, refused: Any
) -> None:
    ask = lambda: asked(explainer, rows, copied, **options)  # noqa: E731
    refused(ifonly.errors.OutputError, told, hint="folder of its own", ask=ask)


def test_other_rows_are_refused(explainer: Any, rows: Path, copied: Path, refused: Any) -> None:
    ask = lambda: asked(explainer, rows / "a.parquet", copied)  # noqa: E731
    refused(ifonly.errors.OutputError, "2 files and not 1", hint="folder of its own", ask=ask)


def test_of_two_drivers_one_ends_with_an_error(
    explainer: Any, rows: Path, calm: tuple[Path, Content], tmp_path: Path, refused: Any
) -> None:
    began, go = threading.Event(), threading.Event()

    def wait(_: Any) -> None:
        began.set()
        go.wait()

    first = threading.Thread(target=lambda: asked(explainer, rows, tmp_path / "out", progress=wait))
    first.start()
    began.wait()
    ask = lambda: asked(explainer, rows, tmp_path / "out")  # noqa: E731
    refused(ifonly.errors.OutputError, f"process {os.getpid()}", hint="Wait until", ask=ask)
    go.set()
    first.join()
    assert content(tmp_path / "out") == calm[1]


def test_a_full_disk_loses_nothing(
    explainer: Any, rows: Path, calm: tuple[Path, Content], tmp_path: Path, drive: Drive
) -> None:
    """A limit on the size of files fails where a full disk does: in the middle of a write."""
    out, sizes = tmp_path / "out", [len(one) for name, one in calm[1].items() if name != NAME]
    ended(drive(out, most=max(sizes) - 1))
    assert "cannot be written" in Path(f"{out}.said").read_text()
    assert len(parts(out)) < len(sizes)
    assert not list(out.glob("*.aside"))
    asked(explainer, rows, out)
    assert content(out) == calm[1]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Callable[[int], None]]]:
    """A file system of its own, and what sets its size in bytes."""
    if os.geteuid():
        pytest.skip("only root may mount a file system")
    place = tmp_path / "disk"
    place.mkdir()
    tmpfs = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    made = subprocess.run(tmpfs, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {made.stderr.strip()}")

    def resize(size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(place)], check=True)

    yield place, resize
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_small_disk_that_is_full_loses_nothing_once_there_is_room(
    workers: int, explainer: Any, rows: Path, calm: tuple[Path, Content], disk: Any
) -> None:
    """Each size ends somewhere else: at the plan, a part, or a line of the manifest."""
    place, resize = disk
    page = os.sysconf("SC_PAGE_SIZE")
    whole = sum(-(-path.stat().st_size // page) for path in calm[0].iterdir())
    kept = set()
    for size in range(1, whole) if workers == 1 else (whole // 3, whole - 2):
        out = place / str(size)
        resize(size * page)
        with pytest.raises(ifonly.errors.OutputError, match=r"cannot be written: No space left"):
            asked(explainer, rows, out, workers=workers)
        kept.add(len(parts(out)))
        assert not list(out.glob("*.aside"))
        resize(2 * whole * page)
        asked(explainer, rows, out, workers=workers)
        assert content(out) == calm[1]
        shutil.rmtree(out)
    assert len(kept) > 1, "it was never full half way"


def test_a_worker_that_is_killed_is_replaced(
    explainer: Any, rows: Path, calm: tuple[Path, Content], tmp_path: Path
) -> None:
    out, killed = tmp_path / "out", []
    driver = os.getpid()

    def kill() -> None:
        while not killed:
            time.sleep(0.02)
            if not list(out.glob("*.parquet")):
                continue
            for child in children(driver):
                if b"popen_loky" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)
                    return

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    asked(explainer, rows, out, workers=2)
    killer.join(1)
    assert killed
    assert content(out) == calm[1]


def children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(one) for one in listed]
