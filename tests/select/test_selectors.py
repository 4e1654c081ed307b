"""Every selector keeps the laws of a selector, and the kit notices one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact_choice import ExactChoice
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.rules import at_most_change
from ifonly.select import Determinant, Filtered, InOrder, Polish, Selector, Ways
from ifonly.testing import MODEL_KINDS, check_selector, random_pool, random_problem

DROPS = {"fills": False}
FINDS = {"adds": True}
ALL: dict[str, tuple[Selector, dict[str, bool]]] = {
    "determinant": (Determinant(), {}),
    "nearest": (Determinant(diversity=0.0), {}),
    "widest": (Determinant(diversity=1.0, nearest=False), {}),
    "in order": (InOrder(), DROPS),
    "filtered": (Filtered(Determinant(), (at_most_change(2),)), DROPS),
    "polish": (Polish(Determinant()), FINDS),
    "polish of the nearest": (Polish(Determinant(diversity=0.0)), FINDS),
    "ways": (Ways(), {**DROPS, **FINDS}),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", MODEL_KINDS)
@pytest.mark.parametrize("name", ALL)
def test_a_selector_keeps_the_laws(name: str, kind: str) -> None:
    selector, options = ALL[name]
    check_selector(selector, [random_problem(seed, kind, q=3) for seed in (0, 1)], **options)


@given(seed=st.integers(0, 10_000), k=st.integers(1, 26), name=st.sampled_from(sorted(ALL)))
@settings(max_examples=12, deadline=None)
def test_a_selector_keeps_the_laws_on_any_problem(seed: int, k: int, name: str) -> None:
    selector, options = ALL[name]
    check_selector(selector, [random_problem(seed, q=4)], k, **options)


def test_the_best_set_is_a_choice_like_any_other() -> None:
    problems = [random_problem(seed, q=3) for seed in range(12)]
    whole = [one for one in problems if not one.metric.missing]
    assert len(whole) >= 3
    check_selector(ExactChoice(Determinant()), whole, k=3)


@dataclass(frozen=True)
class Broken:
    """The nearest points, then something that a selector must not do."""

    fault: str

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        points, filled = Determinant(diversity=0.0).select(problem, pool, k)
        if self.fault == "shape":
            return points[:, 1:], filled[:, 1:]
        if self.fault == "invalid":
            filled[:] = True
        elif self.fault == "twice":
            both = filled[:, 0] & filled[:, 1]
            points[both, 1] = points[both, 0]
        elif self.fault == "order":
            both = filled.all(axis=1)
            points[both] = points[both][:, ::-1]
        elif self.fault == "gap":
            filled[:, -1] = False
            points[:, -1] = problem.x
        elif self.fault == "row":
            points[~filled] += 1.0
        elif self.fault == "stranger":
            return Polish(Determinant()).select(problem, pool, k)
        elif (self.fault, len(points)) == ("batch", 1) or (
            (self.fault, pool.margin.shape[1]) == ("padding", 48)
        ):
            points[:], filled[:] = problem.x[:, None], False
        elif self.fault == "input":
            pool.margin[:] = -np.inf
        return points, filled


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("shape", "points have the shape"),
        ("invalid", "does not have the wanted outcome"),
        ("twice", "the same point twice"),
        ("order", "not in order"),
        ("gap", "places filled, of a pool with"),
        ("row", "does not have the row itself"),
        ("stranger", "no valid candidate of the pool"),
        ("batch", "get other answers alone"),
        ("padding", "get other answers with more empty slots"),
        ("input", "changed margin|of a pool with|no valid candidate"),
    ],
)
def test_the_kit_names_what_a_broken_selector_breaks(fault: str, message: str) -> None:
    drawn = (random_problem(seed, "linear", q=4) for seed in range(4, 40))
    valid = (one for one in drawn if all(random_pool(one, i).valid.any() for i in range(3)))
    problems = list(islice(valid, 3))
    with pytest.raises(AssertionError, match=message):
        check_selector(Broken(fault), problems, k=5)
