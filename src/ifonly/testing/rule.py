"""The laws of a rule."""

from __future__ import annotations

import copy
import pickle

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules import Box, Rule, parse
from ifonly.space import Space
from ifonly.testing.spaces import random_codes


def check_rule(rule: Rule, space: Space, *, seed: int = 0, q: int = 8, m: int = 30) -> None:
    """Assert every law of a rule that fits a space, on q random rows and m points of each.

    >>> from ifonly import fixed
    >>> from ifonly.testing import random_space
    >>> space = random_space(0)
    >>> check_rule(fixed(space.names[0]), space)
    """
    assert isinstance(rule, Rule), f"{type(rule).__name__} is not a Rule"
    rule.check(space)
    x, points = _rows_and_points(space, q, m, seed)
    lent = x.copy(), points.copy()
    _check_holds(rule, space, x, points)
    _check_narrow(rule, space, x, points)
    _check_text(rule, space)
    _check_frozen(rule)
    assert np.array_equal(x, lent[0], equal_nan=True), "the rule changed the rows it was given"
    assert np.array_equal(points, lent[1], equal_nan=True), "the rule changed points it was given"


def _rows_and_points(space: Space, q: int, m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows [q, d], and points [q, m, d] that change some features of their row, or none."""
    rng = np.random.default_rng(seed)
    x = random_codes(space, q, seed)
    fresh = random_codes(space, q * m, seed + 1).reshape(q, m, len(space))
    share = np.linspace(0, 1, m)[None, :, None]
    return x, np.where(rng.random(fresh.shape) < share, fresh, x[:, None])


def _check_holds(rule: Rule, space: Space, x: np.ndarray, points: np.ndarray) -> None:
    held = rule.holds(space, x, points)
    assert held.shape == points.shape[:2], (
        f"holds gave the shape {held.shape}, not {points.shape[:2]}"
    )
    assert held.dtype == bool, f"holds gave {held.dtype}, not bool"
    for i in range(len(x)):
        alone = rule.holds(space, x[i : i + 1], points[i : i + 1])[0]
        assert np.array_equal(alone, held[i]), f"row {i} is judged otherwise alone"
    backwards = rule.holds(space, x[::-1], points[::-1, ::-1])[::-1, ::-1]
    assert np.array_equal(backwards, held), "points are judged otherwise in another order"


def _check_narrow(rule: Rule, space: Space, x: np.ndarray, points: np.ndarray) -> None:
    whole = Box.whole(space, x)
    parts = (whole.low.copy(), whole.high.copy(), whole.levels.copy(), whole.keep.copy())
    box = rule.narrow(whole)
    for before, after in zip(parts, (whole.low, whole.high, whole.levels, whole.keep), strict=True):
        assert np.array_equal(before, after), "narrow changed the box it was given"
    held = rule.holds(space, x, points)
    possible = whole.contains(points).all(axis=-1)
    inside = box.contains(points).all(axis=-1)
    assert not (held & possible & ~inside).any(), "narrow leaves out a point that holds accepts"
    assert not (inside & ~possible).any(), "narrow lets in a point that was outside the box"
    if rule.boxed:
        assert not (inside & ~held).any(), (
            "the rule says that its box says all, and holds refuses a point inside it"
        )
    again = rule.narrow(box).contains(points).all(axis=-1)
    assert np.array_equal(again, inside), "narrowing twice gives another box than narrowing once"


def _check_text(rule: Rule, space: Space) -> None:
    line = str(rule)
    assert line.strip(), "the rule's text is empty"
    assert "\n" not in line, f"the rule's text has more than one line: {line!r}"
    assert line == str(copy.deepcopy(rule)), "the text of a copy differs"
    try:
        read = parse(line, space)
    except RuleError:
        return  # a form of its own, which the text of rules does not know
    assert read == rule, f"the text {line!r} reads as another rule: {read!r}"


def _check_frozen(rule: Rule) -> None:
    twin = pickle.loads(pickle.dumps(rule))
    assert twin == rule, "a pickled copy is not equal to the rule"
    assert hash(twin) == hash(rule), "equal rules have different hashes"
    for name in vars(rule) or ["anything"]:
        try:
            setattr(rule, name, getattr(rule, name, None))
        except (AttributeError, TypeError):
            continue
        raise AssertionError(f"the rule's {name} can be changed")
