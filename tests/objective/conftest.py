"""A small space with both kinds of features, and networks over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ifonly.models import Dense
from ifonly.space import Metric, Space


@pytest.fixture(scope="session")
def space() -> Space:
    return Space.describe(
        {"name": "age", "low": 17, "high": 90, "mad": 10},
        {"name": "rate", "low": 0, "high": 2, "mad": 0.25, "decimals": 2},
        {"name": "job", "levels": ["a", "b", "c"]},
        {"name": "home", "levels": ["own", "rent"]},
    )


@pytest.fixture(scope="session")
def metric(space: Space) -> Metric:
    return Metric.of(replace(space, weights={"rate": 2.0, "job": 0.5}))


@pytest.fixture(scope="session")
def network(space: Space) -> Callable[..., Dense]:
    """Makes a network of the given widths; without classes it is a regression."""

    def make(*widths: int, classes: tuple[str, ...] = ()) -> Dense:
        random = np.random.default_rng(5)
        sizes = [space.offsets[-1], *widths]
        layers = [
            (random.normal(size=(before, after)), random.normal(size=after))
            for before, after in pairwise(sizes)
        ]
        return Dense(layers, space, classes)

    return make
