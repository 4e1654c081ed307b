"""The metrics of the paper's own counterfactuals are the figures that the paper published."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ifonly import Space
from ifonly.metrics import evaluate, summary

PAPER, DATA = os.environ.get("IFONLY_PAPER"), os.environ.get("IFONLY_DATA")
pytestmark = pytest.mark.skipif(
    not (PAPER and DATA),
    reason="IFONLY_PAPER and IFONLY_DATA do not name the folders of the paper's records and data",
)

OUTCOMES = {"<=50K": 0, ">50K": 1}
# Our name of each published figure, and how it is counted there.
FIGURES = {
    "percent_valid_unique": ("valid_unique", lambda value: 100 * value),
    "continuous_distance_mad": ("continuous_proximity", lambda value: -value),
    "categorical_changed_fraction": ("categorical_proximity", lambda value: 1 - value),
    "continuous_diversity_mad": ("continuous_diversity", float),
    "continuous_count_diversity": ("continuous_count_diversity", float),
    "categorical_diversity": ("categorical_diversity", float),
}


def read(name: str) -> Any:
    return json.loads((Path(str(PAPER)) / name).read_text())


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(str(DATA)) / f"{name}.csv.gz")


def adult_space(deviations: dict[str, float], data: pd.DataFrame) -> Space:
    """Adult's features, with the deviations that the authors measured distance by."""
    return Space.describe(
        *(
            {"name": n, "low": data[n].min(), "high": data[n].max(), "mad": deviations[n]}
            if n in deviations
            else {"name": n, "levels": sorted(data[n].unique())}
            for n in data.columns
        )
    )


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("variant", ["plain", "sparse"])
def test_the_published_counterfactuals_have_the_published_metrics(
    outcome: str, variant: str
) -> None:
    queries, records = read("queries.json")["adult"], read("counterfactuals_adult_k4.json")
    data = table("adult").drop(columns="income")
    asked = [
        i for i, wanted in enumerate(queries["model_output_wanted"]) if wanted == OUTCOMES[outcome]
    ]
    rows = data.iloc[[queries["rows"][i] for i in asked]]
    lines = [[position, *line] for position, i in enumerate(asked) for line in records[variant][i]]
    frame = pd.DataFrame(lines, columns=["query", *records["columns"]])
    valid = (frame.pop("model_output") >= 0.5) == OUTCOMES[outcome]
    metrics = evaluate(frame, rows, adult_space(queries["mad_train"], data), k=4, valid=valid)
    ours = summary(metrics, k=4)["full"]
    published = read("results.json")
    place = published["k"].index(4)
    theirs = published["set_metrics"]["adult"][outcome]["DiverseCF"][variant]
    for name, (metric, counted) in FIGURES.items():
        assert round(float(counted(ours[metric])), 3) == theirs[name][place], name


@pytest.mark.parametrize("name", ["adult", "compas", "german_credit", "lending_club"])
def test_the_published_network_gives_every_row_the_opposite_of_what_it_wants(name: str) -> None:
    queries, record = read("queries.json")[name], read("models.json")[name]
    rows = table(name).iloc[queries["rows"]]
    units = np.column_stack([column(rows, entry, record) for entry in record["columns"]])
    for number, layer in enumerate(record["models"]["ann"]["layers"]):
        units = np.maximum(units, 0) if number else units
        units = units @ np.array(layer["kernel"]) + np.array(layer["bias"])
    predicted = (units[:, 0] > 0).astype(int)
    assert (predicted == 1 - np.array(queries["model_output_wanted"])).all()


def column(rows: pd.DataFrame, entry: dict[str, str], record: dict[str, Any]) -> np.ndarray:
    values = rows[entry["feature"]]
    if "level" in entry:
        return (values.astype(str) == entry["level"]).to_numpy(float)
    low = record["continuous_min"][entry["feature"]]
    high = record["continuous_max"][entry["feature"]]
    return ((values - low) / (high - low)).to_numpy(float)
