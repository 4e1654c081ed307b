"""Which feature is caused by which: the direct causes of each, and never in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias

from ifonly.errors import OptionError, nearest

Graph: TypeAlias = Mapping[str, tuple[str, ...]]
"""Each feature's direct causes; a feature that is not named has none."""


def read_graph(graph: Any) -> dict[str, tuple[str, ...]]:
    """A user's graph with its causes as tuples; one that makes no sense is refused."""
    if not isinstance(graph, Mapping):
        raise OptionError(
            f"The graph is {graph!r}.",
            "Give a dictionary with each feature's causes, such as {'income': ['age', 'job']}.",
        )
    causes = {name: _read_causes(name, own) for name, own in graph.items()}
    in_order(causes)
    return causes


def in_order(graph: Graph) -> tuple[str, ...]:
    """Every feature that the graph names, causes before effects.

    >>> in_order({"debt": ("income",), "income": ("age", "job")})
    ('age', 'job', 'income', 'debt')
    """
    try:
        return tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = " -> ".join(map(repr, error.args[1]))
        raise OptionError(
            f"The causal graph has a cycle: {circle}.",
            "Leave out one of these causes: what follows from an action must come to an end.",
        ) from None


def effects_of(graph: Graph) -> tuple[str, ...]:
    """The features with causes, causes before effects."""
    return tuple(name for name in in_order(graph) if graph.get(name))


def check_names(graph: Graph, known: Iterable[str], what: str) -> None:
    """Refuse a graph with a name that is not `known`; `what` says where it was looked for."""
    known = tuple(known)
    for effect, causes in graph.items():
        for name in (effect, *causes):
            if name not in known:
                role = "" if name == effect else f" as a cause of {effect!r}"
                raise OptionError(
                    f"The graph names {name!r}{role}, and {what} has no such feature.",
                    nearest(name, known),
                )


def _read_causes(name: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, Iterable):
        raise OptionError(f"The causes of {name!r} are {given!r}.", "Give a list of features.")
    causes = (given,) if isinstance(given, str) else tuple(given)
    if name in causes:
        raise OptionError(f"{name!r} is among its own causes.", "Leave it out.")
    if len(set(causes)) < len(causes):
        listed = ", ".join(map(repr, causes))
        raise OptionError(
            f"The causes of {name!r} name a feature twice: {listed}.", "Name each cause once."
        )
    return causes
