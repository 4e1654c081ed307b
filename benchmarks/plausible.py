"""Whether answers are rows that could exist: outliers among them, and one-hot columns."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from data_tables import MODELS, SETS, fitted, table
from record import Record
from settings import FORMER

K, ROWS, LEVEL = 4, 60, 0.05
COLUMNS = ("table", "model", "rows", "full", "LOF", "forest", "distance", "changed", "ms per row")
SETTINGS: dict[str, tuple[Any, Any]] = {
    "former": (FORMER, None),
    "default": ("auto", None),
    "demand": ("auto", LEVEL),
}


class Judge:
    """Outliers by two measures that were fitted on rows which no search has seen."""

    def __init__(self, rows: pd.DataFrame) -> None:
        text = make_column_selector(dtype_exclude=np.number)
        encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self.encode = make_column_transformer((encode, text), remainder=StandardScaler()).fit(rows)
        units = self.encode.transform(rows)
        self.near = LocalOutlierFactor(novelty=True).fit(units)
        self.forest = IsolationForest(random_state=0, contamination=LEVEL).fit(units)

    def shares(self, rows: pd.DataFrame) -> list[float]:
        """The share of outliers by each measure."""
        if not len(rows):
            return [0.0, 0.0]
        units = self.encode.transform(rows)
        return [float((one.predict(units) < 0).mean()) for one in (self.near, self.forest)]


def main(record: Record) -> None:
    """Fill the record."""
    warnings.filterwarnings("ignore", message="Stochastic Optimizer")
    lines: dict[str, list[list[Any]]] = {by: [] for by in ("rows themselves", *SETTINGS)}
    for name in SETS[4:6] if record.quick else SETS:
        one = table(name, 20 if record.quick else ROWS)
        order = np.random.default_rng(0).permutation(len(one.train))
        seen, unseen = (one.train.iloc[order[start::2]] for start in (0, 1))
        judge = Judge(unseen[:8000])
        for kind in ("logistic", "forest") if record.quick else MODELS:
            model = fitted(kind, one)
            own = [name, kind, len(one.rows), 1.0, *judge.shares(one.rows), 0.0, 0.0, 0.0]
            lines["rows themselves"].append(own)
            for by, (method, level) in SETTINGS.items():
                lines[by].append(
                    [name, kind, *_figures(model, seen, one.rows, judge, method, level)]
                )
    check(record, lines)
    titles = {
        "rows themselves": "The explained rows themselves",
        "former": "Engine(needed=False, tight=False)",
        "default": "The default",
        "demand": f"plausible={LEVEL}",
    }
    for by, title in titles.items():
        record.table(f"{title}: shares of outliers", COLUMNS, lines[by], NOTE)
    _one_hot(record)


NOTE = (
    "LOF and forest: the shares of outliers by a local outlier factor and an isolation forest "
    f"({LEVEL:.0%} of its own rows), fitted on one half of the training rows; the search has the "
    "other half as `data`."
)


def _figures(
    model: Any, data: pd.DataFrame, rows: pd.DataFrame, judge: Judge, method: Any, level: Any
) -> list[Any]:
    explainer = ifonly.Explainer(model, data=data, method=method)
    explainer.explain(rows[:1], k=K, plausible=level)  # the measure is fitted once
    start = time.process_time()
    answers = explainer.explain(rows, k=K, plausible=level)
    took = 1e3 * (time.process_time() - start) / len(rows)
    filled = answers.filled
    return [
        len(rows),
        float(filled.all(axis=1).mean()),
        *judge.shares(answers.frame()[list(data)]),
        float(answers.distance()[filled].mean()),
        float(answers.changed().sum(axis=-1)[filled].mean()),
        took,
    ]


def check(record: Record, lines: dict[str, list[list[Any]]]) -> None:
    """What must hold in the mean over all cells."""
    mean = {
        by: pd.DataFrame(cells, columns=COLUMNS).mean(numeric_only=True)
        for by, cells in lines.items()
    }
    own = mean["rows themselves"]
    for measure, most in {"LOF": 0.08, "forest": 0.04}.items():
        over = {by: mean[by][measure] - own[measure] for by in SETTINGS}
        record.check(
            f"By default, at most half of the former choice's surplus of outliers by {measure}",
            over["default"] <= over["former"] / 2,
            f"{over['default']:.3f} and {over['former']:.3f}",
        )
        record.check(
            f"plausible={LEVEL}: by {measure} at most {100 * most:.0f} points above the rows' own",
            over["demand"] <= most,
            f"{over['demand']:.3f}",
        )
    farther = mean["demand"]["distance"] / mean["default"]["distance"]
    record.check(
        f"plausible={LEVEL}: at most 1.2 times the mean distance", farther <= 1.2, f"{farther:.2f}"
    )
    full = mean["demand"]["full"] / mean["default"]["full"]
    record.check(
        f"plausible={LEVEL}: at least 97 % of the rows that are full without it",
        full >= 0.97,
        f"{full:.3f}",
    )


def _one_hot(record: Record) -> None:
    """German Credit given as columns of 0 and 1."""
    one = table("german_credit", 20 if record.quick else 100)
    kinds = {"bool": (bool, False), "int": (int, False), "drop_first": (int, True)}
    lines = []
    for form, (dtype, first) in kinds.items():
        whole = pd.get_dummies(pd.concat([one.train, one.rows]), dtype=dtype, drop_first=first)
        train, rows = whole[: len(one.train)], whole[len(one.train) :]
        groups = ifonly.Space.infer(train).one_hot
        for model in (LogisticRegression(), RandomForestClassifier(random_state=0)):
            pipeline = make_pipeline(StandardScaler(), model).fit(train, one.outcome)
            for by, stated in (("default", None), ("one_hot=()", ())):
                space = ifonly.Space.infer(train, one_hot=stated)
                answers = ifonly.explain(pipeline, rows, data=train, space=space, k=K)
                frame = answers.frame()
                broken = np.zeros(len(frame), dtype=bool)
                for group in groups:
                    count = frame[list(group.columns)].astype(int).sum(axis=1).to_numpy()
                    broken |= (count > 1) | ((count == 0) & (not group.optional))
                full = float(answers.filled.all(axis=1).mean())
                kind = type(model).__name__
                lines.append([form, kind, by, len(groups), full, float(broken.mean())])
    default = [line for line in lines if line[2] == "default"]
    record.check(
        "German Credit as columns of 0 and 1: no impossible row, every row full",
        all(line[5] == 0 and line[4] == 1 for line in default),
        f"without groups {max(line[5] for line in lines):.0%} impossible",
    )
    columns = ("columns", "model", "setting", "groups", "full", "impossible")
    record.table("German Credit one-hot encoded by the user", columns, lines, "")
