"""A model file runs nothing when it is opened, unless its user says that it may."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ifonly
from ifonly.errors import FileError, OptionError
from ifonly.models.files import skops as own
from ifonly.models.files.load import load_model

from .untrusted import (
    NUMPY,
    Command,
    caller,
    node,
    shell,
    shell_of_numpy,
    write_onnx,
    write_pt2,
    write_skops,
)

Refused = Callable[..., Exception]

X, Y = make_classification(60, 5, random_state=0)
X = np.abs(X)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that only a command could write."""
    return tmp_path / "ran"


@pytest.mark.parametrize("call", [shell_of_numpy, caller])
def test_a_skops_file_that_reaches_attributes_is_refused_whatever_is_trusted(
    refused: Refused, tmp_path: Path, marker: Path, call: Callable[[], dict[str, Any]]
) -> None:
    path = write_skops(tmp_path / "model.skops", call(), f"touch {marker}")
    names = skops.io.get_untrusted_types(file=path)
    for trust in ((), names):
        ask = lambda trust=trust: load_model(path, trust=trust)  # noqa: E731
        refused(FileError, "model.skops", "call any function", hint="No option", ask=ask)
    assert not marker.exists()


def test_a_skops_file_lists_what_it_asks_for_and_how_to_allow_it(
    refused: Refused, tmp_path: Path, marker: Path
) -> None:
    path = write_skops(tmp_path / "model.skops", shell(), f"touch {marker}")
    refused(
        FileError,
        "model.skops",
        "os.system",
        hint=r"--trust os\.system;",
        ask=lambda: ifonly.explain(path, {"a": 1.0}, data=pd.DataFrame({"a": [1.0, 2.0]})),
    )
    assert not marker.exists()


@pytest.mark.parametrize(
    "thing", [NUMPY, ("os", "system"), ("ifonly.models.files.skops", "import_module")]
)
def test_only_a_thing_s_own_name_can_be_trusted(
    refused: Refused, tmp_path: Path, marker: Path, thing: tuple[str, str]
) -> None:
    """`os.system` is defined in `posix`; NumPy is a module; `import_module` is imported."""
    call = node("FunctionNode", thing)
    path = write_skops(tmp_path / "model.skops", call, f"touch {marker}")
    name = ".".join(thing)
    ask = lambda: load_model(path, trust=[name])  # noqa: E731
    refused(FileError, "model.skops", name, hint="own names", ask=ask)
    assert not marker.exists()


def test_a_name_is_trusted_whole_and_not_by_its_beginning(tmp_path: Path) -> None:
    model = KNeighborsClassifier().fit(X, Y)
    path = tmp_path / "model.skops"
    skops.io.dump(model, path)
    names = skops.io.get_untrusted_types(file=path)
    assert names
    for trust in ((), ["sklearn.neighbors."], names[:1]):
        with pytest.raises(FileError, match="not trusted"):
            load_model(path, trust=trust)
    assert np.array_equal(load_model(path, trust=names).predict(X), model.predict(X))


@pytest.mark.parametrize("name", sorted(own.TRUSTED))
def test_a_trusted_name_is_a_type_or_function_under_its_own_name(name: str) -> None:
    home, _, last = name.rpartition(".")
    thing = getattr(import_module(home), last)
    assert isinstance(thing, type | FunctionType)
    assert (thing.__module__, thing.__qualname__) == (home, last)


