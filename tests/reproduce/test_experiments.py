"""Each experiment, on little: what its cells hold, and what must be true of it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ifonly.datasets import load
from ifonly.paper import Cell, Plan, Store
from ifonly.paper.experiments import echo as echoing
from ifonly.paper.experiments import lambdas
from ifonly.paper.experiments.lime import _explainer, _linear, _parts
from ifonly.paper.experiments.subjects import subject
from ifonly.paper.experiments.training import oversampled
from ifonly.paper.report.tables import echoed


def frame(tiny: Any, experiment: str, **where: Any) -> pd.DataFrame:
    table = tiny.found.results.table(experiment)
    for name, value in where.items():
        table = table[table[name] == value]
    return table


def test_oversampling_makes_both_outcomes_as_many_and_keeps_every_row() -> None:
    units, outcome = np.arange(10.0)[:, None], np.array([0] * 8 + [1] * 2)
    more, labels = oversampled(units, outcome, seed=0)
    assert np.bincount(labels).tolist() == [8, 8]
    assert np.array_equal(more[:10], units)
    assert set(more[10:, 0]) <= {8.0, 9.0}


def test_trained_models_are_better_than_the_commoner_outcome(tiny: Any) -> None:
    models = frame(tiny, "models", method="as it is", data="german_credit")
    _, test = load("german_credit").split()
    common = test.outcome.value_counts(normalize=True).max()
    assert len(models) == 2
    assert (models["accuracy"] >= common - 0.02).all()


def test_a_cell_of_sets_has_a_line_a_row_with_metrics_and_boundary(tiny: Any) -> None:
    part = frame(tiny, "sets", data="german_credit", method="DiverseCF", k=4)
    assert part["query"].tolist() == list(range(tiny.plan.rows))
    assert part["valid_unique"].between(0, 1).all()
    for radius in ("0.5", "1", "2"):
        assert part[f"f1 at {radius}"].between(0, 1).all()


def test_rows_want_what_their_model_does_not_say(tiny: Any) -> None:
    asked = subject(tiny.plan, tiny.store, "german_credit", "ann")
    said = asked.model.scores(asked.space.codes(asked.rows)).argmax(axis=1)
    assert [asked.model.classes[1 - one] for one in said] == list(asked.wanted)


def test_limes_linear_model_is_the_one_that_lime_fitted(tiny: Any) -> None:
    asked = subject(tiny.plan, tiny.store, "compas", "ann")
    explainer = _explainer(asked, seed=0)
    row = asked.space.codes(asked.rows)[0]
    intercept, weights = _linear(explainer, asked, row, asked.wanted[0])
    again = _explainer(asked, seed=0).explain_instance(
        row,
        asked.model.scores,
        labels=(asked.model.classes.index(asked.wanted[0]),),
        num_features=len(asked.space),
    )
    same = _parts(explainer, row[None]) == _parts(explainer, row[None])
    assert (intercept + same @ weights)[0] == pytest.approx(again.local_pred[0])


def test_examples_are_in_the_papers_layout(tiny: Any) -> None:
    part = frame(tiny, "qualitative", data="compas", method="DiverseCF-Sparse")
    assert part["line"].tolist()[0] == "Original input"
    first = part.iloc[0]
    assert (first["PriorsCount"], first["CrimeDegree"], first["Sex"]) == ("10", "F", "Female")
    assert (part.iloc[1:][["PriorsCount", "Race", "Age", "Sex"]] == "---").any(axis=None)


def test_the_paper_s_pair_of_lambdas_is_on_the_grid(tiny: Any) -> None:
    assert len(set(product(lambdas.LAMBDA1, lambdas.LAMBDA2))) == 20
    assert lambdas.CHOSEN in product(lambdas.LAMBDA1, lambdas.LAMBDA2)
    grid = frame(tiny, "lambdas", data="german_credit")
    assert len(grid) == 4
    assert ((grid["lambda1"] == 0.5) & (grid["lambda2"] == 1.0)).sum() == 1


def test_the_authors_figures_come_out_when_points_are_drawn_as_they_drew(records: Path) -> None:
    plan = Plan(records=records)
    (cell,) = echoing.cells(plan)
    assert cell == Cell("echo", "adult", "ann", "DiverseCF", 4)
    from ifonly.paper.authors.records import Records

    table = echoed(echoing.run(cell, plan, Store(Path())), Records(records))
    told = table[table["outcome"] == ">50K"]
    assert told["box, as the authors drew"].to_numpy() == pytest.approx(
        told["authors' record"].to_numpy(), abs=0.003
    )
    assert (told["box, independent"] < told["authors' record"] - 0.03).all()
