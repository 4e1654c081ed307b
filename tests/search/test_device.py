"""The engine on a device: the same promises and quality as on the CPU, for every model it reads.

torch's own CPU is the device here; tests/gpu runs on a GPU.
"""

from __future__ import annotations

import sys
from copy import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly.arrays.keys import row_streams, uniforms
from ifonly.errors import IfonlyError, MissingExtra, OptionError
from ifonly.explainer import Explainer
from ifonly.models import Counted
from ifonly.models.reading.points import spread
from ifonly.search import Engine
from ifonly.select.tight import halvable
from ifonly.select.trim import all_needed
from ifonly.solve.method import method_of
from ifonly.solve.method_text import read_method
from ifonly.space import Metric

torch = pytest.importorskip("torch")
draws = pytest.importorskip("ifonly.search.device.draws").draws
ON = Engine(device="cpu")


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 300
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.integers(10, 200, n) / 2,
            "hours": rng.integers(1, 60, n),
            "job": np.array(["a", "b", "c"])[rng.integers(0, 3, n)],
            "home": np.array(["own", "rent"])[rng.integers(0, 2, n)],
        }
    )


@pytest.fixture(scope="module")
def models(data: pd.DataFrame) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    job = data["job"].map({"a": 20, "b": 0, "c": -10}) + 15 * (data["home"] == "own")
    points = data["income"] + data["hours"] / 2 + job + rng.normal(0, 10, len(data))
    granted, sort = points > points.quantile(0.6), pd.qcut(points, 3, labels=False)
    made: dict[str, Any] = {
        "logistic": (LogisticRegression(), granted),
        "network": (
            MLPClassifier((8,), solver="lbfgs", alpha=1.0, max_iter=5000, random_state=0),
            granted,
        ),
        "forest": (RandomForestClassifier(8, max_depth=5, random_state=0), granted),
        "many leaves": (RandomForestClassifier(3, random_state=0), points.rank() % 2 > 0),
        "three classes": (RandomForestClassifier(5, max_depth=4, random_state=0), sort),
        "regression": (RandomForestRegressor(5, max_depth=4, random_state=0), points),
    }
    fitted = {}
    for name, (last, outcome) in made.items():
        encode = make_column_transformer(
            (OneHotEncoder(), ["job", "home"]), (StandardScaler(), ["age", "income", "hours"])
        )
        fitted[name] = make_pipeline(encode, last).fit(data, outcome)
    return fitted


TARGETS: dict[str, Any] = {"three classes": 2, "regression": (90.0, None)}
KINDS = ("logistic", "network", "forest", "many leaves", "three classes", "regression")


@pytest.fixture(scope="module")
def explainers(models: dict[str, Any], data: pd.DataFrame) -> dict[str, Explainer]:
    return {name: Explainer(model, data=data, method=ON) for name, model in models.items()}


@pytest.mark.parametrize("name", KINDS)
def test_the_tables_say_what_the_reading_says(explainers: dict[str, Explainer], name: str) -> None:
    from ifonly.search.device.sums import sums_of

    reading = explainers[name].setting.reading
    assert reading is not None
    codes = spread(reading.space, 500, seed=0)
    found = sums_of(reading, "cpu")(torch.from_numpy(codes)).numpy()
    np.testing.assert_allclose(found, reading.margins(codes), rtol=1e-9, atol=1e-9)


def test_missing_values_go_their_own_way(data: pd.DataFrame) -> None:
    from ifonly.search.device.sums import sums_of

    xgboost = pytest.importorskip("xgboost")
    numbers = data[["age", "income", "hours"]].astype(float)
    numbers = numbers.mask(np.random.default_rng(0).random(numbers.shape) < 0.2)
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1)
    model.fit(numbers, (data["income"] > 50).astype(int))
    explainer = Explainer(model, data=numbers, method=ON)
    reading = explainer.setting.reading
    assert reading is not None
    codes = spread(reading.space, 300, seed=0)
    assert np.isnan(codes).any()
    found = sums_of(reading, "cpu")(torch.from_numpy(codes)).numpy()
    np.testing.assert_allclose(found, reading.margins(codes), rtol=1e-9, atol=1e-9)
    answers = explainer.explain(numbers[:20], k=2)
    assert (answers.points[np.isnan(answers.x).any(axis=1)][:, 0] != 0).any()
    assert answers.filled.all()


@pytest.mark.parametrize("name", KINDS)
def test_answers_are_needed_and_tight_or_marked(
    explainers: dict[str, Explainer], data: pd.DataFrame, name: str
) -> None:
    answers = explainers[name].explain(data[:12], target=TARGETS.get(name, "opposite"), k=3)
    source = answers.source
    assert source is not None
    model = Counted(source.setting.model, source.setting.model)
    rows, places = np.nonzero(answers.filled & ~answers.extra)
    each = source.batch.pose(source.setting, model, np.arange(len(answers.x))).take(rows)
    points = answers.points[rows, places]
    assert each.accepts(points[:, None]).all()
    assert all_needed(each, points).all()
    assert not halvable(each, points).any()


