"""What many tests ask: that an error says what is wrong, by name, and what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

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


# A submission is judged on the same examples each time; a developer sees new ones every day.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
