"""A demand is obeyed by the search and the judge, and a row that it leaves short says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ifonly import Explainer, Status, as_model
from ifonly.errors import OptionError
from ifonly.models import Counted
from ifonly.problem.demand import Demand, least_margin
from ifonly.problem.goal import Goal
from ifonly.solve.method import method_of
from ifonly.space import Space

DATA = pd.DataFrame({"income": np.arange(0, 100, 5), "debt": np.arange(0, 40, 2)})


@dataclass(frozen=True)
class AtLeast:
    """That the first feature is at least so much."""

    least: float
    asks: int = 1

    def margin(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        assert (x.shape, len(goal.wanted)) == (points.shape, len(x))
        return np.asarray(points[:, 0] - self.least + 0.5)

    def over(self, space: Space) -> AtLeast:
        return self

    def __str__(self) -> str:
        return f"income is at least {self.least:g}"


def asking(*demands: Demand) -> Explainer:
    rich = as_model(lambda f: f["income"] > 40, classes=["no", "yes"])
    explainer = Explainer(rich, data=DATA)
    explainer.setting = replace(explainer.setting, demands=demands)
    return explainer


def test_every_answer_meets_a_demand_and_is_tight_at_it() -> None:
    answers = asking(AtLeast(70)).explain(DATA[:4], k=2)
    assert answers.status == (Status.FOUND,) * 4
    assert (answers.frame()["income"] >= 70).all()
    assert (answers.frame().groupby("query")["income"].min() == 70).all()


@given(hnp.arrays(float, (3, 12), elements=st.floats(-2, 2)), st.floats(-1, 3))
def test_law_what_lacks_the_outcome_is_not_ahead_of_what_fails_a_demand(
    margin: np.ndarray, least: float
) -> None:
    demand, model, goal = AtLeast(least), Counted(None, None), Goal(*np.zeros((3, 3)))  # type: ignore[arg-type]
    points = np.repeat(margin[:, :, None], 2, axis=2)  # the demand asks for more of the same
    known: Any = {"demands": [demand], "model": model, "goal": goal}
    found = least_margin(x=points[:, 0], points=points, margin=margin, **known)
    own = np.minimum(margin, points[:, :, 0] - least + 0.5)
    assert ((found > 0) == ((margin > 0) & (own > 0))).all()
    assert (found[margin > 0] == own[margin > 0]).all()
    lacking, failing = margin <= 0, (margin > 0) & (own <= 0)
    for row in range(3):
        order = np.argsort(margin[row][lacking[row]])
        assert (np.diff(found[row][lacking[row]][order]) >= 0).all()
        if failing[row].any() and lacking[row].any():
            lost = (margin[row] - own[row])[failing[row]].mean()
            assert np.allclose(found[row][lacking[row]], margin[row][lacking[row]] - lost)
        alone = {**known, "goal": goal.take(np.array([row]))}
        one = points[[row]]
        assert (
            found[[row]] == least_margin(x=one[:, 0], points=one, margin=margin[[row]], **alone)
        ).all()


def test_a_row_left_short_names_the_demand() -> None:
    answers = asking(AtLeast(30), AtLeast(500)).explain(DATA[:1], k=2)
    assert answers.status[0] in (Status.NOT_FOUND, Status.INFEASIBLE)
    assert "Without the demand that income is at least 500, 2 answers" in answers.notes[0]
    assert answers.why(0).rejected["income is at least 500"] > 0


def test_a_row_that_has_the_outcome_and_not_the_demand_is_not_answered_already() -> None:
    answers = asking(AtLeast(70)).explain(DATA[10:20:9], target="yes", k=1)
    assert answers.status == (Status.FOUND, Status.ALREADY)


def test_a_solver_is_refused_a_demand() -> None:
    explainer = asking(AtLeast(70))
    explainer.method = method_of("exact")
    with pytest.raises(OptionError, match="income is at least 70"):
        explainer.explain(DATA[:1], k=1)
