"""Commands as a shell runs them: full disks, closed pipes, pipes without a reader, signals."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

IFONLY = (sys.executable, "-m", "ifonly")
FILES = ("rows.csv", "--data", "loan.csv", "--outcome", "loan", "--model", "loan.joblib")
EXPLAIN = (*IFONLY, "explain", *FILES, "--trust-pickle", "-k", "1")  # skops imports torch, slowly


def shell(line: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """What a line of bash does, with `$IFONLY` for the command."""
    words = ["bash", "-c", f"set -o pipefail; {line}"]
    env = {**os.environ, "IFONLY": " ".join(IFONLY), "EXPLAIN": " ".join(EXPLAIN)}
    return subprocess.run(
        words, capture_output=True, text=True, check=False, env=env, timeout=300, **options
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", ["$EXPLAIN --format csv", "$EXPLAIN", "$IFONLY explain --help"])
def test_a_full_disk_is_one_clear_error(folder: Path, command: str) -> None:
    done = shell(f"{command} > /dev/full")
    assert done.returncode == 4
    assert done.stderr.startswith("Error: The output cannot be written: No space left on device.\n")
    assert done.stderr.count("\n") == 3


def test_a_device_that_is_full_is_the_same_error(folder: Path) -> None:
    (folder / "full.csv").symlink_to("/dev/full")
    done = shell("$EXPLAIN --out full.csv")
    assert done.returncode == 4
    assert "Error: 'full.csv' cannot be written: No space left on device.\n" in done.stderr
    assert (folder / "full.csv").is_char_device()


def test_a_disk_that_fills_while_a_file_is_written_leaves_the_old_file(folder: Path) -> None:
    (folder / "kept.html").write_text("old")
    limit = 4000  # bytes that a file may have

    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = shell("$EXPLAIN --out kept.html", preexec_fn=lower)
    assert (done.returncode, (folder / "kept.html").read_text()) == (4, "old")
    assert "'kept.html' cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(folder.glob(".ifonly-*"))


def test_a_reader_that_has_enough_ends_a_command_quietly(folder: Path) -> None:
    # The table is longer than a pipe holds, so that writing meets the closed end.
    (folder / "rows.csv").write_text((folder / "loan.csv").read_text())
    done = shell("$EXPLAIN --format json | head -c 1")
    assert (done.returncode, done.stdout) == (0, "{")
    assert done.stderr == "300 rows: 300 found.\n"


def test_a_path_that_stands_for_stdout_is_written_like_it(folder: Path) -> None:
    (folder / "out").symlink_to("/dev/stdout")
    done = shell("echo before > log; $EXPLAIN --format csv --out out >> log; cat log")
    first, header, *_ = done.stdout.splitlines()
    assert (first, header.split(",")[0]) == ("before", "query")
    assert (folder / "out").is_symlink()
    done = shell("$EXPLAIN --format csv --out >(cat > copy); sleep 0.5; cat copy")
    assert done.stdout.startswith("query,")


@pytest.mark.sample(2)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_a_pipe_waits_for_its_reader_ends_the_command(
    folder: Path, number: signal.Signals, code: int
) -> None:
    os.mkfifo(folder / "fifo.csv")
    process = subprocess.Popen([*EXPLAIN, "--out", "fifo.csv"], stderr=subprocess.PIPE, text=True)
    wait_for_open(process.pid)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said == ("Interrupted.\n" if number is signal.SIGINT else "")
    assert (folder / "fifo.csv").is_fifo()


def test_an_interrupt_while_the_command_loads_leaves_no_traceback(folder: Path) -> None:
    (folder / "kept.csv").write_text("old")
    process = subprocess.Popen([*EXPLAIN, "--out", "kept.csv"], stderr=subprocess.PIPE, text=True)
    mapped = Path(f"/proc/{process.pid}/maps")
    wait_until(lambda: "numpy" in mapped.read_text())
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "Interrupted.\n")
    assert (folder / "kept.csv").read_text() == "old"


def wait_for_open(pid: int) -> None:
    """Wait until a process waits for the reader of a pipe; half a minute where Linux hides it."""
    place = Path(f"/proc/{pid}/wchan")
    end = time.monotonic() + 30
    wait_until(lambda: place.read_text() == "wait_for_partner" or time.monotonic() > end)


def wait_until(holds: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.02)
