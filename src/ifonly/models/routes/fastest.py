"""How a search comes to a model: where its decisions lie, and the fastest route to its scores.

The search takes the fastest route that a probe shows to be the model's; the judge never does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapt import adapt
from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.torch import TorchModule
from ifonly.models.decision import Decision, Labels, decision_of, unwrapped, without_samplers
from ifonly.models.differentiable import differentiable
from ifonly.models.pace import Meter, Metered, Spent
from ifonly.models.protocol import Model
from ifonly.models.reading.points import spread
from ifonly.models.routes.bare import Bare, bare
from ifonly.models.routes.leaf_sets import DOUBLE, LeafSets
from ifonly.models.routes.lookup import Lookup
from ifonly.models.routes.pipeline_table import Direct, direct
from ifonly.space import Space
from ifonly.space.table.carry import tagged

Faithful = Direct | Bare | LeafSets
"""The routes that give the model's own scores, but for the last digits."""


def route(model: Any, adapted: Model, space: Space, probe: np.ndarray) -> Model:
    """Layers or tables in place of a pipeline, an array in place of a frame.

    Each is taken where it gives on `probe` [n, d] what the model gives.
    """
    if isinstance(adapted, Dense):
        return Lookup.of(adapted)
    if isinstance(adapted, TorchModule):
        read = differentiable(model, adapted, space, probe)
    elif not isinstance(adapted, TableModel) or adapted.carried is not None or not len(probe):
        return adapted  # what a model makes of carried columns is asked, not read
    elif hasattr(model, "steps"):
        try:
            read = differentiable(model, adapted, space, probe)
        except ModelError:
            return direct(model, adapted, probe) or adapted
    else:
        return bare(model, adapted, probe) or adapted
    return Lookup.of(read) if isinstance(read, Dense) and read.home is None else adapted


def contradicts(route: Model, said: np.ndarray, scores: np.ndarray) -> bool:
    """Whether what a route has `said` [n, c] cannot be a model's `scores` [n, c].

    Tables and arrays give the same scores but for the order in which trees are added up. Layers
    are read in single precision and give logits: there, decisions are compared where they are
    clear.
    """
    if isinstance(route, Faithful):
        rounding = route.rounding if isinstance(route, LeafSets) else DOUBLE
        return not np.allclose(
            said, scores, rtol=0, atol=rounding * (1 + np.abs(scores).max(initial=0))
        )
    if not isinstance(route, Lookup):
        return False
    if scores.shape[1] == 1:
        return not np.allclose(said, scores, rtol=0.01, atol=0.01 * (1 + scores.std()))
    return bool((said.argmax(axis=1) != scores.argmax(axis=1))[clear(said)].any())


def clear(logits: np.ndarray) -> np.ndarray:
    """bool [n]: whether logits [n, c] of layers in single precision decide as the model does."""
    ordered = np.sort(logits, axis=1)
    apart = ordered[:, -1] - ordered[:, -2]
    return np.asarray(apart > 0.01 * (1 + np.abs(ordered).max(axis=1)))


PROBES = 256
"""How many rows of the data, and how many random points, a faster route must agree on."""


@dataclass(frozen=True)
class Approach:
    """What a search needs to know of a model."""

    inner: Any
    """The user's model, or the one inside a threshold classifier: what can be read."""
    within: Model
    """The same over the space."""
    decision: Decision
    route: Model


def approach(
    model: Any,
    adapted: Model,
    space: Space,
    codes: np.ndarray,
    scores: np.ndarray,
    meter: Meter,
) -> Approach:
    """The approach to a model, `adapted` to a space, by rows [n, d] and their scores [n, c].

    Where it takes carried columns, rows are tagged.

    What the limits of the `meter` leave out is not known: the model itself is asked then.
    """
    points = spread(space, PROBES, seed=0)
    if codes.shape[1] > len(space):
        points = tagged(points, np.zeros(len(points)))
    plain = without_samplers(model)
    inner, threshold = unwrapped(plain)
    asked = adapted if isinstance(adapted, TableModel) else Metered(adapted, meter)
    try:
        decision = _decision(asked, codes, scores, points, threshold)
    except Spent:
        return Approach(model, adapted, Decision(threshold, found=True), adapted)
    if decision.threshold is None or decision.threshold != threshold:
        inner = plain  # a wrapper that does not decide as it seems to
    known = getattr(adapted, "carried", None)
    within = adapted if inner is model else adapt(inner, space, codes, known)
    if isinstance(within, TableModel) and within is not adapted:
        within = replace(within, meter=meter)
    if decision.labels:
        return Approach(model, adapted, decision, Labels(adapted))
    try:
        way = route(inner, within, space, np.concatenate([codes[:PROBES], points]))
    except Exception:  # a step that rejects points which no row of the data is like
        way = within
    if way is within or (decision.threshold is not None and isinstance(way, Lookup)):
        way = adapted  # logits do not tell a threshold on probabilities
    return Approach(inner, within, decision, way)


def _decision(
    model: Model,
    codes: np.ndarray,
    scores: np.ndarray,
    points: np.ndarray,
    threshold: float | None,
) -> Decision:
    """How the model decides, by what it says of rows of the data and of random points."""
    try:
        more = np.asarray(model.scores(points))
        every = np.concatenate([codes, points])
        return decision_of(model, every, np.concatenate([scores, more]), threshold)
    except ModelError:  # it rejects points that no row of the data is like
        return decision_of(model, codes, scores, threshold)
