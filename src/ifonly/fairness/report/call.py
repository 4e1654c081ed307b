"""The call that an audit was made by, as text: to run it again in one command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ifonly.fairness.data import AuditData

P = ParamSpec("P")
R = TypeVar("R", bound=AuditData)
UNSAID = ("model", "rows", "data", "workers", "progress")
"""What is always said, and what changes nothing in an audit."""


def called(function: Callable[P, R]) -> Callable[P, R]:
    """The function; the record of the audit that it returns has the call, under 'command'."""

    @wraps(function)
    def recorded(*args: P.args, **kwargs: P.kwargs) -> R:
        result = function(*args, **kwargs)
        given = dict(signature(function).bind(*args, **kwargs).arguments)
        rules = {"rules": list(result.record["rules"])} if "rules" in given else {}
        return replace(result, record={**result.record, "command": call_text({**given, **rules})})

    return recorded


def call_text(given: Mapping[str, Any]) -> str:
    """The call with the options that were given.

    What has no short text, such as a causal model, is called by the option's own name.

    >>> call_text({"target": "yes", "k": 4, "causes": object()})
    "ifonly.audit(model, rows, data=data, target='yes', k=4, causes=causes)"
    """
    said = ["model", "rows", "data=data"]
    for name, stated in given.items():
        if name not in UNSAID:
            value = stated.item() if isinstance(stated, np.generic) else stated
            said.append(f"{name}={value!r}" if _is_plain(value) else f"{name}={name}")
    return f"ifonly.audit({', '.join(said)})"


def _is_plain(value: Any) -> bool:
    """Whether Python reads the text of a value as the value."""
    if isinstance(value, Mapping):
        return type(value) is dict and all(map(_is_plain, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return type(value) in (list, tuple) and all(map(_is_plain, value))
    return value is None or type(value) in (str, int, float, bool)
