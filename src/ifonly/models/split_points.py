"""Where a tree ensemble can change its mind: the split points of each feature.

Between two neighbouring split points nothing changes, so the values worth trying are the two beside
each. The thresholds of a model's trees stand in the columns that it sees itself: these are the
features where it takes the frame, and are looked up in the tables of the direct route where it
stands at the end of a pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ifonly.models.adapters.table import TableModel
from ifonly.models.protocol import Model
from ifonly.models.reading.chain import Chain
from ifonly.models.reading.trees.ensembles import thresholds_of
from ifonly.models.routes.bare import Bare
from ifonly.models.routes.pipeline_table import MOST_VALUES, Direct
from ifonly.space import Continuous, Space


def read_stops(chain: Chain, route: Model, space: Space) -> dict[int, np.ndarray]:
    """For each continuous feature that a tree model splits, the codes beside its split points.

    Empty where the model, which was opened, is not of trees of a kind that can be read.
    """
    route = route.table if isinstance(route, Bare) else route
    if not isinstance(route, Direct | TableModel) or len(chain.steps) != isinstance(route, Direct):
        return {}
    try:
        found = thresholds_of(chain)
    except Exception:  # trees of a release not known here
        return {}
    if isinstance(route, Direct):
        return _looked_up(found, route)
    order = route.columns or space.names
    named = {space.index(order[column]): cuts for column, cuts in found.items()}
    beside = {j: _beside(cuts, space, j) for j, cuts in named.items() if space.continuous[j]}
    return {j: stops for j, stops in beside.items() if len(stops)}


def _looked_up(found: Mapping[int, np.ndarray], route: Direct) -> dict[int, np.ndarray]:
    """The codes on either side of each threshold, by the entries of the direct route.

    Empty where a number has very many values: its thresholds would leave no room on the grid for
    others, and the search along lines knows them.
    """
    stops, space = {}, route.table.space
    numbers = np.flatnonzero(space.continuous).tolist()
    if any(space.count(j) > MOST_VALUES for j in numbers):
        return {}
    for j in numbers:
        columns, codes = route.columns[j], space.values(j, space.count(j))
        seen = route.entries[j].of(codes)
        assert seen is not None, "every value of the space has an entry"
        if len(columns) == 1:
            stops[j] = _between(found.get(int(columns[0]), np.empty(0)), codes, seen[:, 0])
    return {j: some for j, some in stops.items() if len(some)}


def _between(cuts: np.ndarray, codes: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The codes [n] on either side of thresholds, by what the trees see of them [n]."""
    seen, cuts = seen.astype(np.float32), cuts.astype(np.float32)
    if len(seen) < 2 or not (np.diff(seen) >= 0).all():
        return np.empty(0)
    after = np.searchsorted(seen, cuts, side="right")
    before = np.searchsorted(seen, cuts, side="left")
    places = np.concatenate([after - 1, after, before - 1, before])
    return np.asarray(codes[np.unique(places[(places >= 0) & (places < len(seen))])])


def _beside(cuts: np.ndarray, space: Space, j: int) -> np.ndarray:
    """The codes on either side of thresholds in the feature's own numbers."""
    feature = space.features[j]
    assert isinstance(feature, Continuous)
    steps = np.floor(cuts / feature.step)
    values = np.concatenate([steps - 1, steps, steps + 1, steps + 2]) * feature.step
    values = np.round(values, feature.decimals)
    return np.unique(values[(values >= feature.low) & (values <= feature.high)])
