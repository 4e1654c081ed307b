"""Equations from data: one fit for each effect, and its error on rows that it was not fitted on.

Noise is taken to be additive, value = equation(causes) + noise, and to have nothing to do with the
causes; what the graph leaves out goes into the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ifonly.causal.boosted import Boosted
from ifonly.causal.graph import Graph, check_names, effects_of, in_order
from ifonly.causal.linear import Linear
from ifonly.errors import DataError, OptionError, nearest
from ifonly.space import Categorical, Feature, Space
from ifonly.space.table.carry import find_carried
from ifonly.space.table.frame import Frame, as_frame

FOLDS = 5

Fitted: TypeAlias = Linear | Boosted
Fit: TypeAlias = Callable[[Sequence[Feature], np.ndarray, np.ndarray], Fitted]


def fit_equations(
    graph: Graph, data: Frame, kind: str, seed: int, categorical: Iterable[str]
) -> tuple[dict[str, Fitted], dict[str, float]]:
    """An equation and its error for each feature with causes; the graph has been read."""
    fit = _fit_of(kind, seed)
    frame = as_frame(data, "data")
    check_names(graph, frame.columns, "`data`")
    names = in_order(graph)
    part, named = frame.select(names), _among(categorical, names, frame.columns)
    named += [one.name for one in find_carried(part, (), named)]  # what the graph has is a feature
    space = Space.infer(part.to_native(), named)
    check_effects(graph, space)
    codes = space.codes(part.to_native(), "data")
    equations, errors = {}, {}
    for effect in effects_of(graph):
        columns = [space.index(name) for name in (*graph[effect], effect)]
        own = codes[:, columns]
        own = own[~np.isnan(own).any(axis=1)]
        _check_enough(effect, graph[effect], len(own))
        causes = [space.features[j] for j in columns[:-1]]
        equations[effect] = fit(causes, own[:, :-1], own[:, -1])
        errors[effect] = _error(fit, causes, own, seed)
    return equations, errors


def check_effects(graph: Graph, space: Space) -> None:
    """Refuse a graph in which a category has causes; all its names are in the space."""
    for effect, causes in graph.items():
        if causes and isinstance(space.features[space.index(effect)], Categorical):
            raise DataError(
                f"{effect!r} is a category and has causes in the graph.",
                "An equation gives numbers: leave its causes out, or turn it into a number.",
            )


def _fit_of(kind: Any, seed: Any) -> Fit:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed is {seed!r}.", "It is a whole number of 0 or more.")
    kinds: dict[str, Fit] = {"linear": Linear.fit, "boosted": partial(Boosted.fit, seed=int(seed))}
    if not isinstance(kind, str) or kind not in kinds:
        raise OptionError(f"There are no equations of the kind {kind!r}.", nearest(kind, kinds))
    return kinds[kind]


def _among(categorical: Iterable[str], names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The features named as categories that the graph speaks of."""
    given = [categorical] if isinstance(categorical, str) else list(categorical)
    for name in given:
        if name not in columns:
            raise OptionError(f"`data` has no column {name!r}.", nearest(name, columns))
    return [name for name in given if name in names]


def _check_enough(effect: str, causes: Sequence[str], n: int) -> None:
    if n < 2:
        many = "no row" if n == 0 else "a single row"
        raise DataError(
            f"`data` has {many} in which {effect!r} and its causes, "
            f"{', '.join(map(repr, causes))}, are all known.",
            "Give more rows, or fill missing values in.",
        )


def _error(fit: Fit, causes: Sequence[Feature], codes: np.ndarray, seed: int) -> float:
    """The root mean squared residual on parts held out of codes [n, c + 1], the effect last."""
    n = len(codes)
    fold = np.random.default_rng(seed).permutation(n) % min(FOLDS, n)
    residual = np.empty(n)
    for one in range(min(FOLDS, n)):
        rest, held = codes[fold != one], codes[fold == one]
        expected = fit(causes, rest[:, :-1], rest[:, -1]).on_codes(held[:, :-1])
        residual[fold == one] = held[:, -1] - expected
    return float(np.sqrt(np.mean(residual**2)))
