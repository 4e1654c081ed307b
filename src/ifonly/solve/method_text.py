"""A method read from its repr, which a record holds. Nothing is evaluated: names are looked up."""

from __future__ import annotations

import ast
from typing import Any

from ifonly.errors import OptionError
from ifonly.problem.effort import Size
from ifonly.refine import Nothing, Shrink, Sparsify
from ifonly.search import Edits, Engine, Exact, Gradient, Neighbours, Surrogate, Union
from ifonly.search.descent import Pace
from ifonly.search.device.selector import WaysOnDevice
from ifonly.search.exact.mixed_integer import MixedInteger
from ifonly.select import Determinant, Filtered, InOrder, Polish, Ways
from ifonly.solve.method import Method

PARTS: dict[str, type[Any]] = {
    part.__name__: part
    for part in (
        *(Method, Union, Engine, Edits, Neighbours, Gradient, Exact, MixedInteger, Pace, Size),
        Surrogate,
        *(Nothing, Shrink, Sparsify, Determinant, Filtered, InOrder, Polish, Ways, WaysOnDevice),
    )
}


def read_method(text: str) -> Method:
    """The method whose repr a record holds.

    >>> read_method(repr(Method(Engine("thorough"), Nothing(), Polish()))).searcher.effort
    'thorough'
    """
    try:
        method = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError):
        method = None
    if not isinstance(method, Method):
        raise OptionError(
            f"The record names the method {text!r:.200}, which has a part of your own.",
            "Give that method again: method=...",
        )
    return method


def _value(node: ast.expr) -> Any:
    """The part or the plain value that a node states."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        given = {word.arg: _value(word.value) for word in node.keywords if word.arg}
        return PARTS[node.func.id](*map(_value, node.args), **given)
    if isinstance(node, ast.Tuple):
        return tuple(map(_value, node.elts))
    if isinstance(node, ast.List):
        return list(map(_value, node.elts))
    if isinstance(node, ast.Dict) and None not in node.keys:
        keys = [_value(key) for key in node.keys if key is not None]
        return dict(zip(keys, map(_value, node.values), strict=True))
    return ast.literal_eval(node)
