"""The laws of a rule."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules import Box, Rule, Scene, from_plain, parse, to_plain
from ifonly.rules.formula import Affine, Formula
from ifonly.space import Space
from ifonly.testing.point import PointVariables
from ifonly.testing.spaces import random_codes


def check_rule(rule: Rule, space: Space, *, seed: int = 0, q: int = 8, m: int = 30) -> None:
    """Assert every law of a rule that fits a space, on random rows and points.

    Parameters
    ----------
    rule
        The rule to check.
    space
        A space with the features of the rule.
    seed
        The seed of the rows and points.
    q
        How many rows.
    m
        How many points per row.

    Raises
    ------
    AssertionError
        A law is broken; the message says which.

    Examples
    --------
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
    _check_reach(rule, space, x, points)
    if rule.has_formula:
        _check_formula(rule, space, x, points)
    _check_text(rule, space)
    _check_json(rule)
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


def _check_reach(rule: Rule, space: Space, x: np.ndarray, points: np.ndarray) -> None:
    """What obeys the rule is not repaired, and a repair stays inside the box."""
    box = rule.narrow(Box.whole(space, x))
    rows, slots = np.nonzero(box.contains(points).all(axis=-1))
    scene = Scene(space, x, points[rows, slots], box, rows)
    moved = rule.reach(scene, True)
    assert moved.shape == scene.points.shape, f"reach gave the shape {moved.shape}"
    inside = box.take(rows).contains(moved[:, None]).all()
    assert inside, "reach moves a point out of the box"
    if len(rows):
        before = rule.holds(space, x[rows], scene.points[:, None])
        after = rule.holds(space, x[rows], moved[:, None])
        assert not (before & ~after).any(), "reach moves a point that obeys to one that does not"


def _check_formula(rule: Rule, space: Space, x: np.ndarray, points: np.ndarray) -> None:
    """At every point that a row may become, the formula says what `holds` and `truth` say."""
    held = rule.holds(space, x, points)
    truth = rule.truth(Scene(space, x, points))
    for i, m in zip(*np.nonzero(Box.whole(space, x).contains(points).all(axis=-1)), strict=True):
        variables = PointVariables(space, x[i], points[i, m])
        said = _is_true(rule.constraint(variables))
        assert said == held[i, m], f"the formula is {said} of a point, holds says {held[i, m]}"
        if not (np.isnan(points[i, m]) & ~np.isnan(x[i])).any():
            opposite = _is_true(rule.formula(variables, False))
            assert opposite == (truth[i, m] <= 0), "the formula of the opposite is another"


def _is_true(formula: Formula) -> bool:
    assert isinstance(formula, Affine), f"of a known point a formula is yes or no, not {formula}"
    assert formula.constant in (0, 1), f"a condition is 0 or 1, not {formula.constant}"
    return formula.constant == 1


def _check_json(rule: Rule) -> None:
    if type(rule).kind:
        try:
            plain = to_plain(rule)
        except RuleError:
            return  # a rule inside it, or a level, that JSON cannot hold
        assert from_plain(json.loads(json.dumps(plain))) == rule, "JSON gives another rule back"


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
