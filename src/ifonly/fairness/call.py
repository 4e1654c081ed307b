"""The call that an audit was made by, as text: to run it again in one command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

NEVER = ("model", "rows", "data", "workers", "progress")
"""What is always named, and what changes nothing in an audit."""


def call_text(given: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """The call with the options that differ from the usual ones.

    What has no short text, such as a causal model, is called by the option's own name.

    >>> call_text({"target": "yes", "k": 4, "causes": object()}, {"k": 4, "causes": None})
    "ifonly.audit(model, rows, data=data, target='yes', causes=causes)"
    """
    said = ["model", "rows", "data=data"]
    for name, stated in given.items():
        value = stated.item() if isinstance(stated, np.generic) else stated
        plain = _is_plain(value)
        if name not in NEVER and not (plain and name in usual and value == usual[name]):
            said.append(f"{name}={value!r}" if plain else f"{name}={name}")
    return f"ifonly.audit({', '.join(said)})"


def _is_plain(value: Any) -> bool:
    """Whether Python reads the text of a value as the value."""
    if isinstance(value, Mapping):
        return type(value) is dict and all(map(_is_plain, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return type(value) in (list, tuple) and all(map(_is_plain, value))
    return value is None or type(value) in (str, int, float, bool)
