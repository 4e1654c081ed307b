"""Every searcher keeps the laws of a searcher, and the kit notices one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search import Edits, Neighbours, Union
from ifonly.solve.method import SEARCHERS
from ifonly.testing import MODEL_KINDS, check_searcher, random_problem

ALL = {
    **SEARCHERS,
    "wide edits": Edits(width=40, depth=2),
    "deep edits": Edits(width=6, depth=4),
    "one neighbour": Neighbours(count=1),
    "a union of unions": Union((Union((Edits(width=4),)), Neighbours(count=3))),
}


DESCENDING = ("linear", "three classes", "regression")
"""The kinds of models that have a gradient, and can be read."""
INSIDE = ("gradient", "exact")
"""The searchers that look inside a model."""


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("name", "kind"),
    [(n, k) for n in ALL for k in MODEL_KINDS if n not in INSIDE or k in DESCENDING],
)
def test_a_searcher_keeps_the_laws(name: str, kind: str) -> None:
    seeds = (1, 3) if name in INSIDE else range(4)  # these take their time
    check_searcher(ALL[name], [random_problem(seed, kind, q=4) for seed in seeds])


ANY = sorted(set(ALL) - set(INSIDE))


@pytest.mark.sample(3)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), name=st.sampled_from(ANY))
@settings(max_examples=25, deadline=None)
def test_a_searcher_keeps_the_laws_on_any_problem(seed: int, k: int, name: str) -> None:
    check_searcher(ALL[name], [random_problem(seed, q=4)], k)


@pytest.mark.parametrize("method", [name for name in SEARCHERS if name not in INSIDE])
def test_a_described_space_without_data_is_enough(method: str) -> None:
    space = ifonly.Space.describe(
        {"name": "age", "low": 18, "high": 80, "mad": 10}, {"name": "job", "levels": ["a", "b"]}
    )
    model = ifonly.as_model(lambda frame: frame["age"] > 40, classes=["no", "yes"])
    rows = pd.DataFrame({"age": [20, 30], "job": ["a", "b"]})
    answers = ifonly.explain(model, rows, space=space, k=2, method=method)
    # Neighbours are rows of the data, so without data there are none.
    wanted = "not_found" if method == "neighbours" else "found"
    assert answers.status == (wanted, wanted)


@dataclass(frozen=True)
class Broken:
    """Edits, then something that a searcher must not do."""

    fault: str

    def search(self, problem: Problem, k: int) -> Pool:
        pool = Edits(width=2, depth=2).search(problem, k)
        points, margin = pool.points.copy(), pool.margin.copy()
        if self.fault == "shape":
            margin = margin[:, :-1]
        elif self.fault == "margin":
            margin[margin > -np.inf] += 1.0
        elif self.fault == "rule":
            margin[np.isneginf(margin)] = 1.0
        elif self.fault == "batch":
            points, margin = points[:, len(points) :], margin[:, len(points) :]
        elif self.fault == "input":
            problem.x[0, 0] += 1.0
        elif self.fault == "state":
            problem.stream[:] = 0
        return Pool(points, margin)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("shape", "margins have the shape"),
        ("margin", "not the one that problem.margin gives"),
        ("rule", "problem.margin|breaks"),
        ("batch", "gets other proposals alone"),
        ("input", "changed the problem's x|problem.margin|other proposals"),
        ("state", "changed the problem's stream"),
    ],
)
def test_the_kit_names_what_a_broken_searcher_breaks(fault: str, told: str) -> None:
    problems: list[Any] = [random_problem(seed, "linear") for seed in (1, 2)]
    with pytest.raises(AssertionError, match=told):
        check_searcher(Broken(fault), problems)
