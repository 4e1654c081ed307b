"""Random tables, models, rows, rules and options, as people bring them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import ifonly

NUMBERS, NAMES, FLAGS = ["age", "income"], ["job", "zone"], ["member", "late"]
DTYPES: dict[str, tuple[Any, ...]] = {
    "age": ("int64", "int8", "Int64", "float64", "int64[pyarrow]", "Sparse[int]"),
    "income": ("float64", "float32", "float16", "Float64", "double[pyarrow]", "decimal"),
    "job": ("str", object, "category", "string", "string[pyarrow]", "ordered"),
    "zone": ("int64", "category", "int8", "Int64"),
    "member": (bool, "boolean", "int64", "bool[pyarrow]", "category"),
    "late": (bool, "Sparse[bool]", "int8"),
}
WITHOUT_GAPS = {"int64", "int8", bool, "Sparse[int]", "Sparse[bool]"}
ESTIMATORS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(max_iter=500),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(4, max_depth=4, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=5, max_depth=3),
    "xgboost": lambda: XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1),
    "network": lambda: MLPClassifier((5,), max_iter=60, random_state=0),
    "neighbours": lambda: KNeighborsClassifier(5),
    "bayes": lambda: GaussianNB(),
    "svm": lambda: SVC(gamma=0.2),
    "calibrated": lambda: CalibratedClassifierCV(GaussianNB(), cv=2),
    "threshold": lambda: FixedThresholdClassifier(LogisticRegression(), threshold=0.35),
    "voting": lambda: VotingClassifier(
        [("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=3, random_state=0))]
    ),
    "labels": lambda: KNeighborsClassifier(3),
    "three": lambda: RandomForestClassifier(4, max_depth=4, random_state=0),
    "straight": lambda: LinearRegression(),
    "regressor": lambda: RandomForestRegressor(4, max_depth=4, random_state=0),
}
ODD: tuple[tuple[str, Any], ...] = (
    *(("job", value) for value in ("zzz", 5, None, np.nan, True, ("a", "b"))),
    *(("income", value) for value in (np.inf, -np.inf, np.nan, "abc", None, 1e9)),
    *(("age", value) for value in (6.5, np.nan, 2**60, "old", -3)),
    *(("member", value) for value in (None, "maybe", 3)),
    *(("zone", value) for value in (9, "north", None, 1.5)),
)
RULES = (
    "job fixed",
    "job in nurse, clerk",
    "job not nurse",
    "age only increases",
    "income at most 4",
    "income changes by at most 30%",
    "income / age <= 2",
    "age * income <= 40",
    "if job is nurse then age at least 4",
    "at most 2 features change",
    "member fixed",
    "income in steps of 0.5",
    "age changes by at most 4",
    "zone in 1, 2",
    "not (job is clerk and age at least 8)",
    "age + 2 * income <= 18",
    "member + late <= 1",
    "age increases => income increases",
)


@dataclass(frozen=True)
class Drawn:
    """A question, and what decides for the user."""

    kind: str
    library: str
    data: Any
    rows: Any
    odd: np.ndarray
    """bool [q]: rows with values that the data do not have."""
    model: Any
    predict: Callable[[Any], np.ndarray]
    space: dict[str, Any]
    method: str
    asked: dict[str, Any]

    @property
    def refusable(self) -> bool:
        """Whether the method asks more of a model than that it decides."""
        return self.method in ("exact", "gradient") or "certify" in self.asked


def drawn(seed: int) -> Drawn:
    """The question of a seed."""
    rng = np.random.default_rng([seed, 15])
    kind = str(rng.choice(list(ESTIMATORS)))
    data, outcome = table(rng, kind)
    tolerant = rng.random() < 0.7 or bool(data[NAMES + FLAGS].isna().any(axis=None))
    first = Bare() if rng.random() < 0.6 else encoder(tolerant)
    pipeline = make_pipeline(first, ESTIMATORS[kind]()).fit(data, outcome)
    rows, odd = asked_rows(rng, data)
    library = str(rng.choice(["pandas", "polars", "pyarrow"], p=[0.8, 0.1, 0.1]))
    if library != "pandas" and (odd.any() or "Sparse" in str([*data.dtypes])):
        library = "pandas"
    convert = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
    try:
        given, wanted = convert[library](data), convert[library](rows)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError):
        library, given, wanted = "pandas", data, rows
    model, predict = asked_model(kind, pipeline, data, library)
    space: dict[str, Any] = {"categorical": ["zone", *FLAGS]}
    if rng.random() < 0.3:
        space["fillable" if rng.random() < 0.5 else "erasable"] = ["income", "job"]
    method = str(rng.choice(["auto", "exact", "gradient", "edits", "neighbours"], p=METHODS))
    asked = options(rng, kind, outcome, len(rows), method)
    return Drawn(kind, library, given, wanted, odd, model, predict, space, method, asked)


METHODS = (0.74, 0.1, 0.06, 0.05, 0.05)


def table(rng: np.random.Generator, kind: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table whose points can be counted, of random dtypes, and an outcome."""
    n = int(rng.integers(60, 121))
    data = pd.DataFrame(
        {
            "age": rng.integers(1, 13, n),
            "income": rng.integers(1, 11, n) / 2,
            "job": rng.choice(["nurse", "clerk", "smith"], n),
            "zone": rng.integers(1, 4, n),
            "member": rng.random(n) < 0.5,
            "late": rng.random(n) < 0.3,
        }
    )
    size = data["age"] / 3 + data["income"] + 2 * (data["job"] == "nurse") - data["late"]
    size += rng.normal(0, 0.3, n)
    outcome = np.digitize(size, np.quantile(size, [0.4, 0.7] if kind == "three" else [0.5]))
    for name in map(str, data.columns):
        dtype = DTYPES[name][int(rng.integers(len(DTYPES[name])))] if rng.random() < 0.6 else None
        gaps = rng.random(n) < 0.1 if rng.random() < 0.25 else np.zeros(n, dtype=bool)
        data[name] = column(data[name], dtype, gaps)
    order = rng.permutation(data.columns)[: len(data.columns)]
    if kind in ("straight", "regressor"):
        return data[order], size.to_numpy()
    return data[order], outcome


