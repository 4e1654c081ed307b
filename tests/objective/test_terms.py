"""Every term's gradient is the one that torch finds by itself, in NumPy and in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ifonly.models import Dense
from ifonly.objective import L1, L2, ClassMargin, Hinge, Loss, RangeMargin, Term
from ifonly.objective.diversity import Diversity, adjugate, pair_maps
from ifonly.objective.onehot import OneHot, column_blocks
from ifonly.objective.proximity import Proximity, column_weights, summed_weights
from ifonly.space import Metric, Space

torch = pytest.importorskip("torch")
Q = 3
seeds = st.integers(0, 2**32 - 1)
sizes = st.sampled_from([1, 2, 3, 4, 10])
# The fixtures are constants; hypothesis fears for those that are not.
often = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def points_of(seed: int, w: int, k: int) -> np.ndarray:
    """[w, k, Q] points anywhere in the unit box and a little beyond."""
    return np.random.default_rng(seed).uniform(-0.1, 1.1, size=(w, k, Q))


def same_gradient(
    make: Callable[[Any], Any], points: np.ndarray, value: Callable[[Any, Any], Any] | None = None
) -> None:
    """Assert that NumPy, torch and automatic differentiation agree on a term.

    `make` builds the term from what takes an array to a namespace. `value` is what torch shall
    differentiate where the term's own value changes an array in place.
    """
    term, twin = make(np.asarray), make(torch.asarray)
    tensor = torch.tensor(points, requires_grad=True)
    expected = value(twin, tensor) if value else twin.value(tensor)
    expected.sum().backward()
    automatic = tensor.grad.numpy()
    for ours in (term.value(points), twin.value(torch.asarray(points)).numpy()):
        np.testing.assert_allclose(ours, expected.detach().numpy(), rtol=1e-8, atol=1e-12)
    scale = np.abs(automatic).max() or 1.0
    for gradient in (term.gradient(points), twin.gradient(torch.asarray(points)).numpy()):
        assert gradient.shape == points.shape
        assert np.abs(gradient - automatic).max() <= 1e-5 * scale


def determinant(term: Diversity, points: Any) -> Any:
    """[q] det K, written the plain way."""
    gaps = torch.abs(points[:, :, None] - points[:, None])
    distance = torch.sum(term.weights[:, None, None, None] * gaps, dim=0)
    return torch.linalg.det(torch.permute(1.0 / (1.0 + distance), (2, 0, 1)))


def equation_4(loss: Loss, points: Any) -> Any:
    return (
        loss.outcome.value(points)
        + 0.5 * loss.proximity.value(points)
        - determinant(loss.diversity, points)
        + loss.onehot.value(points)
    )


def diversity(weights: np.ndarray, k: int, place: Any = np.asarray) -> Diversity:
    return Diversity(*map(place, (weights, *pair_maps(k), np.eye(k)[:, :, None])))


@often
@given(seed=seeds, k=sizes)
def test_proximity_agrees_with_automatic_differentiation(
    space: Space, metric: Metric, seed: int, k: int
) -> None:
    points = points_of(seed, space.offsets[-1], k)
    x = points_of(seed + 1, space.offsets[-1], 1)
    weights = column_weights(space, metric)
    same_gradient(lambda place: Proximity(place(x), place(weights)), points)


@often
@given(seed=seeds, k=sizes)
def test_the_one_hot_penalty_agrees_with_automatic_differentiation(
    space: Space, seed: int, k: int
) -> None:
    points = points_of(seed, space.offsets[-1], k)
    same_gradient(lambda place: OneHot(place(column_blocks(space))), points)


@often
@given(seed=seeds, k=sizes, summed=st.booleans())
def test_diversity_agrees_with_automatic_differentiation(
    space: Space, metric: Metric, seed: int, k: int, summed: bool
) -> None:
    points = points_of(seed, space.offsets[-1], k)
    weights = (summed_weights if summed else column_weights)(space, metric)
    same_gradient(lambda place: diversity(weights, k, place), points, determinant)


@often
@given(seed=seeds, k=st.sampled_from([2, 4, 10]), apart=st.sampled_from([1e-3, 1e-5, 1e-7]))
def test_diversity_agrees_for_nearly_equal_points(
    space: Space, metric: Metric, seed: int, k: int, apart: float
) -> None:
    points = points_of(seed, space.offsets[-1], k)
    points[:, 1] = points[:, 0] + apart * (points[:, 1] - 0.5)
    weights = column_weights(space, metric)
    same_gradient(lambda place: diversity(weights, k, place), points, determinant)


def test_diversity_has_no_slope_and_no_value_between_equal_points(
    space: Space, metric: Metric
) -> None:
    points = np.repeat(points_of(0, space.offsets[-1], 1), 4, axis=1)
    term = diversity(column_weights(space, metric), 4)
    np.testing.assert_allclose(term.value(points), 0.0, atol=1e-15)
    assert np.isfinite(term.gradient(points)).all()
    np.testing.assert_array_equal(term.repeats(points), np.arange(4)[:, None] + np.zeros(Q))


@often
@given(seed=seeds, k=sizes)
def test_the_adjugate_is_the_determinant_times_the_inverse(seed: int, k: int) -> None:
    spots = points_of(seed, 5, k)
    kernel = 1.0 / (1.0 + np.abs(spots[:, :, None] - spots[:, None]).sum(axis=0))
    entries, determinant = adjugate(kernel)
    stack = np.moveaxis(kernel, 2, 0)
    expected = np.linalg.det(stack)[:, None, None] * np.linalg.inv(stack)
    np.testing.assert_allclose(np.moveaxis(entries, 2, 0), expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(determinant, np.linalg.det(stack), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", [Hinge, L1, L2])
@pytest.mark.parametrize(
    ("outputs", "c"), [((6, 1), 2), ((6, 2), 2), ((1,), 2), ((6, 5, 4), 4)], ids=str
)
@often
@given(seed=seeds, k=sizes)
def test_outcome_terms_agree_with_automatic_differentiation(
    network: Callable[..., Dense], kind: Any, outputs: tuple[int, ...], c: int, seed: int, k: int
) -> None:
    model = network(*outputs, classes=tuple("abcd"[:c]))
    points = points_of(seed, len(model.layers[0][0]), k)
    wanted = np.arange(Q) % c
    same_gradient(
        lambda place: kind(ClassMargin.of(model, wanted, k, c, place(points))),
        points,
    )


@pytest.mark.parametrize("kind", [Hinge, L1, L2])
@often
@given(seed=seeds, k=sizes)
def test_a_range_agrees_with_automatic_differentiation(
    network: Callable[..., Dense], kind: Any, seed: int, k: int
) -> None:
    model = network(6, 1)
    points = points_of(seed, len(model.layers[0][0]), k)
    low, high = np.array([[-1.0, 0.0, -np.inf]]), np.array([[1.0, np.inf, -2.0]])
    same_gradient(lambda place: kind(RangeMargin(model, place(low), place(high), unit=0.5)), points)


@pytest.mark.parametrize("summed", [False, True])
@often
@given(seed=seeds, k=sizes)
def test_the_loss_agrees_with_automatic_differentiation(
    space: Space, metric: Metric, network: Callable[..., Dense], summed: bool, seed: int, k: int
) -> None:
    model = network(6, 1, classes=("no", "yes"))
    points = points_of(seed, space.offsets[-1], k)
    x = points_of(seed + 1, space.offsets[-1], 1)[:, 0].T

    def make(place: Any) -> Term:
        margin = ClassMargin.of(model, np.array([0, 1, 1]), k, 2, place(x))
        return Loss.of(space, metric, place(x), margin, k, summed=summed)

    same_gradient(make, points, equation_4)


def test_a_saturated_model_still_shows_the_way(space: Space) -> None:
    kernel = np.full((space.offsets[-1], 1), 30.0)
    model = Dense([(kernel, np.array([-200.0]))], space, ("no", "yes"))
    points = points_of(0, space.offsets[-1], 2)
    margin = ClassMargin.of(model, np.ones(Q), 2, 2, points)
    assert (margin.margin(points) < -30.0).all()
    assert np.abs(Hinge(margin).gradient(points)).min() == pytest.approx(15.0)


def test_pressure_starts_as_the_loss_of_the_paper(network: Callable[..., Dense]) -> None:
    model = network(6, 1, classes=("no", "yes"))
    points = points_of(0, len(model.layers[0][0]), 4)
    hinge = Hinge(ClassMargin.of(model, np.ones(Q), 4, 2, points))
    margins = hinge.model.margin(points)
    expected = np.maximum(0.0, 1.0 - margins).mean(axis=0)
    np.testing.assert_allclose(hinge.value(points), expected)
    pressed = hinge.press(np.ones_like(margins))
    np.testing.assert_allclose(
        pressed.value(points), (2.0 * np.maximum(0.0, 2.0 - margins)).mean(axis=0)
    )
