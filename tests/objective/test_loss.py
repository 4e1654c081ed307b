"""The loss is the paper's equation 4, and its distance is the distance between codes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ifonly.models import Dense
from ifonly.objective import ClassMargin, Loss
from ifonly.objective.proximity import Proximity, column_weights, summed_weights
from ifonly.space import Categorical, Metric, Space


@pytest.fixture
def codes(space: Space) -> np.ndarray:
    """[q, k + 1, d] sets on the value grid; the last point of each is the row itself."""
    random = np.random.default_rng(3)
    spans = random.random((7, 5, len(space)))
    return space.round(space.low + spans * (space.high - space.low))


def feature_major(units: np.ndarray) -> np.ndarray:
    return np.transpose(units, (2, 1, 0))


def test_the_distance_in_units_is_the_distance_between_codes(
    space: Space, metric: Metric, codes: np.ndarray
) -> None:
    units = feature_major(space.units(codes))
    near = Proximity(units[:, 4:], column_weights(space, metric))
    expected = metric.distance(codes[:, :4], codes[:, 4:]).mean(axis=1)
    np.testing.assert_allclose(near.value(units[:, :4]), expected)


def test_the_loss_is_equation_4(
    space: Space, metric: Metric, network: Callable[..., Dense], codes: np.ndarray
) -> None:
    model = network(6, 1, classes=("no", "yes"))
    points, row = codes[:, :4], codes[:, 4:]
    x = space.units(row[:, 0])
    loss = Loss.of(space, metric, x, ClassMargin.of(model, np.ones(7), 4, 2, x), 4)
    units = feature_major(space.units(points))

    logit = model.logits(space.units(points.reshape(28, -1)))[:, 1].reshape(7, 4)
    hinge = np.maximum(0.0, 1.0 - logit).mean(axis=1)
    kernel = 1.0 / (1.0 + metric.pairwise(points))
    objective = 0.5 * metric.distance(points, row).mean(axis=1) - np.linalg.det(kernel)
    np.testing.assert_allclose(loss.objective(units), objective)
    np.testing.assert_allclose(loss.value(units), hinge + objective)  # one-hot: no penalty


def test_one_point_has_a_diversity_of_one(
    space: Space, metric: Metric, network: Callable[..., Dense], codes: np.ndarray
) -> None:
    model = network(6, 1, classes=("no", "yes"))
    x = space.units(codes[:, 4])
    loss = Loss.of(space, metric, x, ClassMargin.of(model, np.ones(7), 1, 2, x), 1)
    np.testing.assert_allclose(loss.objective(feature_major(x[:, None])), -1.0)


def test_the_summed_distance_counts_a_changed_category_as_two(space: Space) -> None:
    weights = summed_weights(space, Metric.of(space))
    for j, feature in enumerate(space.features):
        if isinstance(feature, Categorical):
            assert (weights[space.offsets[j] : space.offsets[j + 1]] == 1.0).all()
        else:
            assert weights[space.offsets[j]] == pytest.approx(
                (feature.high - feature.low) / feature.mad
            )


def test_taking_rows_takes_every_part(
    space: Space, metric: Metric, network: Callable[..., Dense], codes: np.ndarray
) -> None:
    model = network(6, 1, classes=("no", "yes"))
    x = space.units(codes[:, 4])
    loss = Loss.of(space, metric, x, ClassMargin.of(model, np.arange(7) % 2, 4, 2, x), 4)
    units = feature_major(space.units(codes[:, :4]))
    rows = np.array([5, 0, 2])
    np.testing.assert_allclose(loss.take(rows).value(units[:, :, rows]), loss.value(units)[rows])
