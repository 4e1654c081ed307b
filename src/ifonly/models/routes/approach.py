"""How a search comes to a model: where its decisions lie, and the fastest route to its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapt import adapt
from ifonly.models.decision import Decision, Labels, decision_of, unwrapped
from ifonly.models.protocol import Model
from ifonly.models.reading.points import spread
from ifonly.models.routes.fastest import route
from ifonly.models.routes.lookup import Lookup
from ifonly.space import Space

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
    model: Any, adapted: Model, space: Space, codes: np.ndarray, scores: np.ndarray
) -> Approach:
    """The approach to a model, `adapted` to a space, by rows [n, d] and their scores [n, c]."""
    points = spread(space, PROBES, seed=0)
    inner, threshold = unwrapped(model)
    decision = _decision(adapted, codes, scores, points, threshold)
    if decision.threshold is None or decision.threshold != threshold:
        inner = model  # a wrapper that does not decide as it seems to
    within = adapted if inner is model else adapt(inner, space, codes)
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
