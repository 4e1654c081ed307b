"""A rule of one's own is one class: it is searched, repaired, proved, printed and saved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.rules import Rule, Scene, from_plain, to_plain
from ifonly.rules.formula import Formula, Variables, all_of, any_of, bound
from ifonly.testing import check_rule


@dataclass(frozen=True)
class ChangesWithin(Rule):
    """The changes of two numbers add up to at most so much."""

    kind: ClassVar[str] = "changes within"
    one: str
    other: str
    most: float

    def __str__(self) -> str:
        return f"{self.one} and {self.other} change by at most {self.most:g} in all"

    def check(self, space: ifonly.Space) -> None:
        assert all(space.continuous[space.index(name)] for name in (self.one, self.other))

    def holds(self, space: ifonly.Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        both = [space.index(self.one), space.index(self.other)]
        return np.asarray(np.abs(points - x[:, None])[..., both].sum(-1) <= self.most + 1e-9)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        for name, than in ((self.other, self.one), (self.one, self.other)) if wanted else ():
            j, i = scene.space.index(name), scene.space.index(than)
            left = np.maximum(self.most - np.abs(scene.value(i) - scene.own(i)), 0.0)
            scene = scene.moved(
                scene.with_value(j, scene.between(j, scene.own(j) - left, scene.own(j) + left))
            )
        return scene.points

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        one, other = variables.number(self.one), variables.number(self.other)
        signs = product((1.0, -1.0), repeat=2)
        sums = [(one.value - one.own) * a + (other.value - other.own) * b for a, b in signs]
        if wanted:
            return all_of(bound(total, high=self.most + 1e-9) for total in sums)
        return any_of(bound(total, low=self.most + 1e-6) for total in sums)


RULE = ChangesWithin("age", "hours", 6)
RNG = np.random.default_rng(3)
DATA = pd.DataFrame({name: RNG.integers(0, 12, 200) for name in ("age", "hours", "debt")})
WANTED = DATA["age"] + DATA["hours"] - DATA["debt"] + RNG.normal(0, 1, 200) > 8
KINDS = [LogisticRegression(), RandomForestClassifier(8, max_depth=5, random_state=0)]
MODELS = [model.fit(DATA, WANTED) for model in KINDS]


def explain(model: Any, *rules: str, **options: Any) -> ifonly.Answers:
    refused = DATA[~model.predict(DATA)][:12]
    return ifonly.explain(model, refused, data=DATA, rules=[RULE, "debt fixed", *rules], **options)


def nearest(model: Any, row: np.ndarray, space: ifonly.Space) -> float:
    """The price of the nearest answer that obeys, among all that there are."""
    every = np.array(list(product(range(12), range(12), [row[2]])), dtype=float)
    every = every[RULE.holds(space, row[None], every[None])[0]]
    every = every[model.predict(pd.DataFrame(every, columns=DATA.columns))]
    return float(ifonly.space.Metric.of(space).price(every, row).min(initial=np.inf))


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("options", [{}, {"method": "exact"}, {"certify": True}], ids=str)
def test_every_answer_obeys_and_the_proved_one_is_the_nearest(
    model: Any, options: dict[str, Any]
) -> None:
    answers = explain(model, k=2, **options)
    assert answers.filled[:, 0].any()
    held = RULE.holds(answers.space, answers.x, answers.points)
    assert held[answers.filled].all()
    best = [nearest(model, row, answers.space) for row in answers.x]
    found = np.where(answers.filled[:, 0], answers.price()[:, 0], np.inf)
    assert (found >= np.array(best) - 1e-9).all()
    if options:
        assert np.allclose(found, best)
        assert np.allclose(answers.bound, best)


def test_a_proposal_that_breaks_it_is_repaired() -> None:
    space = ifonly.Space.infer(DATA)
    x, points = np.zeros((1, 3)), np.array([[9.0, 3.0, 1.0], [8.0, 8.0, 0.0], [2.0, 5.0, 0.0]])
    box = ifonly.rules.Box.whole(space, x)
    moved = RULE.reach(Scene(space, x, points, box, np.zeros(3, dtype=int)), True)
    assert moved.tolist() == [[6, 0, 1], [6, 0, 0], [2, 4, 0]]
    assert RULE.holds(space, x, moved[None]).all()


def test_it_keeps_the_laws_of_a_rule_and_is_printed_and_saved() -> None:
    check_rule(RULE, ifonly.Space.infer(DATA), m=100)
    assert from_plain(to_plain(RULE)) == RULE
    answers = explain(MODELS[0])
    assert "age and hours change by at most 6 in all" in answers.record["rules"]
    assert ifonly.Answers.from_json(answers.to_json()).record["rules"] == answers.record["rules"]


def test_it_is_named_where_rules_conflict() -> None:
    answers = explain(MODELS[0], "age increases by at least 7")
    assert set(answers.status) == {ifonly.Status.INFEASIBLE}
    assert any(str(RULE) in note for note in answers.notes)
