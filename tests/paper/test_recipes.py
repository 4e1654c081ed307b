"""The paper's method and its baselines on the published networks and rows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ifonly
from ifonly import recipes
from ifonly.models import Dense
from ifonly.space import Categorical

SETS = ("adult", "compas", "german_credit", "lending_club")

pytestmark = pytest.mark.skipif(
    not {"IFONLY_PAPER", "IFONLY_DATA"} <= set(os.environ),
    reason="IFONLY_PAPER and IFONLY_DATA do not name the folders of the paper's records and data",
)


def records(name: str) -> Any:
    return json.loads((Path(os.environ["IFONLY_PAPER"]) / name).read_text())


def posed(name: str) -> tuple[Dense, dict[str, Any], ifonly.Space]:
    """The published network over a space, and the rows and targets of the paper."""
    dataset = ifonly.datasets.load(name)
    train, _ = dataset.split()
    space = ifonly.Space.infer(train.features, categorical=dataset.categorical)
    record, queries = records("models.json")[name], records("queries.json")[name]
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
    rows = dataset.features.iloc[queries["rows"]]
    return model, {"rows": rows, "target": queries["model_output_wanted"]}, space


def published_share(name: str, k: int) -> float:
    """The least unique valid share of DiverseCF over the outcomes; pooling can only be higher."""
    results = records("results.json")
    place = results["k"].index(k)
    entries = results["set_metrics"][name].values()
    shares = [one["DiverseCF"]["sparse"]["percent_valid_unique"][place] for one in entries]
    return min(shares) / 100


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SETS)
def test_diverse_cf_finds_as_many_as_published_and_more_than_its_baselines(name: str) -> None:
    model, asked, space = posed(name)
    tables = {
        recipe: getattr(recipes, recipe)(model, space=space, k=4, **asked).metrics()
        for recipe in ("diverse_cf_sparse", "random_init_cf", "no_diversity_cf")
    }
    share = {recipe: table["valid_unique"].mean() for recipe, table in tables.items()}
    spread = {recipe: table["pairwise_distance"].mean() for recipe, table in tables.items()}
    assert share["diverse_cf_sparse"] >= published_share(name, 4)
    for baseline in ("random_init_cf", "no_diversity_cf"):
        assert share["diverse_cf_sparse"] >= share[baseline]
        assert spread["diverse_cf_sparse"] > spread[baseline]


def test_the_sparsity_step_changes_fewer_numbers_and_keeps_the_outcome() -> None:
    model, asked, space = posed("adult")
    plain = recipes.diverse_cf(model, space=space, k=4, **asked)
    sparse = recipes.diverse_cf_sparse(model, space=space, k=4, **asked)
    assert plain.filled.all()
    assert sparse.filled.all()
    numbers = space.continuous
    assert sparse.changed()[:, :, numbers].mean() < plain.changed()[:, :, numbers].mean()
    assert np.array_equal(
        np.sort(sparse.points[:, :, ~numbers], axis=1),
        np.sort(plain.points[:, :, ~numbers], axis=1),
    )


def test_single_cf_gives_one_answer_a_row() -> None:
    model, asked, space = posed("compas")
    answers = recipes.single_cf(model, space=space, **asked)
    assert answers.k == 1
    assert answers.filled.mean() > 0.99


@pytest.mark.parametrize("yloss", ["l1", "l2"])
def test_losses_on_the_probability_push_answers_further_past_the_boundary(yloss: str) -> None:
    model, asked, space = posed("adult")
    asked = {"rows": asked["rows"][:100], "target": asked["target"][:100]}
    hinge = recipes.diverse_cf(model, space=space, k=2, **asked)
    other = recipes.diverse_cf(model, space=space, k=2, yloss=yloss, **asked)
    assert other.filled.mean() > 0.9
    assert np.nanmean(other.score) > np.nanmean(hinge.score)
    with pytest.raises(ifonly.IfonlyError, match="hing"):
        recipes.diverse_cf(model, space=space, k=2, yloss="hing", **asked)
