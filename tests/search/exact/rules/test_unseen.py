"""Of a row with a level that the data do not have, no conflict is claimed that is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ifonly.rules import Rule
from ifonly.search.exact import clash
from ifonly.space import Categorical
from ifonly.space.feature import Column
from ifonly.space.table.unseen import is_unseen, unseen_codes

DRAWS = 40


@pytest.mark.parametrize("seed", range(3))
def test_rules_conflict_for_a_row_with_an_unseen_level_exactly_where_no_point_obeys(
    seed: int, random_case: Callable[..., Any], random_rule: Callable[..., Rule]
) -> None:
    rng, conflicts = np.random.default_rng(seed), 0
    for _ in range(DRAWS):
        case = random_case(rng)
        columns = [j for j, one in enumerate(case.space.features) if isinstance(one, Categorical)]
        if not columns:
            continue
        j, features, x = columns[0], list(case.space.features), case.x.copy()
        value = None if not features[j].missing and rng.random() < 0.3 else "unseen"
        features[j] = replace(features[j], column=Column(unseen=(value,)))
        x[j] = unseen_codes(np.array(1))
        case = replace(case, space=replace(case.space, features=tuple(features)), x=x)
        rules = [random_rule(rng, case) for _ in range(int(rng.integers(1, 4)))]
        codes = case.obeying(*rules)[:, j]  # an unseen level does not go missing
        found = clash(case.space, x, rules)
        assert (found is None) == (is_unseen(codes) | ~np.isnan(codes)).any(), (found, rules)
        conflicts += found is not None
    assert conflicts
