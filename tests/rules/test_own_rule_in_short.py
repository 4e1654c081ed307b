"""A rule of one's own, searched, repaired and proved, against public names only."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.rules import Rule
from ifonly.rules.formula import bound


class Balanced(Rule):
    """What one number gains, the other loses; stated alone, so that `wanted` is always True."""

    def __str__(self) -> str:
        return "what income gains, debt loses"

    def check(self, space: Any) -> None: ...

    def holds(self, space: Any, x: Any, points: Any) -> Any:
        return np.asarray((points - x[:, None]).sum(axis=-1) == 0)

    def reach(self, scene: Any, wanted: bool) -> Any:
        debt = scene.own(0) + scene.own(1) - scene.value(0)
        return scene.with_value(1, scene.between(1, debt, debt)) if wanted else scene.points

    def formula(self, variables: Any, wanted: bool) -> Any:
        both = [variables.number(name) for name in ("income", "debt")]
        return bound(both[0].value + both[1].value, *2 * [both[0].own + both[1].own])


def test_every_answer_obeys_and_the_nearest_is_proved() -> None:
    data = pd.DataFrame({"income": np.arange(90) % 45, "debt": np.arange(90) * 7 % 45})
    model = LogisticRegression().fit(data, data["income"] > data["debt"])
    answers = ifonly.explain(model, data[1:9], data=data, k=1, rules=[Balanced()], certify=True)
    assert (answers.points.sum(axis=2) == answers.x.sum(axis=1, keepdims=True)).all()
    assert np.allclose(answers.bound, answers.price()[:, 0])
