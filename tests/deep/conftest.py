"""Deep random runs: laws over many random inputs, outside the ordinary suite.

A test marked `draws(n)` runs n times, each time with another `seed`. `make laws SCALE=20` runs
twenty times as many, `make laws SEED=1000` other ones. What a test counts with `tally` is added up
and printed at the end, so that a run says how much it has checked.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

import pytest

SCALE = float(os.environ.get("IFONLY_SCALE", "1"))
SEED = int(os.environ.get("IFONLY_SEED", "0"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("draws")
    if marker is not None:
        count = max(1, round(marker.args[0] * SCALE))
        metafunc.parametrize("seed", range(SEED, SEED + count))


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[[str, int], None]:
    """A counter: `tally("answers checked", 12)`."""

    def count(what: str, number: int) -> None:
        record_property(what, int(number))

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    totals: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for what, number in report.user_properties:
                    totals[what] += int(number)
    for what, number in sorted(totals.items()):
        terminalreporter.write_line(f"{what}: {number:,}")