FOREST = RandomForestClassifier(3, random_state=0)
CLASSIFIERS = [
    AdaBoostClassifier(n_estimators=3),
    BaggingClassifier(n_estimators=3),
    CalibratedClassifierCV(FOREST),
    DecisionTreeClassifier(),
    ExtraTreesClassifier(3),
    FOREST,
    GradientBoostingClassifier(n_estimators=3),
    GradientBoostingClassifier(n_estimators=3, loss="exponential"),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2]}),
    HistGradientBoostingClassifier(max_iter=3),
    HistGradientBoostingClassifier(max_iter=3, categorical_features=[0]),
    LinearSVC(),
    LogisticRegression(),
    MLPClassifier(max_iter=5),
    MLPClassifier(max_iter=5, solver="sgd"),
    SGDClassifier(),
    SGDClassifier(loss="modified_huber"),
    StackingClassifier([("forest", FOREST), ("line", LogisticRegression())]),
    SVC(),
    make_pipeline(SimpleImputer(), StandardScaler(), FunctionTransformer(np.log1p), FOREST),
    make_pipeline(make_column_transformer((OneHotEncoder(sparse_output=False), [0])), SVC()),
]
REGRESSORS = [
    DecisionTreeRegressor(),
    GradientBoostingRegressor(n_estimators=3),
    *(GradientBoostingRegressor(n_estimators=3, loss=loss) for loss in ("huber", "quantile")),
    GradientBoostingRegressor(n_estimators=3, loss="absolute_error"),
    *(HistGradientBoostingRegressor(max_iter=3, loss=loss) for loss in ("gamma", "poisson")),
    HistGradientBoostingRegressor(max_iter=3, loss="absolute_error"),
    HistGradientBoostingRegressor(max_iter=3, loss="quantile", quantile=0.5),
    HistGradientBoostingRegressor(max_iter=3),
    LinearRegression(),
    MLPRegressor(max_iter=5),
    RandomForestRegressor(3),
    Ridge(),
    SVR(),
    TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
    make_pipeline(MinMaxScaler(), LinearRegression()),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda model: str(model)[:50])
def test_every_kind_of_scikit_learn_model_loads_without_trust(model: Any, tmp_path: Path) -> None:
    outcome = X[:, 0] + X[:, 1] if model in REGRESSORS else np.arange(60) % 3
    if isinstance(model, GradientBoostingClassifier | SGDClassifier):
        outcome = Y
    model.fit(X, outcome)
    skops.io.dump(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("ending", [".pkl", ".pickle", ".joblib"])
def test_a_pickle_is_opened_only_where_it_is_trusted(
    refused: Refused, tmp_path: Path, marker: Path, ending: str
) -> None:
    path = tmp_path / f"model{ending}"
    if ending == ".joblib":
        joblib.dump(Command(marker), path)
    else:
        path.write_bytes(pickle.dumps(Command(marker)))
    hint = r"--trust-pickle.*joblib\.load"
    refused(FileError, path.name, "runs code", hint=hint, ask=lambda: load_model(path))
    assert not marker.exists()
    load_model(path, trust_pickle=True)
    assert marker.exists()


@pytest.mark.filterwarnings("ignore")
def test_a_pt2_file_is_opened_only_where_it_is_trusted(
    refused: Refused, tmp_path: Path, marker: Path
) -> None:
    path = write_pt2(tmp_path / "model.pt2", marker)
    hint = r"--trust-pickle.*torch\.export\.load"
    refused(FileError, "model.pt2", "runs code", hint=hint, ask=lambda: load_model(path))
    assert not marker.exists()
    with suppress(FileError):  # the module itself is no longer whole
        load_model(path, trust_pickle=True)
    assert marker.exists()


def test_an_onnx_file_cannot_read_another_file(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for secret in (Path("weights.bin"), tmp_path / "weights.bin"):
        secret.write_bytes(np.ones(4, dtype=np.float32).tobytes())
        beside = os.path.relpath(secret)
        for place in {beside, str(secret)}:
            path = write_onnx(Path("model.onnx"), place)
            told = ("model.onnx", "cannot be read")
            refused(FileError, *told, hint="again", ask=lambda path=path: load_model(path))


def test_trusting_types_of_a_file_that_names_none_is_an_error(
    refused: Refused, tmp_path: Path
) -> None:
    path = write_onnx(tmp_path / "model.onnx", "weights.bin")
    ask = lambda: load_model(path, trust=["a.B"])  # noqa: E731
    refused(OptionError, "model.onnx", hint=r"\.skops", ask=ask)
