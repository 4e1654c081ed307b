"""The paper's trained networks and the rows that it explained, read from $IFONLY_PAPER."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.models import Dense
from ifonly.space import Categorical

SETS = ("adult", "compas", "german_credit", "lending_club")


@dataclass(frozen=True)
class Published:
    """One data set: its training part, the rows explained, what they want, and the model."""

    name: str
    space: ifonly.Space
    train: pd.DataFrame
    rows: pd.DataFrame
    wanted: list[int]
    model: Dense


def folder() -> Path:
    """The folder of the paper's records."""
    if "IFONLY_PAPER" not in os.environ:
        raise SystemExit("Set IFONLY_PAPER to the folder with models.json and queries.json.")
    return Path(os.environ["IFONLY_PAPER"])


def published(name: str, kind: str = "ann") -> Published:
    """A published model ('ann' or 'linear') with its rows."""
    records = json.loads((folder() / "models.json").read_text())[name]
    queries = json.loads((folder() / "queries.json").read_text())[name]
    dataset = ifonly.datasets.load(name)
    train, _ = dataset.split()
    space = ifonly.Space.infer(train.features, categorical=dataset.categorical)
    return Published(
        name,
        space,
        train.features,
        dataset.features.iloc[queries["rows"]],
        list(queries["model_output_wanted"]),
        dense(records, records["models"][kind], space),
    )


def dense(records: dict[str, Any], network: dict[str, Any], space: ifonly.Space) -> Dense:
    """The network over the space's units; the records have an order of columns of their own."""
    own = [(c["feature"], str(c.get("level"))) for c in records["columns"]]
    wanted = [
        (feature.name, str(level))
        for feature in space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]
    order = [own.index(column) for column in wanted]
    layers = [(np.array(one["kernel"]), np.array(one["bias"])) for one in network["layers"]]
    layers[0] = (layers[0][0][order], layers[0][1])
    return Dense(layers, space, (0, 1))
