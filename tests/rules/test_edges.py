"""Values that are one but for rounding are one to every question that a rule answers."""

from __future__ import annotations

import numpy as np
import pytest

from ifonly import Space
from ifonly.rules import Box, between, relation

NUMBERS = Space.describe(
    *({"name": name, "low": 0, "high": 1e9, "decimals": 2, "mad": 1e6} for name in "abc")
)


def test_large_numbers_that_add_up_exactly_are_equal() -> None:
    rng = np.random.default_rng(0)
    factors = {"a": 0.333, "b": 0.5, "c": 0.4}
    for _ in range(200):
        cents = rng.integers(0, 10**10, 3)
        thousandths = int(cents @ np.array([333, 500, 400]))
        point = cents / 100.0
        rule = relation(factors, "=", thousandths / 100_000)
        assert rule.holds(NUMBERS, point[None], point[None, None]).all()
        off = point + np.array([0, 0, 0.01])
        assert not rule.holds(NUMBERS, point[None], off[None, None]).any()


@pytest.mark.parametrize(("own", "low"), [(29.9999999, 30.0), (30.0, 30.0000005)])
def test_a_value_that_is_a_bound_but_for_rounding_is_inside_its_box(own: float, low: float) -> None:
    space = Space.describe({"name": "a", "low": 0, "high": 99})
    rule, x = between("a", low, 60), np.array([[own]])
    assert rule.holds(space, x, x[:, None]).all()
    assert rule.narrow(Box.whole(space, x)).contains(x[:, None]).all()


def test_a_feature_that_can_only_go_missing_is_not_frozen() -> None:
    space = Space.describe(
        {"name": "a", "low": 3, "high": 3, "missing": True, "erasable": True},
        {"name": "b", "levels": ["only"]},
    )
    box = Box.whole(space, np.array([[3.0, 0.0]]))
    assert box.frozen().tolist() == [[False, True]]
