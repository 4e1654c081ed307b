"""There is one distance and one price: frame, metrics, certificates and views agree on both."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

import ifonly
from ifonly.cli.app import app
from ifonly.metrics import evaluate
from ifonly.paper.report.evaluation import evaluated
from ifonly.space import Cost
from ifonly.testing.spaces import random_frame

Weights = dict[str, float | Cost]


def random_model(data: pd.DataFrame, rng: np.random.Generator) -> ifonly.Explainer:
    """An explainer of a random additive model, with random weights, costs and causes."""
    names = list(data.columns)
    worth = {name: rng.normal(size=1000) for name in names}

    def score(frame: pd.DataFrame) -> np.ndarray:
        total = np.zeros(len(frame))
        for name in names:
            codes = pd.factorize(data[name].unique(), use_na_sentinel=False)[1]
            place = pd.Index(codes).get_indexer(frame[name].array)
            total += worth[name][place]
        return np.asarray(1 / (1 + np.exp(-total)))

    space = ifonly.Space.infer(data)
    weights: Weights = {}
    for feature in space.features:
        draw = rng.random()
        if draw < 0.3:
            weights[feature.name] = float(rng.uniform(0.2, 5))
        elif draw < 0.6 and isinstance(feature, ifonly.Continuous | ifonly.Ordinal):
            weights[feature.name] = ifonly.cost(up=rng.uniform(0.2, 5), down=rng.uniform(0.2, 5))
        elif draw < 0.6:
            pair = (feature.levels[0], feature.levels[-1])
            weights[feature.name] = ifonly.cost(moves={pair: 3.0}, other=0.5)
    model = ifonly.as_model(score, classes=["no", "yes"])
    numbers = [f.name for f in space.features if isinstance(f, ifonly.Continuous)]
    causes = None
    if len(numbers) > 1 and rng.random() < 0.6:
        causes = ifonly.CausalModel(
            {numbers[1]: (numbers[0],)}, {numbers[1]: lambda known: 0.5 * known[numbers[0]]}
        )
    priced = replace(space, weights=weights)
    return ifonly.Explainer(model, data=data, space=priced, causes=causes)


@pytest.mark.parametrize("seed", range(12))
def test_metrics_and_frame_have_one_distance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_frame(seed)
    answers = random_model(data, rng).explain(data[:8], k=3)
    for name in ("distance", "price"):
        frame = answers.frame().groupby("query")[name]
        measured = answers.metrics().set_index("query")[name].dropna()
        assert np.allclose(measured, frame.mean(), rtol=1e-12, atol=0)
        assert measured.index.tolist() == frame.mean().index.tolist()
    shown = [one.distance for row in answers.views() for one in row.answers]
    assert shown == answers.frame()["distance"].tolist()
    report = evaluated(answers).per_row
    assert np.array_equal(report["distance"], answers.metrics()["distance"], equal_nan=True)
    assert np.array_equal(report["objective"], answers.metrics()["objective"], equal_nan=True)
    if answers.acted is None:  # a table of counterfactuals does not say what follows from what
        names = ["query", *answers.space.names]
        strangers = evaluate(answers.frame()[names], data[:8], answers.space, k=3)
        ours = answers.metrics().drop(columns=["status", "extra"])
        pd.testing.assert_frame_equal(ours, strangers, check_dtype=False)


def test_a_certificate_has_the_least_price_of_the_frame() -> None:
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"a": rng.integers(0, 50, 200), "b": rng.integers(0, 50, 200)})
    model = LogisticRegression().fit(data, data["a"] + data["b"] > 60)
    costs = {"a": ifonly.cost(up=5, down=0.2)}
    answers = ifonly.explain(model, data[:10], data=data, k=3, weights=costs, certify=5)
    frame, lines = answers.frame(), answers.certificates()
    least = frame.loc[frame.groupby("query")["price"].idxmin()]
    for name in ("distance", "price"):
        assert lines[name].tolist() == least[name].tolist()
    charge = answers.space.sparsity / len(answers.space)
    assert np.allclose(frame["price"], frame["distance"] + charge * frame["changed"], rtol=1e-12)


def test_the_command_measures_saved_answers_by_their_own_distance(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    data = pd.DataFrame({"a": rng.integers(0, 50, 200), "b": rng.integers(0, 50, 200)})
    model = ifonly.as_model(lambda f: f["a"] + f["b"] > 60, classes=["no", "yes"])
    weights = {"a": ifonly.cost(up=5, down=0.2), "b": 2.0}
    answers = ifonly.explain(model, data[:6], data=data, k=2, weights=weights)
    path = tmp_path / "answers.json"
    path.write_text(answers.to_json(), encoding="utf-8")
    for options in ([], ["--report", str(tmp_path / "page.html")]):
        result = CliRunner().invoke(app, ["evaluate", str(path), "--format", "csv", *options])
        lines = pd.read_csv(io.StringIO(result.stdout))[:6]
        assert np.allclose(lines["distance"], answers.metrics()["distance"])
