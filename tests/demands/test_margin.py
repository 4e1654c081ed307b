"""`margin=`: answers are that far beyond the edge, in the search, the gradient and the solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression

import ifonly
from ifonly import Logit
from ifonly.errors import OptionError

from .small_table import NUMBERS, asked, explained, points


@pytest.mark.filterwarnings("ignore:Stochastic")
@pytest.mark.parametrize("margin", [0.05, 0.2, Logit(0.5)])
@pytest.mark.parametrize("kind", ["linear", "network", "forest"])
def test_every_answer_reaches_the_margin(models: dict[str, Any], kind: str, margin: Any) -> None:
    model = models[kind]
    least = 1 / (1 + np.exp(-0.5)) if isinstance(margin, Logit) else 0.5 + margin
    answers = explained(model, margin=margin)
    assert answers.filled.all()
    assert (model.predict_proba(points(answers))[:, 1] >= least - 1e-8).all()


@pytest.mark.parametrize("kind", ["linear", "tree"])
def test_a_solver_proves_the_nearest_with_a_margin(models: dict[str, Any], kind: str) -> None:
    model = models[kind]
    proved = explained(model, margin=0.2, certify=True).certificates()
    assert proved["proved"].all()
    grid = pd.DataFrame([(i, d) for i in range(60) for d in range(20)], columns=["income", "debt"])
    good = grid[model.predict_proba(grid)[:, 1] >= 0.7 - 1e-8].to_numpy(dtype=float)
    metric = explained(model).metric
    for price, (_, row) in zip(proved["price"], asked(model).iterrows(), strict=True):
        every = metric.price(good[None], row.to_numpy(dtype=float)[None, None])
        assert np.isclose(every.min(), price)


def test_a_margin_is_obeyed_by_the_gradient(models: dict[str, Any]) -> None:
    answers = explained(models["linear"], margin=0.2, method="gradient")
    assert (answers.score[answers.filled] >= 0.7 - 1e-8).all()
    assert answers.filled.any()


def test_a_margin_narrows_a_range_and_leads_several_classes() -> None:
    rate = LinearRegression().fit(NUMBERS, NUMBERS["income"] * 2.0)
    row = NUMBERS[NUMBERS["income"] < 20][:1]
    number = ifonly.explain(rate, row, data=NUMBERS, target=(60, 80), margin=5, k=1)
    assert number.score.item() >= 65 - 1e-6
    third = np.digitize(NUMBERS["income"], [20, 40])
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(NUMBERS, third)
    several = ifonly.explain(model, row, data=NUMBERS, target=2, margin=0.4, k=1)
    shares = np.sort(model.predict_proba(points(several))[0])
    assert shares[-1] - shares[-2] >= 0.4 - 1e-8


@pytest.mark.parametrize("margin", [0.5, -0.1, "wide", True, float("nan")])
def test_a_margin_that_cannot_be_is_refused(models: dict[str, Any], margin: Any) -> None:
    with pytest.raises(OptionError, match="margin"):
        explained(models["linear"], margin=margin)


def test_a_margin_needs_scores() -> None:
    labels = ifonly.as_model(
        lambda f: np.where(f["income"] > 20, "yes", "no"), classes=["no", "yes"], gives="labels"
    )
    with pytest.raises(OptionError, match="labels"):
        ifonly.explain(labels, NUMBERS[:1], data=NUMBERS, margin=0.1)
