"""The threads that a model may use, for libraries that do not look at OMP_NUM_THREADS."""

from __future__ import annotations

import os


def allowed_threads() -> int:
    """What OMP_NUM_THREADS says, as in a worker; 0 where it says nothing."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return int(first) if first.isdecimal() else 0
