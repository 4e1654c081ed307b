"""No proof is false where a pipeline treats single values unlike all others.

Steps replace sentinels, add spikes, clip, cut into bins and swap values, each of one number, before
models of every kind that can be read. A proof is compared with every row of the space; a reading
that is refused proves nothing, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.space import Metric, Space

Step = Callable[[pd.DataFrame], pd.DataFrame]
ROWS = 4
"""The rows that each model is asked about."""
MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LogisticRegression(max_iter=300),
    "tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": lambda: RandomForestClassifier(5, max_depth=4, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=8, random_state=0),
    "network": lambda: MLPClassifier(3, max_iter=150, random_state=0, tol=1e-2),
}


@pytest.mark.draws(90)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_no_proof_is_false_behind_steps_that_treat_values_apart(
    seed: int, tally: Callable[[str, int], None]
) -> None:
    rng = np.random.default_rng(seed)
    data = random_table(rng)
    name = list(MODELS)[seed % len(MODELS)]
    step = random_step(data, rng)
    model = fitted(data, step, MODELS[name](), rng)
    if model is None:
        return
    said = model.predict(data)
    rows = data[said == said[0]].drop_duplicates().sample(ROWS, random_state=seed, replace=True)
    wanted = 1 - int(said[0])
    answers = ifonly.explain(model, rows, data=data, k=1, target=wanted, certify=5)
    proofs = answers.certificates()
    tally("readings with sentinels and spikes", 1)
    if "unread" in answers.record:
        assert not proofs["proved"].any()
        assert (proofs["bound"] == 0).all()
        tally("of them refused", 1)
        return
    best = nearest(model, answers, data, wanted)
    assert (proofs["bound"] <= best + 1e-9).all(), f"{name}: {proofs['bound']} against {best}"
    assert not (np.isfinite(best) & (proofs["status"] == "infeasible")).any()
    tally("proofs against every row of the space", int(proofs["proved"].sum()))


def random_table(rng: np.random.Generator) -> pd.DataFrame:
    """Two numbers, one of them on a dense grid; some values are common, most are rare."""
    n, wide = int(rng.integers(300, 2500)), int(rng.choice([40, 1000, 4000, 4000]))
    first = rng.gamma(3, wide / 8, n).round().clip(0, wide)
    second = rng.integers(0, int(rng.integers(3, 12)), n)
    return pd.DataFrame({"a": first, "b": second})


def random_step(data: pd.DataFrame, rng: np.random.Generator) -> Step:
    """A step on the first number; the values that it treats apart are often among the data."""
    low, high = data["a"].min(), data["a"].max()
    odd = float(rng.choice(data["a"])) if rng.random() < 0.6 else float(rng.integers(low, high + 1))
    other = float(rng.integers(low, high + 1))
    size = float(rng.integers(1, max(2, (high - low) // 4)))
    changed: dict[str, Callable[[pd.Series], pd.Series]] = {
        "sentinel": lambda a: a.where(a != odd, other),
        "spike": lambda a: a + (a == odd) * (high - low) * 2,
        "swap": lambda a: a.where(~a.isin([odd, other]), odd + other - a),
        "band": lambda a: a.where((a < odd) | (a > odd + 1), other),
        "clip": lambda a: a.clip(min(odd, other), max(odd, other)),
        "bins": lambda a: (a // size) * size,
        "odd bins": lambda a: a % size,
        "none": lambda a: a,
    }
    change = changed[str(rng.choice(list(changed)))]
    joint = rng.random() < 0.2
    level = int(rng.choice(data["b"]))

    def step(frame: pd.DataFrame) -> pd.DataFrame:
        new = change(frame["a"])
        return frame.assign(a=new.where(frame["b"] == level, frame["a"]) if joint else new)

    return step


def fitted(
    data: pd.DataFrame, step: Step, estimator: Any, rng: np.random.Generator
) -> Pipeline | None:
    """A pipeline, fitted to a noisy truth over the numbers as they are; None of one class alone."""
    scaled = (data - data.mean()) / data.std()
    truth = scaled @ rng.normal(size=2) + rng.normal(0, 0.4, len(data)) > 0
    if truth.nunique() < 2:
        return None
    pipeline = make_pipeline(FunctionTransformer(step), StandardScaler(), estimator)
    pipeline.fit(data, truth.astype(int))
    return pipeline if len({*pipeline.predict(data)}) == 2 else None


def nearest(
    model: Pipeline, answers: ifonly.Answers, data: pd.DataFrame, wanted: int
) -> np.ndarray:
    """[q] the price of the nearest answer among all rows of the space; infinite with none."""
    space: Space = answers.space
    values = [np.arange(low, high + 1) for low, high in zip(space.low, space.high, strict=True)]
    every = np.array(list(product(*values)))
    kept = every[model.predict(space.rows(every)) == wanted]
    metric = Metric.of(space)
    best = []
    for x in answers.x:
        others = kept[(kept != x).any(axis=1)]
        best.append(float(metric.price(others, x[None]).min(initial=np.inf)))
    return np.array(best)
