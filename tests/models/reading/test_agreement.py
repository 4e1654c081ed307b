"""A reading says what the model says, for every kind of model and of feature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Continuous, Space
from ifonly.models.reading import Layers, check_reading, code_at, span, step_below
from ifonly.testing import check_model, random_codes


def sweeps(space: Space, codes: np.ndarray) -> Iterator[np.ndarray]:
    """Rows along the value grid of each number: all of it, or a stretch of 300 steps."""
    for j, feature in enumerate(space.features):
        if isinstance(feature, Continuous):
            first, last = span(feature)
            middle = int(step_below(feature, np.nanmedian(codes[:, j])))
            steps = np.arange(max(first, middle - 150), min(last, middle + 150) + 1)
            rows = np.tile(codes[j], (len(steps), 1))
            rows[:, j] = code_at(feature, steps)
            yield rows


def agree(example: Any) -> None:
    """Assert that a reading has the scores and the decisions of the model, on thousands of codes.

    The data's own rows are among them, whose full-precision values lie off the value grid.
    """
    reading, adapted, space, codes, _ = vars(example).values()
    points = np.concatenate([codes, random_codes(space, 2000, seed=0), *sweeps(space, codes)])
    wanted, given = np.asarray(adapted.scores(points)), reading.scores(points)
    tolerance = (1e-5 if single(example) else 1e-9) * (1 + np.abs(wanted).max())
    assert np.abs(given - wanted).max() <= tolerance
    if adapted.classes:
        ordered = np.sort(wanted, axis=1)
        clear = ordered[:, -1] - ordered[:, -2] > 2 * tolerance
        assert (reading.decide(points)[clear] == adapted.decide(points)[clear]).all()
    check_reading(reading, adapted, space, codes)
    check_model(reading, space)


def single(example: Any) -> bool:
    """Whether the model adds in single precision, or a feature comes in it."""
    if isinstance(example.reading, Layers):
        return "rate" in example.space.names
    return example.reading.rounding > 1e-7


@pytest.mark.sample(5)
def test_a_reading_says_what_the_model_says(example: Any, case: tuple[str, str]) -> None:
    agree(example(*case, seed=len(" ".join(case))))


@pytest.mark.sample(4)
@given(data=st.data(), seed=st.integers(0, 10_000))
@settings(max_examples=8, deadline=None)
def test_so_does_one_of_any_table(example: Any, cases: Any, data: Any, seed: int) -> None:
    agree(example(*data.draw(st.sampled_from(cases)), seed))
