"""Rules that cannot hold together for a row: the fewest of them.

Any set of rules that clashes meets every *correction*: rules without which all others can be
obeyed. So the smallest set that meets the corrections known so far is tried. If it clashes, no
smaller one does; otherwise it grows, rule by rule, until no rule can be added, and those left out
are another correction (Ignatiev et al., 'Smallest MUS extraction with minimal hitting set
dualization', 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ifonly.rules import Box, Rule
from ifonly.rules.formula import Affine
from ifonly.search.exact.program.cpsat import solve_by_cpsat
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import CHECKED, Program, Solution, SolverError
from ifonly.search.exact.rules.statement import state
from ifonly.space import Space

SECONDS = 5.0
"""The longest that is taken to decide whether some rules can hold together."""


def clash(space: Space, x: np.ndarray, rules: Sequence[Rule]) -> tuple[Rule, ...] | None:
    """The fewest rules that no answer to a row x [d] obeys together; None where one obeys all.

    Without any one of them the others can be obeyed. Nothing is said of a model. Where the space
    itself has no other value for the row, no rule is named.

    >>> from ifonly import Space, between, fixed
    >>> from ifonly.rules import relation
    >>> space = Space.describe({"name": "debt", "low": 0, "high": 9},
    ...                        {"name": "income", "low": 0, "high": 9})
    >>> rules = [fixed("income"), relation("debt", "<=", "income"), between("debt", 5, 8)]
    >>> print(*clash(space, np.array([2.0, 4.0]), rules), sep="; ")
    income fixed; debt <= income; debt between 5 and 8
    """
    if possible(space, x, rules) is not None:
        return None
    corrections: list[list[int]] = []
    while True:
        chosen = _smallest_meeting(corrections, len(rules))
        point = possible(space, x, [rules[i] for i in chosen], rules)
        if point is None:
            return tuple(rules[i] for i in chosen)
        corrections.append(_left_out(space, x, rules, point))


def possible(
    space: Space, x: np.ndarray, rules: Sequence[Rule], wished: Sequence[Rule] = ()
) -> np.ndarray | None:
    """[d] the codes of an answer to a row x [d] that obeys all rules; None where there is none.

    Where one change is enough, it is one that obeys the most of the rules that are `wished`.
    """
    box = Box.whole(space, x[None])
    for rule in rules:
        box = rule.narrow(box)
    if box.empty().any() or box.frozen().all():
        return None
    near = _one_change(box)
    near = near[_lawful(box, rules, near)]
    if len(near):
        obeyed = [_obeys(space, x, near, rule) for rule in wished]
        return np.asarray(near[np.sum(obeyed, axis=0).argmax()])
    program = Program()
    row = Row.of(program, box)
    for rule in rules:
        state(program, row, rule)
    said: list[str] = []
    for solution in _solutions(program):
        point = None if solution.values is None else row.codes_of(solution)
        if point is not None and _lawful(box, rules, point[None])[0]:
            return point
        said.append(solution.status)
    if "infeasible" in said and said[-1] != "limit":
        return None
    raise SolverError(
        f"The solver cannot tell whether these can hold together: {'; '.join(map(str, rules))}.",
        "Give features that relations add up fewer decimals.",
    )


def _solutions(program: Program) -> Iterator[Solution]:
    """What HiGHS says of a program and, where it has more than binaries, what CP-SAT says.

    HiGHS has been seen to miss the points of equations over numbers with many values. CP-SAT works
    in whole numbers and makes wider what it has to round: if it finds nothing, nothing is there.
    """
    try:
        yield program.solve(SECONDS, tolerance=CHECKED)
    except SolverError:
        yield Solution("limit")
    if max(program.high, default=0.0) > 1.0:
        yield solve_by_cpsat(program, SECONDS)


def _left_out(space: Space, x: np.ndarray, rules: Sequence[Rule], point: np.ndarray) -> list[int]:
    """The rules that cannot be added to those that a point obeys."""
    out: list[int] = []
    while True:
        obeyed = [i for i, rule in enumerate(rules) if _obeys(space, x, point[None], rule)[0]]
        open_yet = [i for i in range(len(rules)) if i not in obeyed and i not in out]
        if not open_yet:
            return out
        further = possible(space, x, [rules[i] for i in (*obeyed, open_yet[0])], rules)
        if further is None:
            out.append(open_yet[0])
        else:
            point = further


def _smallest_meeting(sets: Sequence[Sequence[int]], count: int) -> list[int]:
    """The fewest of the numbers below `count` of which each set has one."""
    program = Program()
    taken = [program.binary() for _ in range(count)]
    for one in sets:
        program.row(Affine.total(taken[i] for i in one), low=1.0)
    program.minimise(Affine.total(taken))
    values = program.solve().values
    assert values is not None, "all of them meet every set"
    return [i for i, one in enumerate(taken) if one.at(values) > 0.5]


def _one_change(box: Box) -> np.ndarray:
    """[n, d] the row of a box, moved inside, with one feature at an end or at another level."""
    space, x = box.space, box.x[:, None]
    stays, points = np.where(box.contains(x), x, box.clip(x))[0, 0], []
    for j in np.flatnonzero(~box.frozen()[0]):
        levels = box.levels[0, space.offsets[j] : space.offsets[j + 1]]
        ends = [box.low[0, j], box.high[0, j]]
        for value in ends if space.continuous[j] else np.flatnonzero(levels)[:2]:
            points.append(stays.copy())
            points[-1][j] = value
    return np.reshape(points, (-1, len(stays)))


def _obeys(space: Space, x: np.ndarray, points: np.ndarray, rule: Rule) -> np.ndarray:
    """bool [n]: the points [n, d] that obey a rule."""
    return np.asarray(rule.holds(space, x[None], points[None])[0])


def _lawful(box: Box, rules: Sequence[Rule], points: np.ndarray) -> np.ndarray:
    """bool [n]: the points [n, d] that are answers by the rules themselves.

    That is another row, written on the grid.
    """
    space, x = box.space, box.x[0]
    own = (points == x) | (np.isnan(points) & np.isnan(x))
    written = own | np.isnan(points) | (space.round(points) == points)
    lawful = (written & box.contains(points[None])[0]).all(axis=1) & ~own.all(axis=1)
    for rule in rules if lawful.any() else ():
        lawful &= _obeys(space, x, points, rule)
    return np.asarray(lawful)
