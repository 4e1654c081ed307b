"""Further answers are each the nearest that is unlike those before it, until none is left."""

from __future__ import annotations

import numpy as np
import pytest

from ifonly.search import Exact

from .fitted import KINDS, fitted
from .tried import Tried, random_question

CLOSE = 1e-9
TASKS = ("two", "number")


def check_unlike(tried: Tried, points: np.ndarray, k: int, apart: float | None) -> None:
    """Assert that points [n, d] are, one after another, the nearest answers that are left.

    A point just about so far apart may count or not.
    """
    answers, costs = tried.answers, tried.cost(tried.answers)
    changed = tried.changed(answers)
    may, must = np.ones(len(answers), dtype=bool), np.ones(len(answers), dtype=bool)
    for place in range(k):
        least, most = costs[may].min(initial=np.inf), costs[must].min(initial=np.inf)
        if place == len(points):
            assert most == np.inf, f"{place} answers, and there is one at {most}"
            return
        cost = tried.cost(points[place][None])[0]
        assert least - CLOSE <= cost <= most + CLOSE, place
        if apart is None:
            unlike = (changed != tried.changed(points[place][None])).any(axis=1)
            may, must = may & unlike, must & unlike
        else:
            away = tried.metric.distance(answers, points[place][None])
            may, must = may & (away >= apart - CLOSE), must & (away >= apart + CLOSE)


@pytest.mark.sample(4)
@pytest.mark.parametrize("apart", [None, 0.5], ids=["other features", "apart"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("machine", "extra trees")])
def test_each_answer_is_the_nearest_that_is_unlike_those_before_it(
    kind: str, apart: float | None
) -> None:
    rng = np.random.default_rng(len(kind))
    question = random_question(fitted(kind, TASKS[len(kind) % 2], rng), rng, q=3, ruled=0.5)
    answers = question.ask(method=Exact(apart=apart), k=5)
    for row, tried in enumerate(question.tried):
        points = answers.points[row][answers.filled[row]]
        if tried.already:
            assert not len(points)
            continue
        check_unlike(tried, points, 5, apart)
        count = len(points)
        word = {0: "infeasible", 5: "found"}.get(count, "partial")
        assert answers.status[row] == word
