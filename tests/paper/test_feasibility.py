"""The paper's causal filter, and rules in the search in its place."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.models import Dense
from ifonly.paper.experiments.feasibility import causal_feasibility, causal_rules
from ifonly.space import Categorical

ORDER = [
    "School",
    "HS-grad",
    "Some-college",
    "Assoc",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
]


@pytest.fixture(scope="module")
def figures() -> pd.DataFrame:
    if not {"IFONLY_PAPER", "IFONLY_DATA"} <= set(os.environ):
        pytest.skip("IFONLY_PAPER and IFONLY_DATA do not name the paper's records and data")
    folder = Path(os.environ["IFONLY_PAPER"])
    record = json.loads((folder / "models.json").read_text())["adult"]
    queries = json.loads((folder / "queries.json").read_text())["adult"]
    dataset = ifonly.datasets.load("adult")
    train, _ = dataset.split()
    space = ifonly.Space.infer(train.features, ordinal={"education": ORDER})
    columns = [(one["feature"], str(one.get("level"))) for one in record["columns"]]
    order = [
        columns.index((feature.name, str(level)))
        for feature in space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]
    (kernel, bias), *rest = (
        (np.array(layer["kernel"]), np.array(layer["bias"]))
        for layer in record["models"]["ann"]["layers"]
    )
    model = Dense([(kernel[order], bias), *rest], space, (0, 1))
    table = causal_feasibility(
        model,
        dataset.features.iloc[queries["rows"]],
        data=train.features,
        space=space,
        target=queries["model_output_wanted"],
        k=4,
    )
    return table.set_index(["rules", "rows"])


def test_over_a_third_of_education_changes_are_infeasible_without_rules(
    figures: pd.DataFrame,
) -> None:
    plain = figures.loc["no rules"]
    assert plain.loc["all", "of changes"] > 1 / 3
    assert plain.loc["highly educated", "of changes"] > 1 / 2
    assert plain.loc["highly educated", "of answers"] > 0.4


def test_the_filter_leaves_gaps(figures: pd.DataFrame) -> None:
    plain, filtered = figures.loc["no rules"], figures.loc["filter"]
    assert (filtered["infeasible"] == 0).all()
    broken = plain["infeasible"]
    assert (filtered["answers"] == plain["answers"] - broken).all()


def test_rules_in_the_search_leave_none_and_no_fewer_answers(figures: pd.DataFrame) -> None:
    plain, ruled = figures.loc["no rules"], figures.loc["rules in the search"]
    assert (ruled["infeasible"] == 0).all()
    assert (ruled["answers"] >= plain["answers"]).all()
    assert (ruled["answers"] == ruled["asked"]).all()


def test_the_rules_are_the_papers() -> None:
    lines = ["education increases => age increases", "education only increases"]
    assert [str(rule) for rule in causal_rules()] == lines
