"""A worker that is told to hand memory back at once keeps it while it searches."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from ifonly.scale.on.memory import keeping_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(300):
        np.ones(200_000).sum()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

before = faults()
with keeping_memory():
    faults()
    inside = faults()
print(before, inside, faults())
"""


def counted(**environment: str) -> tuple[int, int, int]:
    """The page faults of the same arrays before, inside and after."""
    ran = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    before, inside, after = map(int, ran.stdout.split())
    return before, inside, after


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has these limits")
def test_memory_is_kept_inside_and_handed_back_after() -> None:
    before, inside, after = counted(MALLOC_TRIM_THRESHOLD_="65536")
    assert inside < before / 20
    assert after > before / 2


@pytest.mark.parametrize("given", ["", "unlimited"])
def test_without_a_limit_nothing_is_set(given: str) -> None:
    counted(MALLOC_TRIM_THRESHOLD_=given)
