"""What many tests share: a check of errors, and how much of a long test is run.

A test marked `sample(n)` runs every n-th of its cases, or an n-th of its examples where hypothesis
draws them. `make laws` sets IFONLY_DEEP: such tests run other cases and examples, IFONLY_SCALE
times as many, from IFONLY_SEED on, beside the tests of tests/deep; SCALE=5 runs every case.
`make coverage` sets IFONLY_FEW: few examples of every test.
"""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, seed, settings

import ifonly


@pytest.fixture
def refused() -> Callable[..., Exception]:
    """A check that `ask` is refused: by an error of ifonly's, naming every word, with a hint."""
    return _refused


def _refused(kind: type[Exception], *told: str, hint: str, ask: Callable[[], Any]) -> Exception:
    """The error of `ask`: of ifonly's tree, naming every word of `told`, with a hint."""
    with pytest.raises(kind) as caught:
        ask()
    error = caught.value
    assert isinstance(error, ifonly.IfonlyError)
    for word in told:
        assert word in error.message, error.message
    assert re.search(hint, error.hint), error.hint
    assert str(error) == f"{error.message}\n\nHint: {error.hint}"
    return error


DEEP = bool(os.environ.get("IFONLY_DEEP"))
FEW = bool(os.environ.get("IFONLY_FEW"))
SCALE = float(os.environ.get("IFONLY_SCALE", "1"))
SEED = int(os.environ.get("IFONLY_SEED", "0"))
CI = bool(os.environ.get("CI"))

# A shell starts what runs in the background with interrupts ignored; tests send them.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    seen: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("sample")
        name = item.nodeid.partition("[")[0]
        stride = marker.args[0] if marker else 1
        run = True if marker else not DEEP or item.path.parent.name == "deep"
        if is_hypothesis_test(getattr(item, "obj", None)):
            if not seen[name]:
                _draw(item, SCALE / stride if DEEP else 0.1 if FEW else 1 / stride)
        elif run and DEEP:
            run = (seen[name] - 1 - SEED) % stride < SCALE
        elif run:
            run = seen[name] % (stride * 2 if FEW and marker else stride) == 0
        seen[name] += 1
        (kept if run else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


def _draw(item: pytest.Item, share: float) -> None:
    """Let hypothesis draw a share of the examples that a test states; in deep runs others."""
    test = item.obj  # type: ignore[attr-defined]
    if DEEP and CI:
        seed(SEED + 1)(test)
    stated = test._hypothesis_internal_use_settings
    count = max(1, round(share * stated.max_examples))
    test._hypothesis_internal_use_settings = settings(stated, max_examples=count)


# A submission is judged on the same examples each time; a developer sees new ones every day.
settings.register_profile("ci", derandomize=True)
if CI:
    settings.load_profile("ci")
