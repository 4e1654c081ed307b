"""Which rules make a row infeasible, in the smallest set that does.

Where the box alone is empty, boxes say so; for all other rules a solver does (extra 'exact').
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ifonly.errors import MissingExtra, RuleError
from ifonly.problem.problem import Problem
from ifonly.rules import Box, Rule
from ifonly.space import Space
from ifonly.space.table.values import value_of


def conflicts(problem: Problem, rows: np.ndarray, shut: np.ndarray) -> dict[int, str]:
    """For each of some rows without answers, the rules that conflict, where this can be proved."""
    reasons = {}
    for row in rows if problem.rules or problem.own_rules else np.flatnonzero(shut):
        if shut[row] or (problem.relations and not problem.model.late):
            found = conflict(problem.space, problem.x[row], problem.rules_of(int(row)))
            if found is not None:
                reasons[int(row)] = reason(problem, int(row), found)
    return reasons


def closed(problem: Problem) -> np.ndarray:
    """bool [q]: the rows of which a feature has no value left, or none may change.

    With causes, a feature may have a value left that no action leads to: where the row's own may
    not stay, and neither an action nor a consequence can change it.
    """
    frozen = problem.box.frozen()
    shut = problem.box.empty().any(axis=1) | frozen.all(axis=1)
    if problem.causes is not None and problem.limits is not None:
        stays = ~problem.causes.reached(~frozen)
        allowed = problem.limits.contains(problem.x[:, None])[:, 0]
        shut |= problem.limits.empty().any(axis=1) | (stays & ~allowed).any(axis=1)
    return np.asarray(shut)


def conflict(space: Space, x: np.ndarray, rules: Sequence[Rule]) -> tuple[Rule, ...] | None:
    """The smallest set of rules that makes a row x [d] infeasible, or None where there is none.

    None as well where it is not known: without a solver, or where the solver cannot decide. Rules
    without a formula are left out: what the others cannot do together stays impossible.
    """
    from ifonly.search import exact

    try:
        return exact.clash(space, x, [rule for rule in rules if rule.has_formula])
    except (MissingExtra, RuleError, exact.SolverError):
        return _by_boxes(space, x, [rule for rule in rules if rule.boxed])


def reason(problem: Problem, row: int, found: tuple[Rule, ...]) -> str:
    """A conflict, in words."""
    if not found:
        return "The space has no other values."
    names = [name for name in problem.space.names if any(name in rule.names for rule in found)]
    own = [value_of(f, problem.x[row, j]) for j, f in enumerate(problem.space.features)]
    values = ", ".join(f"{name} is {own[problem.space.index(name)]}" for name in names[:4])
    listed = ", ".join(f"'{rule}'" for rule in found)
    where = f" ({values})" if values else ""
    if len(found) == 1:
        return f"This rule makes the row infeasible{where}: {listed}."
    return f"These rules conflict for this row{where}: {listed}."


def _by_boxes(space: Space, x: np.ndarray, rules: list[Rule]) -> tuple[Rule, ...] | None:
    """A set of rules, none of which can be dropped, whose boxes make the row infeasible."""
    if not _nothing(space, x, rules):
        return None
    for rule in list(rules):
        fewer = [other for other in rules if other is not rule]
        if _nothing(space, x, fewer):
            rules = fewer
    return tuple(rules)


def _nothing(space: Space, x: np.ndarray, rules: list[Rule]) -> bool:
    box = Box.whole(space, x[None])
    for rule in rules:
        box = rule.narrow(box)
    return bool(box.empty().any() or box.frozen().all())
