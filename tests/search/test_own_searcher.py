"""A searcher of one's own that follows the gradient, against public names only."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.search import Engine, Union
from ifonly.testing import check_searcher


class Steps:
    """Steps of some sizes from the row along the gradient, kept to what the row may become."""

    needs: ClassVar[frozenset[str]] = frozenset({"gradient"})

    def search(self, problem: Any, k: int) -> Any:
        units, goal = problem.space.units(problem.x), problem.goal
        up = np.where(problem.gradient.logits(units) < goal.low[:, None], 1.0, -1.0)
        classes = len(problem.model.classes)
        weights = np.eye(classes)[goal.wanted] - 1 / classes if classes else up
        slope = problem.gradient.logits_gradient(units, weights)[1]
        step = slope / np.abs(slope).max(axis=1, keepdims=True)
        tried = [np.clip(units + size * step, 0, 1) for size in (0.1, 0.3, 1.0, 3.0)]
        pool = problem.ask(problem.box.clip(problem.space.snap(np.stack(tried, axis=1))))
        return pool.without(~problem.changed(pool.points).any(axis=-1))


@pytest.mark.parametrize("mine", [Steps(), Union((Union((Steps(),)), Engine()))])
def test_it_answers_and_keeps_the_laws(mine: Any) -> None:
    data = pd.DataFrame({"income": np.arange(90), "debt": np.arange(90) * 7 % 90})
    model = LogisticRegression().fit(data, data["income"] > data["debt"])
    answers = ifonly.explain(model, data[:40], data=data, k=1, method=mine)
    assert set(answers.status) == {"found"}
    check_searcher(mine)