@pytest.mark.parametrize("name", KINDS)
def test_the_quality_is_that_of_the_cpu(
    explainers: dict[str, Explainer], data: pd.DataFrame, name: str
) -> None:
    options: dict[str, Any] = {"target": TARGETS.get(name, "opposite"), "plausible": False}
    here = explainers[name].explain(data[:12], **options)
    explainer = copy(explainers[name])
    explainer.method = method_of("auto")
    there = explainer.explain(data[:12], **options)
    full = there.filled.all(axis=1)
    assert here.filled.all(axis=1)[full].all()
    metric = Metric.of(here.space)
    nearest = [metric.price(one.points[full, 0], one.x[full]).mean() for one in (here, there)]
    assert nearest[0] <= 1.1 * nearest[1]
    mine, others = (one.metrics()["objective"][full].mean() for one in (here, there))
    assert mine <= others + 0.05


def test_a_row_is_answered_alike_in_any_batch(
    explainers: dict[str, Explainer], data: pd.DataFrame
) -> None:
    explainer = explainers["forest"]
    whole = explainer.explain(data[:20], k=3)
    order = np.random.default_rng(0).permutation(20)
    shuffled = explainer.explain(data[:20].iloc[order], k=3)
    np.testing.assert_array_equal(shuffled.points, whole.points[order])
    alone = explainer.explain(data[7:8], k=3)
    np.testing.assert_array_equal(alone.points[0], whole.points[7])


def test_rules_of_single_features_are_obeyed(
    explainers: dict[str, Explainer], data: pd.DataFrame
) -> None:
    rules = ["job fixed", "age only increases", "hours at most 45", "income between 10 and 90"]
    answers = explainers["network"].explain(
        data[:30], k=3, rules=rules, row_rules={0: ["income fixed"]}
    )
    assert answers.filled.any(axis=1).sum() >= 20
    found = answers.frame()
    own = data.iloc[found["query"]].reset_index(drop=True)
    assert (found["job"].to_numpy() == own["job"].to_numpy()).all()
    assert (found["age"].to_numpy() >= own["age"].to_numpy()).all()
    moved = found["hours"].to_numpy() != own["hours"].to_numpy()
    assert (found["hours"].to_numpy()[moved] <= 45).all()
    first = found["query"].to_numpy() == 0
    assert (found["income"].to_numpy()[first] == own["income"].to_numpy()[first]).all()


def test_diversity_and_the_promises_are_knobs(
    explainers: dict[str, Explainer], data: pd.DataFrame
) -> None:
    explainer = copy(explainers["network"])
    narrow, wide = (
        explainer.explain(data[:12], diversity=diversity).metrics()["det"].mean()
        for diversity in (0.0, 0.9)
    )
    assert narrow < wide
    explainer.method = method_of(Engine(device="cpu", needed=False, tight=False))
    loose = explainer.explain(data[:12])
    assert not loose.extra.any()


def test_a_torch_module_is_searched(data: pd.DataFrame) -> None:
    space = ifonly.Space.infer(data)
    torch.manual_seed(0)
    layers = (torch.nn.Linear(space.offsets[-1], 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    module = torch.nn.Sequential(*layers)
    with torch.no_grad():
        layers[2].weight *= 8
        layers[2].bias -= module(torch.rand(500, space.offsets[-1])).median()
    model = ifonly.as_model(module, inputs="units")
    answers = Explainer(model, data=data, method=ON).explain(data[:12], k=2)
    assert answers.filled.all()


def test_what_a_device_cannot_do_is_refused(
    explainers: dict[str, Explainer], data: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    explainer = copy(explainers["forest"])
    with pytest.raises(OptionError, match="relates features"):
        explainer.explain(data[:2], rules=["income >= hours"])
    with pytest.raises(OptionError, match="device is 3"):
        Engine(device=3)  # type: ignore[arg-type]
    unread = ifonly.as_model(lambda frame: frame["income"] > 50, classes=["no", "yes"])
    with pytest.raises(IfonlyError, match="cannot be read"):
        Explainer(unread, data=data, method=ON)
    explainer.method = method_of(Engine(device="nowhere"))
    with pytest.raises(OptionError, match="sees no device 'nowhere'"):
        explainer.explain(data[:2])
    monkeypatch.setitem(sys.modules, "ifonly.search.device.rows", None)
    with pytest.raises(MissingExtra):
        explainer.explain(data[:2])


def test_a_record_names_the_device() -> None:
    method = method_of(Engine(device="cuda", tight=False))
    assert read_method(repr(method)) == method


@pytest.mark.parametrize("n", [1, 7, 60])
def test_draws_on_a_device_are_those_of_the_cpu(n: int) -> None:
    streams = row_streams(np.arange(300.0).reshape(100, 3), seed=5)
    drawn = draws(streams, n, 101, "cpu").numpy()
    assert np.array_equal(drawn, uniforms(streams, n, 101, np.float32))
