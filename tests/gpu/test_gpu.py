"""A torch module on a GPU is searched there, and answers as it does on a CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly import recipes
from ifonly.search import Engine, descent

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU"),
]


def network(space: ifonly.Space, device: str) -> Any:
    """A small network with fixed weights over the space's units."""
    torch.manual_seed(0)
    width = space.offsets[-1]
    first, last = torch.nn.Linear(width, 16), torch.nn.Linear(16, 1)
    module = torch.nn.Sequential(first, torch.nn.ReLU(), last)
    with torch.no_grad():
        last.weight *= 8
        last.bias -= module(torch.rand(500, width)).median()  # both outcomes occur
    return module.to(device)


def model_of(space: ifonly.Space, device: str) -> Any:
    """The network as a model over units."""
    return ifonly.as_model(network(space, device), inputs="units")


@pytest.fixture
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    jobs = np.array(["a", "b", "c"])[rng.integers(0, 3, 2000)]
    ages = rng.integers(18, 80, 2000)
    return pd.DataFrame({"age": ages, "income": rng.integers(10, 200, 2000), "job": jobs})


def test_the_gradient_runs_where_the_module_lives(data: pd.DataFrame) -> None:
    model = model_of(ifonly.Space.infer(data), "cuda")
    explainer = ifonly.Explainer(model, data=data, method="gradient")
    assert explainer.setting.gradient is not None
    assert explainer.setting.gradient.home().device.type == "cuda"  # type: ignore[attr-defined]


@pytest.mark.parametrize("recipe", [recipes.diverse_cf_sparse, recipes.random_init_cf])
def test_the_quality_is_that_of_a_cpu(data: pd.DataFrame, recipe: Any) -> None:
    space = ifonly.Space.infer(data)
    found = {
        device: recipe(model_of(space, device), data[:500], data=data, k=4).metrics()
        for device in ("cpu", "cuda")
    }
    assert found["cpu"]["valid_unique"].mean() > 0.5
    for name in ("valid_unique", "objective", "distance"):
        on_cpu, on_gpu = (found[device][name].mean() for device in ("cpu", "cuda"))
        assert on_gpu == pytest.approx(on_cpu, abs=0.02), name


def test_answers_from_a_gpu_are_accepted_by_the_module(data: pd.DataFrame) -> None:
    space = ifonly.Space.infer(data)
    module = network(space, "cuda")
    model = ifonly.as_model(module, inputs="units")
    answers = ifonly.explain(model, data[:200], data=data, k=4)
    assert answers.filled.all()
    units = torch.tensor(space.units(answers.points[answers.filled]), dtype=torch.float32)
    decided = (module(units.cuda()).cpu().detach().numpy()[:, 0] > 0).astype(int)
    rows, _ = np.nonzero(answers.filled)
    assert (decided == np.array(answers.wanted)[rows]).all()


def test_the_engine_on_a_gpu_answers_as_on_a_cpu(data: pd.DataFrame) -> None:
    space = ifonly.Space.infer(data)
    found = {
        device: ifonly.explain(
            model_of(space, device or "cpu"), data[:500], data=data, method=Engine(device=device)
        )
        for device in (None, "cuda")
    }
    assert found["cuda"].filled.all()
    mine, others = (found[one].metrics()["objective"].mean() for one in ("cuda", None))
    assert mine <= others + 0.02


def test_recorded_steps_lead_to_the_same_points(
    data: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = ifonly.Space.infer(data)
    model = model_of(space, "cuda")
    recorded = recipes.diverse_cf(model, data[:500], data=data, k=4)
    monkeypatch.setattr(descent, "FEW", 0)
    plain = recipes.diverse_cf(model, data[:500], data=data, k=4)
    assert np.array_equal(recorded.points, plain.points)
