"""What holds for every descent: bounds, validity, and rows that do not see each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ifonly.models import Dense
from ifonly.models.adapters.torch import TorchModel
from ifonly.objective import ClassMargin, Loss
from ifonly.search import descent
from ifonly.search.descent import Pace, descend
from ifonly.space import Metric, Space

K, Q = 3, 24


@pytest.fixture(scope="module")
def space() -> Space:
    return Space.describe(
        {"name": "age", "low": 17, "high": 90, "mad": 10},
        {"name": "rate", "low": 0, "high": 2, "mad": 0.25, "decimals": 2},
        {"name": "job", "levels": ["a", "b", "c", "d"]},
        {"name": "home", "levels": ["own", "rent"]},
    )


@pytest.fixture(scope="module")
def model(space: Space) -> Dense:
    random = np.random.default_rng(8)
    w = space.offsets[-1]
    layers = [
        (random.normal(size=(w, 10)), random.normal(size=10)),
        (random.normal(size=(10, 1)), np.zeros(1)),
    ]
    return Dense(layers, space, ("no", "yes"))


@pytest.fixture(scope="module")
def x(space: Space) -> np.ndarray:
    """[Q, w] the units of some rows on the value grid."""
    spans = np.random.default_rng(1).random((Q, len(space)))
    return space.units(space.round(space.low + spans * (space.high - space.low)))


@pytest.fixture(scope="module")
def wanted(model: Dense, x: np.ndarray) -> np.ndarray:
    return 1 - model.logits(x).argmax(axis=1)


@pytest.fixture(scope="module")
def starts(x: np.ndarray) -> np.ndarray:
    return np.random.default_rng(2).random((Q, K, x.shape[1]))


@pytest.fixture(scope="module")
def loss(space: Space, model: Dense, x: np.ndarray, wanted: np.ndarray) -> Loss:
    return make_loss(space, model, x, wanted)


def make_loss(space: Space, model: Dense, x: Any, wanted: np.ndarray) -> Loss:
    return Loss.of(space, Metric.of(space), x, ClassMargin.of(model, wanted, K, 2, x), K)


def wide(x: Any) -> tuple[Any, Any]:
    """No bounds but the unit box, [q, 1, w]."""
    return np.zeros_like(x)[:, None], np.ones_like(x)[:, None]


def test_answers_are_valid_unique_and_on_the_value_grid(
    loss: Loss, space: Space, model: Dense, x: np.ndarray, wanted: np.ndarray, starts: np.ndarray
) -> None:
    found = descend(loss, space, starts, *wide(x)).points
    codes = space.snap(found)
    np.testing.assert_allclose(space.units(codes), found, atol=1e-12)
    decided = model.logits(found.reshape(-1, x.shape[1])).argmax(axis=1).reshape(Q, K)
    assert (decided == wanted[:, None]).all()
    assert all(len(np.unique(row, axis=0)) == K for row in codes)


def test_a_row_alone_is_the_row_in_a_batch(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray
) -> None:
    low, high = wide(x)
    together = descend(loss, space, starts, low, high)
    for row in range(Q):
        one = slice(row, row + 1)
        alone = descend(loss.take(np.array([row])), space, starts[one], low[one], high[one])
        np.testing.assert_array_equal(space.snap(alone.points[0]), space.snap(together.points[row]))
        assert alone.steps[0] == together.steps[row]


def test_chunks_change_nothing(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = descend(loss, space, starts, *wide(x))
    monkeypatch.setattr(descent, "CACHED", 5 * x.shape[1] * K * (K + 1) // 2)
    parts = descend(loss, space, starts, *wide(x))
    np.testing.assert_array_equal(space.snap(parts.points), space.snap(whole.points))


def test_bounds_hold(loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray) -> None:
    low, high = wide(x)
    low[:, 0, 0] = high[:, 0, 0] = x[:, 0]  # age is fixed
    high[:, 0, 1] = 0.75  # rate at most 1.5
    high[:, 0, 2] = high[:, 0, 4] = 0.0  # neither job a nor c
    found = descend(loss, space, starts, low, high, pace=Pace(steps=200)).points
    np.testing.assert_allclose(found[:, :, 0], x[:, :1] + np.zeros(K), atol=1e-12)
    assert found[:, :, 1].max() <= 0.75
    assert set(np.unique(space.snap(found)[:, :, 2])) <= {1.0, 3.0}


def test_a_forbidden_level_is_not_taken_where_all_are_at_zero(space: Space) -> None:
    w = space.offsets[-1]
    high = np.ones((w, 1, 1))
    high[2] = 0.0
    batch = descent._Batch.of(np.zeros((w, 2, 1)), np.zeros((w, 1, 1)), high)
    settled = descent._Settle(space, None)(batch)
    assert space.snap(np.transpose(settled, (2, 1, 0)))[0, :, 2].tolist() == [1.0, 1.0]


def test_finished_rows_leave_the_batch(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    plain = descent._step

    def counted(loss: Loss, batch: Any, step: int, rate: float) -> None:
        sizes.append(batch.row.shape[0])
        plain(loss, batch, step, rate)

    monkeypatch.setattr(descent, "_step", counted)
    steps = descend(loss, space, starts, *wide(x)).steps
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == steps.sum()
    assert steps.min() < steps.max()


def test_a_row_without_an_answer_stops_too(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray
) -> None:
    held = x[:, None]
    pace = Pace(every=10, patience=2, stubborn=4)
    found = descend(loss, space, starts, held, held, pace=pace)
    np.testing.assert_allclose(found.points, held + np.zeros((1, K, 1)))
    assert (found.steps == 50).all()


def test_steps_end_at_the_limit(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray
) -> None:
    assert (descend(loss, space, starts, *wide(x), pace=Pace(steps=30)).steps == 30).all()


def test_nothing_given_is_changed(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray
) -> None:
    low, high = wide(x)
    before = starts.copy()
    descend(loss, space, starts, low, high, pace=Pace(steps=50))
    np.testing.assert_array_equal(starts, before)
    assert (low == 0.0).all()
    assert (high == 1.0).all()


def test_without_diversity_points_do_not_see_each_other(
    loss: Loss, space: Space, x: np.ndarray, starts: np.ndarray
) -> None:
    equal = np.repeat(starts[:, :1], K, axis=1)
    found = descend(replace(loss, lambda2=0.0), space, equal, *wide(x)).points
    np.testing.assert_array_equal(found[:, 1:], found[:, :1] + np.zeros((1, K - 1, 1)))


def test_torch_gives_the_answers_of_numpy(
    loss: Loss, space: Space, model: Dense, x: np.ndarray, wanted: np.ndarray, starts: np.ndarray
) -> None:
    torch = pytest.importorskip("torch")
    low, high = wide(x)
    twin = make_loss(space, model, torch.asarray(x), wanted)
    tensors = [torch.asarray(part) for part in (starts, low, high)]
    ours = descend(loss, space, starts, low, high)
    theirs = descend(twin, space, *tensors)
    assert isinstance(theirs.points, torch.Tensor)
    np.testing.assert_array_equal(space.snap(theirs.points).numpy(), space.snap(ours.points))


def test_a_point_that_cannot_move_starts_again(space: Space, x: np.ndarray) -> None:
    """Every point starts where the network is flat, and only another start shows the way out."""
    w = space.offsets[-1]
    kernel = np.zeros((w, 1))
    kernel[0] = 1.0
    model = Dense([(kernel, [-0.6]), ([[10.0]], [-1.0])], space, ("no", "yes"))
    loss = make_loss(space, model, np.zeros_like(x), np.ones(Q))
    starts = np.random.default_rng(0).random((Q, K, w))
    starts[:, :, 0] = 0.1
    low, high = wide(x)
    stuck = descend(loss, space, starts, low, high, pace=Pace(stubborn=10)).points
    freed = descend(loss, space, starts, low, high, pace=Pace(stubborn=10, again=4)).points
    assert (stuck[:, :, 0] <= 0.7).all()
    assert (freed[:, :, 0] > 0.7).all()


def test_a_torch_module_of_plain_layers_has_the_gradient_that_torch_finds(space: Space) -> None:
    torch = pytest.importorskip("torch")
    w = space.offsets[-1]
    module = torch.nn.Sequential(torch.nn.Linear(w, 7), torch.nn.ReLU(), torch.nn.Linear(7, 1))
    model = TorchModel(module, space, (0, 1), "logits")
    units, weights = torch.rand((50, w), requires_grad=True), torch.randn((50, 2))
    logits, gradient = model.logits_gradient(units.detach(), weights)
    output = module(units)
    (wanted,) = torch.autograd.grad((weights[:, 1:] * output).sum(), units)
    assert torch.allclose(gradient, wanted, atol=1e-6)
    assert torch.allclose(logits[:, 1:], output, atol=1e-6)
    assert not logits[:, 0].any()
