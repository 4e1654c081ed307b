"""What makes the input of a module or function is stated, never guessed."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from torch import nn

import ifonly
from ifonly.errors import DataError, ModelError, OptionError
from ifonly.models import adapt
from ifonly.models.adapters.torch import TorchModel
from ifonly.models.differentiable import differentiable
from ifonly.models.reading import check_reading, read
from ifonly.testing import check_model

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}


def lenders(n: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "income": rng.integers(1000, 6000, n),
            "debt": rng.integers(0, 3000, n) / 2,
            "job": rng.choice(["clerk", "nurse", "cook"], n),
        }
    )


DATA = lenders()
GRANTED = (DATA["income"] - DATA["debt"] + 500 * (DATA["job"] == "nurse") > 2800).astype(int)
ENCODER = make_column_transformer(
    (StandardScaler(), ["income", "debt"]), (OneHotEncoder(sparse_output=False), ["job"])
).fit(DATA)


def trained(activation: str, encoder: Any = ENCODER) -> Any:
    """A module that was trained behind a transform, to give logits."""
    fit = MLPClassifier((4,), activation, solver="lbfgs", alpha=0.1, random_state=0, max_iter=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged
        fit.fit(encoder.transform(DATA), GRANTED)
    first, last = (nn.Linear(*kernel.shape) for kernel in fit.coefs_)
    for layer, kernel, bias in zip((first, last), fit.coefs_, fit.intercepts_, strict=True):
        layer.load_state_dict({"weight": torch.tensor(kernel.T), "bias": torch.tensor(bias)})
    return nn.Sequential(first, ACTIVATIONS[activation](), last).eval()


@pytest.fixture(scope="module")
def modules() -> dict[str, Any]:
    return {activation: trained(activation) for activation in ACTIVATIONS}


def scores(module: Any, frame: pd.DataFrame) -> np.ndarray:
    """[n] what the user computes: the transform, the module, a sigmoid."""
    with torch.no_grad():
        columns = torch.tensor(ENCODER.transform(frame), dtype=torch.float32)
        return np.asarray(torch.sigmoid(module(columns))[:, 0])


def as_arrays(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(ENCODER.transform(frame))


def as_tensors(frame: pd.DataFrame) -> tuple[torch.Tensor]:
    return (torch.tensor(as_arrays(frame), dtype=torch.float32),)


INPUTS = {"transformer": ENCODER, "function": as_arrays, "tensors": as_tensors}


@pytest.mark.parametrize(
    ("activation", "method", "form"),
    [
        ("relu", "auto", "transformer"),
        ("relu", "gradient", "function"),
        ("tanh", "auto", "tensors"),
        ("tanh", "gradient", "transformer"),
    ],
)
def test_answers_are_valid_in_the_module_behind_its_transform(
    modules: dict[str, Any], activation: str, method: str, form: str
) -> None:
    module = modules[activation]
    model = ifonly.as_model(module, inputs=INPUTS[form])
    answers = ifonly.explain(model, DATA[:5], data=DATA, k=2, method=method)
    frame = answers.frame()
    assert answers.filled.all()
    wanted = np.array(answers.wanted)[frame["query"]]
    theirs = scores(module, frame[list(DATA.columns)])
    assert ((theirs > 0.5) == (wanted == 1)).all()
    assert np.allclose(frame["score"], np.where(wanted == 1, theirs, 1 - theirs), atol=1e-5)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradient_through_a_transform_is_that_of_differences(
    modules: dict[str, Any], activation: str
) -> None:
    space = ifonly.Space.infer(DATA)
    codes = space.codes(DATA)
    model = ifonly.as_model(modules[activation].double(), inputs=ENCODER)
    adapted = adapt(model, space, codes)
    check_model(adapted, space)
    found = differentiable(model, adapted, space, codes)
    units = np.clip(np.random.default_rng(1).random((20, space.offsets[-1])), 0.01, 0.99)
    weights = np.tile([0.0, 1.0], (20, 1))
    logits, gradient = found.logits_gradient(units, weights)
    for column in range(units.shape[1]):
        moved = units.copy()
        moved[:, column] += 1e-6
        slope = (found.logits(moved)[:, 1] - logits[:, 1]) / 1e-6
        assert np.allclose(slope, gradient[:, column], atol=1e-3)
    own = np.log(adapted.scores(codes)[:, 1] / adapted.scores(codes)[:, 0])
    assert np.allclose(found.logits(space.units(codes))[:, 1], own, atol=1e-6)
    modules[activation].float()


def test_layers_behind_a_transform_are_read_for_the_solver(modules: dict[str, Any]) -> None:
    space = ifonly.Space.infer(DATA)
    codes = space.codes(DATA)
    model = ifonly.as_model(modules["relu"], inputs=ENCODER)
    adapted = adapt(model, space, codes)
    check_reading(read(model, adapted, space, codes), adapted, space, codes)
    proved = ifonly.explain(model, DATA[:1], data=DATA, k=1, method="exact")
    assert proved.filled.all()


def test_a_transform_that_is_not_linear_has_no_gradient_and_the_default_works(refused: Any) -> None:
    encoder = make_pipeline(ENCODER, PolynomialFeatures(2)).fit(DATA)
    module = trained("relu", encoder)
    model = ifonly.as_model(module, inputs=encoder)
    ask = lambda: ifonly.explain(model, DATA[:2], data=DATA, method="gradient")  # noqa: E731
    refused(ModelError, "no gradient", hint="method='auto'", ask=ask)
    answers = ifonly.explain(model, DATA[:2], data=DATA, k=2)
    columns = torch.tensor(encoder.transform(answers.frame()[list(DATA)]), dtype=torch.float32)
    wanted = np.array(answers.wanted)[answers.frame()["query"]]
    assert answers.filled.all()
    assert ((module(columns)[:, 0] > 0).numpy() == (wanted == 1)).all()


def test_a_bare_module_is_refused_with_what_to_write(refused: Any, modules: dict[str, Any]) -> None:
    module = modules["relu"]
    for ask in (
        lambda: ifonly.explain(module, DATA[:2], data=DATA),
        lambda: ifonly.as_model(module, classes=["no", "yes"], gives="logits"),
    ):
        refused(OptionError, "Sequential", hint=r"inputs=transform.*'units'.*--inputs", ask=ask)
    for wrong in ("scaled", 7):
        refused(
            OptionError,
            repr(wrong),
            hint="'units'",
            ask=lambda wrong=wrong: ifonly.as_model(module, inputs=wrong),
        )
    refused(
        ModelError,
        "(240, 5)",
        hint="transform",
        ask=lambda: ifonly.explain(
            ifonly.as_model(nn.Linear(3, 1), inputs=ENCODER), DATA, data=DATA
        ),
    )
    line = LogisticRegression().fit(ENCODER.transform(DATA), GRANTED)
    refused(
        OptionError,
        "LogisticRegression",
        hint="make_pipeline",
        ask=lambda: ifonly.as_model(line, classes=[0, 1], inputs=ENCODER),
    )


def test_columns_are_given_as_the_transform_was_fitted() -> None:
    numbers = DATA[["income", "debt"]]
    scaler = StandardScaler().fit(numbers[["debt", "income"]])
    bare = StandardScaler().fit(numbers.to_numpy())
    weights = nn.Linear(2, 1)
    space = ifonly.Space.infer(numbers)
    codes = space.codes(numbers)
    for transform, given in ((scaler, numbers[["debt", "income"]]), (bare, numbers.to_numpy())):
        model = ifonly.as_model(weights, task="regression", inputs=transform)
        wanted = weights(torch.tensor(transform.transform(given), dtype=torch.float32))
        assert np.allclose(adapt(model, space, codes).scores(codes), wanted.detach().numpy())
    with pytest.raises(DataError, match="'job'"):
        ifonly.explain(ifonly.as_model(weights, inputs=scaler), DATA, data=DATA)


def test_a_function_takes_what_a_transform_makes_and_pickles() -> None:
    line = LogisticRegression().fit(ENCODER.transform(DATA), GRANTED)
    space = ifonly.Space.infer(DATA)
    codes = space.codes(DATA)
    model = ifonly.as_model(line.predict_proba, classes=[0, 1], inputs=ENCODER)
    wanted = line.predict_proba(ENCODER.transform(DATA))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(adapt(again, space, codes).scores(codes), wanted)
    over_units = ifonly.as_model(lambda units: units.sum(axis=1), task="regression", inputs="units")
    numbers = adapt(over_units, space, codes).scores(codes)[:, 0]
    assert np.allclose(numbers, space.units(codes).sum(axis=1))


def test_a_module_over_units_is_what_it_was(modules: dict[str, Any]) -> None:
    space = ifonly.Space.infer(DATA)
    module = nn.Linear(space.offsets[-1], 1)
    model = adapt(
        ifonly.as_model(module, classes=["no", "yes"], gives="logits", inputs="units"),
        space,
        space.codes(DATA),
    )
    assert isinstance(model, TorchModel)
    assert model.classes == ("no", "yes")