def column(values: pd.Series[Any], dtype: Any, gaps: np.ndarray) -> pd.Series[Any]:
    """Values as a dtype, some of them missing where it has a place for them."""
    if dtype == "decimal":
        made = [None if gap else Decimal(str(v)) for v, gap in zip(values, gaps, strict=True)]
        return pd.Series(made, dtype=object)
    if dtype == "ordered":
        dtype = pd.CategoricalDtype(["clerk", "nurse", "smith"], ordered=True)
    typed = values if dtype is None else values.astype(dtype)
    if not gaps.any() or typed.dtype in WITHOUT_GAPS or "Sparse" in str(typed.dtype):
        return typed
    return typed.mask(gaps)


def encoder(tolerant: bool) -> Any:
    """What makes numbers of a frame; a tolerant one takes whatever a cell holds."""
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    names: Any = make_pipeline(FunctionTransformer(_texts), one_hot) if tolerant else one_hot
    numbers = make_pipeline(FunctionTransformer(_floats), SimpleImputer(), StandardScaler())
    return make_column_transformer((names, NAMES + FLAGS), (numbers, NUMBERS))


class Bare(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The same columns as a tolerant encoder's, by a class of the user's own, and sooner."""

    def fit(self, frame: pd.DataFrame, outcome: Any = None) -> Bare:
        texts, sizes = _texts(frame[NAMES + FLAGS]), _floats(frame[NUMBERS])
        self.levels_ = [np.unique(column.astype(str)) for column in texts.T]
        self.means_, self.scales_ = np.nanmean(sizes, axis=0), np.nanstd(sizes, axis=0)
        return self

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        texts, sizes = _texts(frame[NAMES + FLAGS]), _floats(frame[NUMBERS])
        hot = [one[:, None] == levels for one, levels in zip(texts.T, self.levels_, strict=True)]
        known = np.where(np.isnan(sizes), self.means_, sizes)
        return np.column_stack([*hot, (known - self.means_) / self.scales_])


def _texts(frame: pd.DataFrame) -> np.ndarray:
    """Every cell as text, and 3.0 as 3: beside a missing value pandas has no whole numbers."""
    cells = frame.astype(object).to_numpy()
    known = {cell: _text(cell) for cell in {(type(c), c) for c in cells.ravel().tolist()}}
    made = [known[type(c), c] for c in cells.ravel().tolist()]
    return np.array(made, dtype=object).reshape(cells.shape)


def _text(cell: tuple[type, Any]) -> str:
    kind, value = cell
    if value is None or value is pd.NA or value != value:
        return "none"
    return f"{value:g}" if issubclass(kind, int | float | np.number) else str(value)


def _floats(frame: pd.DataFrame) -> np.ndarray:
    cells = frame.astype(object)
    return np.asarray(np.clip(cells.where(cells.notna(), np.nan).to_numpy(float), -1e6, 1e6))


def asked_rows(rng: np.random.Generator, data: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """Three rows of the data, some of them with odd values."""
    rows = data.iloc[rng.permutation(len(data))[:3]].reset_index(drop=True)
    odd = np.zeros(len(rows), dtype=bool)
    if rng.random() < 0.5:
        return rows, odd
    cells = {name: rows[name].astype(object).tolist() for name in map(str, rows.columns)}
    for place in range(2):
        name, value = ODD[int(rng.integers(len(ODD)))]
        cells[name][place], odd[place] = value, True
    touched = [name for name in cells if not rows[name].equals(pd.Series(cells[name]))]
    return rows.assign(**{name: pd.Series(cells[name], dtype=object) for name in touched}), odd


def asked_model(
    kind: str, pipeline: Any, data: pd.DataFrame, library: str
) -> tuple[Any, Callable[[Any], np.ndarray]]:
    """What is given to ifonly, and what decides for the user, of frames of a library."""

    def pandas(frame: Any) -> pd.DataFrame:
        return frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()

    def predict(frame: Any) -> np.ndarray:
        return np.asarray(pipeline.predict(pandas(frame)))

    if kind == "labels":
        return ifonly.as_model(predict, classes=pipeline.classes_, gives="labels"), predict
    if library == "pandas":
        return pipeline, predict
    if not hasattr(pipeline, "classes_"):
        return ifonly.as_model(predict, task="regression"), predict
    if kind in ("svm", "threshold", "voting"):
        return ifonly.as_model(predict, classes=pipeline.classes_, gives="labels"), predict
    scores = lambda frame: pipeline.predict_proba(pandas(frame))  # noqa: E731
    return ifonly.as_model(scores, classes=pipeline.classes_), predict


def options(
    rng: np.random.Generator, kind: str, outcome: np.ndarray, rows: int, method: str
) -> dict[str, Any]:
    """Options of a question."""
    asked: dict[str, Any] = {"k": int(rng.integers(1, 4)), "seed": int(rng.integers(9))}
    asked["rules"] = rng.permutation(RULES)[: max(0, int(rng.integers(-1, 4)))].tolist()
    if kind == "three":
        asked["target"] = "other" if rng.random() < 0.6 else int(rng.integers(3))
    elif kind in ("straight", "regressor"):
        low = float(np.quantile(outcome, rng.uniform(0.2, 0.8)))
        asked["target"] = (low, low + 1.5) if rng.random() < 0.5 else (None, low)
    elif rng.random() < 0.2:
        asked["target"] = rng.integers(2, size=rows).tolist()
    further: dict[str, Any] = {
        "certify": 1.0,
        "weights": {"age": 2.0, "job": 0.5},
        "budget": {"model_rows": 2000} if rng.random() < 0.5 else 0.3,
        "row_rules": {0: ["age fixed"], 2: ["income only decreases"]},
        "plausible": 0.05,
        "diversity": float(rng.choice([0.0, 0.3, 1.0])),
    }
    for name, value in further.items():
        usable = method == "auto" or name in ("weights", "row_rules")
        if usable and rng.random() < 0.15:
            asked[name] = value
    if "certify" in asked:
        asked.pop("plausible", None)
    return asked
