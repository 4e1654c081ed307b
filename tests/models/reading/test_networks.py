"""Networks over units: ifonly's own, torch's, and the paper's published ones."""

from __future__ import annotations

import json
import os
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ifonly
from ifonly import Categorical, Space
from ifonly.models import Dense, adapt, as_model
from ifonly.models.reading import Layers, check_reading, read
from ifonly.testing import random_codes, random_space

PUBLISHED = ("adult", "compas", "german_credit", "lending_club")


@given(seed=st.integers(0, 10_000), depth=st.integers(0, 3), c=st.sampled_from([0, 1, 2, 3]))
@settings(max_examples=25, deadline=None)
def test_layers_are_read_as_they_are(seed: int, depth: int, c: int) -> None:
    space, rng = random_space(seed), np.random.default_rng(seed)
    widths = [space.offsets[-1], *rng.integers(1, 8, depth).tolist(), max(1, c)]
    layers = [(rng.normal(size=(a, b)), rng.normal(size=b)) for a, b in pairwise(widths)]
    model = Dense(layers, space, {0: (), 1: ("a", "b"), 2: ("a", "b"), 3: (1, 2, 3)}[c])
    codes = random_codes(space, 300, seed)
    reading = read(model, adapt(model, space, codes), space, codes)
    assert isinstance(reading, Layers)
    assert reading.margins(codes).shape == (300, max(1, c))
    own = model.logits(space.units(codes))
    assert np.allclose(reading.margins(codes), own[:, -max(1, c) :], rtol=1e-9, atol=1e-12)
    check_reading(reading, model, space, codes)


def modules(width: int) -> dict[str, Any]:
    """Sequentials of every form that is read, and what is said about them."""
    from torch import nn

    def hidden() -> Any:
        return nn.Sequential(nn.Linear(width, 6), nn.ReLU(), nn.Dropout(0.5))

    over_units = partial(as_model, inputs="units")
    bare = {
        "sigmoid": nn.Sequential(nn.Linear(width, 6), nn.ReLU(), nn.Linear(6, 1), nn.Sigmoid()),
        "softmax": nn.Sequential(nn.Flatten(), *hidden(), nn.Linear(6, 3), nn.Softmax(dim=1)),
        "nested": nn.Sequential(hidden(), nn.Sequential(nn.Linear(6, 1), nn.Sigmoid())),
        "log softmax": nn.Sequential(hidden(), nn.Linear(6, 2), nn.LogSoftmax(dim=1)),
        "double": nn.Sequential(nn.Linear(width, 6), nn.ReLU(), nn.Linear(6, 2)).double(),
    }
    return {form: over_units(module) for form, module in bare.items()} | {
        "logits": over_units(
            nn.Sequential(hidden(), nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3, bias=False)),
            classes=["a", "b", "c"],
            gives="logits",
        ),
        "one layer": over_units(nn.Linear(width, 1), classes=[0, 1], gives="logits"),
        "regression": over_units(nn.Sequential(hidden(), nn.Linear(6, 1)), task="regression"),
    }


@pytest.mark.parametrize("form", sorted(modules(1)))
def test_a_sequential_of_torch_is_read(form: str) -> None:
    import torch

    for seed in range(3):
        torch.manual_seed(seed)
        space = random_space(seed)
        codes = random_codes(space, 500, seed)
        model = modules(space.offsets[-1])[form]
        adapted = adapt(model, space, codes)
        reading = read(model, adapted, space, codes)
        assert len(reading.layers) == {"one layer": 1, "logits": 3}.get(form, 2)
        assert np.abs(reading.scores(codes) - adapted.scores(codes)).max() < 1e-5
        assert reading.rounding < (1e-9 if form == "double" else 1e-4)
        check_reading(reading, adapted, space, codes)


def test_other_modules_are_refused_by_name(refused: Any) -> None:
    import torch

    class Own(torch.nn.Module):
        def forward(self, units: Any) -> Any:
            return units.sum(dim=1, keepdim=True) - 2

    space = random_space(0)
    codes = random_codes(space, 20, 0)
    smooth = torch.nn.Sequential(
        torch.nn.Linear(space.offsets[-1], 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)
    )
    ended = torch.nn.Sequential(torch.nn.Linear(space.offsets[-1], 1), torch.nn.ReLU())
    for module, kind in ((Own(), "Own"), (smooth, "Sequential"), (ended, "Sequential")):
        model = as_model(module, task="regression", inputs="units")
        adapted = adapt(model, space, codes)
        refused(
            ifonly.errors.ModelError,
            kind,
            hint="Linear and ReLU",
            ask=lambda model=model, adapted=adapted: read(model, adapted, space, codes),
        )


def test_single_precision_is_seen_where_it_comes_in() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"age": rng.integers(18, 90, 200), "rate": rng.uniform(0, 3, 200).round(2)})
    outcome = data["age"] / 20 + data["rate"] > 4
    space = Space.infer(data)
    codes = space.codes(data)
    single = FunctionTransformer(lambda frame: frame.to_numpy(dtype=np.float32))
    for first, least, most in ((StandardScaler(), 0, 1e-9), (single, 1e-7, 1e-3)):
        model = make_pipeline(first, LogisticRegression()).fit(data, outcome)
        adapted = adapt(model, space, codes)
        reading = read(model, adapted, space, codes)
        assert least < reading.rounding < most
        check_reading(reading, adapted, space, codes)


@pytest.mark.skipif(
    not {"IFONLY_PAPER", "IFONLY_DATA"} <= set(os.environ),
    reason="IFONLY_PAPER and IFONLY_DATA do not name the folders of the paper's records and data",
)
@pytest.mark.parametrize("kind", ["ann", "linear"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_models_are_read(name: str, kind: str) -> None:
    records = json.loads((Path(os.environ["IFONLY_PAPER"]) / "models.json").read_text())[name]
    dataset = ifonly.datasets.load(name)
    space = Space.infer(dataset.split()[0].features, categorical=dataset.categorical)
    layers = [
        (np.array(layer["kernel"]), np.array(layer["bias"]))
        for layer in records["models"][kind]["layers"]
    ]
    order = [
        [(c["feature"], str(c.get("level"))) for c in records["columns"]].index(column)
        for column in unit_columns(space)
    ]
    model = Dense([(layers[0][0][order], layers[0][1]), *layers[1:]], space, (0, 1))
    codes = np.concatenate([space.codes(dataset.features[:2000]), random_codes(space, 3000, 0)])
    reading = read(model, model, space, codes)
    assert np.abs(reading.scores(codes) - model.scores(codes)).max() < 1e-12
    # The records' own order of columns, without ifonly's network.
    passed = np.empty((len(codes), len(order)))
    passed[:, order] = space.units(codes)
    for kernel, bias in layers[:-1]:
        passed = np.maximum(passed @ kernel + bias, 0)
    assert np.allclose(reading.margins(codes), passed @ layers[-1][0] + layers[-1][1], rtol=1e-9)
    check_reading(reading, model, space, codes)


def unit_columns(space: Space) -> list[tuple[str, str]]:
    return [
        (feature.name, str(level))
        for feature in space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]
