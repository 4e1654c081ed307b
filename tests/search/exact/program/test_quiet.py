"""A solver prints nothing, and what others print meanwhile arrives."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import textwrap
from threading import Thread

import numpy as np
import pytest

from ifonly.search.exact.program.quiet import quiet
from ifonly.search.exact.program.solver import Program


def knapsack(seed: int) -> Program:
    """A program that takes a solver some time."""
    rng = np.random.default_rng(seed)
    program = Program()
    taken = [program.binary() for _ in range(30)]
    for _ in range(5):
        weights = rng.integers(5, 60, len(taken))
        total = taken[0] * 0.0
        for one, weight in zip(taken, weights, strict=True):
            total = total + one * float(weight)
        program.row(total, high=float(weights.sum() // 2))
    value = taken[0] * 0.0
    for one, gain in zip(taken, rng.integers(5, 60, len(taken)), strict=True):
        value = value - one * float(gain)
    program.minimise(value)
    return program


def test_two_threads_solve_while_a_third_writes_and_every_line_arrives(
    capfd: pytest.CaptureFixture[str],
) -> None:
    same = os.fstat(1)
    solvers = [Thread(target=knapsack(seed).solve) for seed in range(2)]
    lines = [f"line {place}" for place in range(3000)]

    def write() -> None:
        for line in lines:
            os.write(1, f"{line}\n".encode())

    threads = [*solvers, Thread(target=write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert capfd.readouterr().out.splitlines() == lines
    after = os.fstat(1)
    assert (after.st_dev, after.st_ino) == (same.st_dev, same.st_ino)


def test_threads_that_enter_and_leave_in_any_order_restore_the_stream() -> None:
    stdout = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stdout")
    before = stdout.value
    first, second = quiet(), quiet()
    first.__enter__()
    second.__enter__()
    assert stdout.value != before
    first.__exit__(None, None, None)
    assert stdout.value != before
    second.__exit__(None, None, None)
    assert stdout.value == before


SCRIPT = """
    import ctypes, os
    from ifonly.search.exact.program.quiet import quiet
    libc = ctypes.CDLL(None)
    libc.puts(b"before")
    with quiet():
        libc.puts(b"from a solver")
        os.write(1, b"from Python\\n")
    libc.puts(b"after")
    libc.fflush(None)
"""


def test_what_c_code_prints_inside_never_arrives() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT)], capture_output=True, text=True, check=True
    )
    assert sorted(ran.stdout.split("\n")) == ["", "after", "before", "from Python"]
