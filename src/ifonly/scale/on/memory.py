"""The memory of a worker that is told to hand back at once what it frees, as Dask's are."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TRIM, MMAP = -1, -3
"""What glibc's `mallopt` calls the two limits."""
KEPT, LARGE = 2**28, 2**25
"""So many free bytes are kept at the most, and an array of more bytes is handed back at once."""
USUAL = 2**17
"""The size of a large array by default, once a limit was set."""


@contextmanager
def keeping_memory() -> Iterator[None]:
    """Keep what is freed for the next arrays; in the end, hand it back as the environment says.

    A search makes and frees arrays all the time. Under the limit that Dask sets, it takes twice as
    long: half of it goes to getting back from the system what was handed back to it.
    """
    given = os.environ.get("MALLOC_TRIM_THRESHOLD_", "")
    if sys.platform != "linux" or not given.isdigit():
        yield
        return
    library = ctypes.CDLL(None)
    mallopt = getattr(library, "mallopt", None)
    if mallopt is None:
        yield
        return
    mallopt(TRIM, KEPT)
    mallopt(MMAP, LARGE)
    try:
        yield
    finally:
        large = os.environ.get("MALLOC_MMAP_THRESHOLD_", "")
        mallopt(TRIM, min(int(given), 2**31 - 1))
        mallopt(MMAP, min(int(large), LARGE) if large.isdigit() else USUAL)
        library.malloc_trim(0)
