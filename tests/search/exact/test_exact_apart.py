"""Answers that lie apart: each is the nearest of what is left, and none is taken back."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.search import Exact
from ifonly.space import Metric

MODELS = {
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=6, random_state=0),
    "logistic": LogisticRegression(),
}


def left_of(points: np.ndarray, metric: Metric, taken: np.ndarray, apart: float) -> np.ndarray:
    """The points [n, d] at least so far from each of those taken [k, d]."""
    for one in taken:
        points = points[metric.distance(points, one[None]) >= apart * (1 - 1e-9)]
    return points


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", MODELS)
def test_each_answer_is_the_nearest_that_far_from_those_before(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {f"n{j}": rng.integers(0, int(rng.integers(3, 8)), 60) / 2 for j in range(3)}
    )
    truth = data.to_numpy() @ rng.normal(size=3) + rng.normal(0, 0.5, 60)
    model = MODELS[name].fit(data, (truth > np.median(truth)).astype(int))
    rows = data[model.predict(data) == 0].drop_duplicates()[:5]
    apart = float(rng.choice([0.25, 0.5, 1.0, 1.5]))
    answers = ifonly.explain(model, rows, data=data, k=3, target=1, method=Exact(apart=apart))
    space, metric = answers.space, Metric.of(answers.space)
    steps = [np.arange(round(f.low * 10), round(f.high * 10) + 1) / 10 for f in space.features]
    every = np.array(list(product(*steps)))
    valid = every[model.predict(space.rows(every)) == 1]
    for x, points, filled in zip(answers.x, answers.points, answers.filled, strict=True):
        found = points[filled]
        for place in range(3):
            left = left_of(valid, metric, found[:place], apart)
            if place == len(found):
                assert not len(left), "another answer is left"
                break
            assert len(left)
            far = metric.price(found[place][None], x[None])[0]
            assert far == pytest.approx(metric.price(left, x[None]).min(), abs=1e-9)


def test_three_answers_far_enough_apart_may_exist_without_the_nearest() -> None:
    """Of 0, 3, 5 and 10 those five apart are 0, 5 and 10; from 2 the nearest is 3, then 10."""
    data = pd.DataFrame({"value": np.tile(np.arange(11), 3)})
    model = DecisionTreeClassifier(random_state=0).fit(data, data["value"].isin([0, 3, 5, 10]))
    row = pd.DataFrame({"value": [2]})
    mad = float(Metric.of(ifonly.Space.infer(data)).mad[0])
    answers = ifonly.explain(model, row, data=data, k=3, target=True, method=Exact(apart=5 / mad))
    assert answers.frame()["value"].tolist() == [3, 10]
    assert answers.status == (ifonly.Status.PARTIAL,)
