"""No word from a solver on stdout, which is for data.

Even with all output switched off, HiGHS 1.12 prints one line, by `puts`, whenever it repairs a
point: 'HighsMipSolverData::transformNewIntegerFeasibleSolution tmpSolver.run();'. So C's own stream
`stdout` is another one while a solver runs. Python does not write to that stream, and the process's
file descriptors stay as they are: what other threads write arrives.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

_lock = Lock()
_solving: list[int | None] = []
"""For each solver that runs, C's stream as it found it: the first of them found the real one."""


@contextmanager
def quiet() -> Iterator[None]:
    """C code prints to nowhere inside; any number of threads may be inside at a time."""
    streams = _streams()
    if streams is None:  # a C library without such a variable: the line may be seen
        yield
        return
    stdout, nowhere = streams
    with _lock:
        _solving.append(stdout.value)
        stdout.value = nowhere
    try:
        yield
    finally:
        with _lock:
            first = _solving[0]
            _solving.pop()
            if not _solving:
                stdout.value = first


@cache
def _streams() -> tuple[ctypes.c_void_p, int] | None:
    """The variable that holds C's stdout, and a stream to nowhere, which is never closed."""
    try:
        library = ctypes.CDLL(None)
        stdout = ctypes.c_void_p.in_dll(library, "stdout")
        library.fopen.restype = ctypes.c_void_p
        nowhere = library.fopen(os.fsencode(os.devnull), b"w")
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return (stdout, nowhere) if nowhere else None
