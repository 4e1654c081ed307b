"""The arrays of the loss: NumPy's or torch's, each worked on by its own namespace."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

Array = Any  # a NumPy array or a torch tensor; a call stays in the namespace that it was given

_NAMESPACES: dict[type, Any] = {}


def namespace(array: Array) -> Any:
    """The array's own namespace, looked up once a type: a descent asks thousands of times."""
    found = _NAMESPACES.get(type(array))
    if found is None:
        found = _NAMESPACES[type(array)] = array_namespace(array)
    return found


def sign(array: Array) -> Array:
    """The sign of each number. That of the array standard makes a device wait, for NaN's sake."""
    return array.sign() if hasattr(array, "sign") else namespace(array).sign(array)
