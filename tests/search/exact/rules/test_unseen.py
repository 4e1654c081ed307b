"""Of a row with a level that the data do not have, no conflict is claimed that is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ifonly.errors import RuleError
from ifonly.rules import Rule
from ifonly.search.exact import clash
from ifonly.space import Categorical
from ifonly.space.feature import Column
from ifonly.space.unseen import is_unseen, unseen_codes


@pytest.mark.parametrize("seed", range(25))
def test_rules_conflict_for_a_row_with_an_unseen_level_exactly_where_no_point_obeys(
    seed: int, random_case: Callable[..., Any], random_rule: Callable[..., Rule]
) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    while not any(isinstance(feature, Categorical) for feature in case.space.features):
        case = random_case(rng)
    j = next(j for j, one in enumerate(case.space.features) if isinstance(one, Categorical))
    value: Any = "unseen" if rng.random() < 0.7 else None
    features = list(case.space.features)
    features[j] = replace(features[j], column=Column(unseen=(value,)))
    x = case.x.copy()
    x[j] = unseen_codes(np.array(1))
    case = replace(case, space=replace(case.space, features=tuple(features)), x=x)
    rules = _checked(case.space, [random_rule(rng, case.space) for _ in range(3)])
    points = case.obeying(*rules)
    own = is_unseen(points[:, j]) | ~np.isnan(points[:, j])  # an unseen level does not go missing
    found = clash(case.space, x, rules)
    assert (found is None) == bool(own.any()), (found, rules)


def _checked(space: Any, rules: list[Rule]) -> list[Rule]:
    """The rules that fit the space."""
    fit = []
    for rule in rules:
        try:
            rule.check(space)
        except RuleError:
            continue
        fit.append(rule)
    return fit
