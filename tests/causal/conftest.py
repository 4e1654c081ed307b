"""The lender as a test bed: its rows, its space, and models of every kind of equation."""

from __future__ import annotations

import pytest

from ifonly import Space
from ifonly.causal import Boosted, CausalModel
from ifonly.datasets import Lender, make_lender


@pytest.fixture(scope="session")
def lender() -> Lender:
    return make_lender(4_000, seed=0)


@pytest.fixture(scope="session")
def space(lender: Lender) -> Space:
    return Space.infer(lender.frame)


@pytest.fixture(scope="session")
def models(lender: Lender, space: Space) -> dict[str, CausalModel]:
    """The lender's own equations, and equations of both kinds fitted to its rows.

    The trees are those of `CausalModel.fit`, without the five fits for each error.
    """
    codes = space.codes(lender.frame)
    trees = {}
    for effect in lender.equations:
        places = [space.index(name) for name in lender.graph[effect]]
        causes = [space.features[j] for j in places]
        trees[effect] = Boosted.fit(causes, codes[:, places], codes[:, space.index(effect)])
    return {
        "true": CausalModel(lender.graph, lender.equations),
        "linear": CausalModel.fit(lender.graph, lender.frame),
        "boosted": CausalModel(lender.graph, trees),
    }


@pytest.fixture(params=["true", "linear", "boosted"])
def model(request: pytest.FixtureRequest, models: dict[str, CausalModel]) -> CausalModel:
    return models[request.param]
