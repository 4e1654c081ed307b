"""The authors' own records: their trained models, the rows they explained, what they measured.

A folder with models.json, queries.json, results.json and counterfactuals_adult_k4.json, made from
the authors' evaluation (repository raam93/DiCE_evaluations). None of it comes with ifonly.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import FileError
from ifonly.models.adapters.dense import Dense
from ifonly.paper.authors.facts import DATA, LIME
from ifonly.space import Categorical, Space


@dataclass(frozen=True)
class Records:
    """The records in a folder."""

    folder: Path

    def network(self, data: str, kind: str, space: Space) -> Dense:
        """The authors' weights over a space; its classes are the outcomes of the data."""
        record = self.read("models")[data]
        own = [(one["feature"], str(one.get("level"))) for one in record["columns"]]
        order = [own.index(column) for column in _columns(space)]
        network = record["models"][kind]
        layers = [(np.array(one["kernel"]), np.array(one["bias"])) for one in network["layers"]]
        layers[0] = (layers[0][0][order], layers[0][1])
        positive = int(network["positive_output_means"].rpartition("==")[2])
        return Dense(layers, space, (1 - positive, positive))

    def fingerprint(self, data: str, kind: str) -> str:
        """Sixteen hexadecimal digits of a network's weights and of the rows explained."""
        weights = self.read("models")[data]["models"][kind]
        text = json.dumps([weights, self.positions(data)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def positions(self, data: str) -> list[int]:
        """The rows that the paper explained, as positions in the table."""
        return [int(place) for place in self.read("queries")[data]["rows"]]

    def counts(self, data: str) -> dict[str, int]:
        """How many of these rows want each outcome of the network."""
        positive = self.read("models")[data]["models"]["ann"]["positive_output_means"]
        meant = int(positive.rpartition("==")[2])
        wanted = np.array(self.read("queries")[data]["model_output_wanted"])
        outcomes = np.where(wanted == 1, meant, 1 - meant)
        return {name: int((outcomes == one).sum()) for one, name in DATA[data].outcomes.items()}

    def sets(self) -> pd.DataFrame:
        """One line a data set, outcome, method and k: the set metrics, by ifonly's names.

        They are means over the rows where the method found all k; `valid_unique` is over all rows.
        """
        return pd.DataFrame(list(self._set_lines()))

    def boundary(self) -> pd.DataFrame:
        """One line a data set, outcome, method, k and radius: the local boundary figures."""
        lines = [
            {
                "data": data,
                "outcome": outcome,
                "method": method,
                "k": k,
                "radius": float(name.split()[0]),
                **{_boundary_name(key): figures[key][i] for key in figures if key != "radius"},
            }
            for data, outcome, method, radii in _entries(self.read("results")["local_boundary"])
            for name, figures in radii.items()
            for i, k in enumerate(self.read("results")["k"])
        ]
        return pd.DataFrame(lines)

    def counterfactuals(self, variant: str, space: Space) -> np.ndarray:
        """[q, 4, d] the counterfactuals that DiverseCF gave for Adult; 'plain' or 'sparse'."""
        record = self.read("counterfactuals_adult_k4")
        lines = [line for row in record[variant] for line in row]
        frame = pd.DataFrame(lines, columns=record["columns"])[list(space.names)]
        return space.codes(frame).reshape(-1, record["k"], len(space))

    def read(self, name: str) -> Any:
        """What is in a file of the records."""
        return _read(self.folder / f"{name}.json")

    def _set_lines(self) -> Iterator[dict[str, Any]]:
        results = self.read("results")
        for data, outcome, method, figures in _entries(results["set_metrics"]):
            for i, k in enumerate(results["k"]):
                found = {name: values[i] for name, values in figures.items()}
                # Where no row had all k, the records hold zeros.
                full = found["continuous_distance_mad"] + found["categorical_changed_fraction"] > 0
                hidden = 1.0 if full else np.nan
                yield {
                    "data": data,
                    "outcome": outcome,
                    "method": method,
                    "k": k,
                    "valid_unique": found["percent_valid_unique"] / 100,
                    "categorical_diversity": hidden * found["categorical_diversity"],
                    "continuous_diversity": hidden * found["continuous_diversity_mad"],
                    "continuous_count_diversity": hidden * found["continuous_count_diversity"],
                    "categorical_proximity": hidden * (1 - found["categorical_changed_fraction"]),
                    "continuous_proximity": hidden * -found["continuous_distance_mad"],
                    "continuous_sparsity": hidden * (1 - found["continuous_changed_fraction"]),
                }


def _entries(results: Any) -> Iterator[tuple[str, str, str, Any]]:
    """Each data set, outcome and method of the records, with or without the sparsity step."""
    for data, outcomes in results.items():
        for outcome, methods in outcomes.items():
            for method, variants in methods.items():
                yield data, outcome, method, variants["plain"]
                if method != LIME:
                    yield data, outcome, f"{method}-Sparse", variants["sparse"]


def _boundary_name(name: str) -> str:
    """Our name of a figure: 'f1' for 'cf_class_f1', 'original_f1' for 'original_class_f1'."""
    return name.removeprefix("cf_class_").replace("_class_", "_")


def _columns(space: Space) -> list[tuple[str, str]]:
    return [
        (feature.name, str(level))
        for feature in space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]


@lru_cache(maxsize=8)
def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(
            f"{path.name!r} of the published records cannot be read: {error}",
            "Give --published the folder with models.json, queries.json and results.json.",
        ) from error
