"""A table of 12 rows whose measures were worked out on paper.

row   0 1 2 3 4 5 | 6 7 8 9 10 11     group a: 0 to 5, group b: 6 to 11
yes   x x . . . . | x . . .  .  .     accepted
cost  . . 1 2 2 4 | . 3 5 P  N  3     P: proved to have none, N: none found
income    x x . x |   x x      x      changed by the nearest answer
job       . x x . |   x .      x
first     x x . . |   x . .  .  x     common actions that work
second    . x x . |   . . .  .  .
third     . . . . |   . . .  .  x
flips     x . ? . |   . . x  .  .     by the attribute alone; ?: not known
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from ifonly.fairness.compared import Compared, Terms, compare
from ifonly.fairness.curves import largest_differences
from ifonly.fairness.data import AuditData
from ifonly.fairness.facts import Facts
from ifonly.fairness.result import Audit

YES, NO, INF = 1, 0, np.inf
ON_PAPER = {
    "rows": (6, 6),
    "refused": (4, 5),
    "selection_rate": (2 / 6, 1 / 6),
    "reach": (1, 3 / 5),
    "proved_none": (0, 1 / 5),
    "not_found": (0, 1 / 5),
    "effectiveness": (3 / 4, 0),  # within 2
    "cost": (2, 5),  # of a half: F_a(1) = 1/4, F_a(2) = 3/4; F_b(3) = 2/5, F_b(5) = 3/5
    "burden": (9 / 4, 11 / 3),
    "changes": (5 / 4, 5 / 3),
    "choice": (2, 0),  # a: 1/2, 1/2, 0; b: 2/5, 0, 1/5
    "flips": (1 / 3, 1 / 5),
}


def facts() -> Facts:
    return Facts(
        accepted=np.isin(np.arange(12), [0, 1, 6]),
        refused=np.array([2, 3, 4, 5, 7, 8, 9, 10, 11]),
        cost=np.array([1, 2, 2, 4, 3, 5, INF, INF, 3]),
        proved_none=np.arange(9) == 6,
        features=("income", "job"),
        changed=np.array(
            [[1, 0], [1, 1], [0, 1], [1, 0], [1, 1], [1, 0], [0, 0], [0, 0], [1, 1]], dtype=bool
        ),
        works=np.array(
            [
                *([1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]),
                *([1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1]),
            ],
            dtype=bool,
        ),
        flips={"sex": np.array([1, 0, np.nan, 0, 0, 0, 1, 0, 0])},
        responsive=np.array([[0.5, np.nan]] * 4 + [[0.25, 0.0]] * 5),
        reasons=np.array([[1, 0]] * 4 + [[1, 1]] + [[0, 1]] * 3 + [[np.nan, np.nan]]),
    )


@pytest.fixture(scope="module")
def tables() -> Compared:
    groups = pd.DataFrame({"sex": pd.Categorical(["a"] * 6 + ["b"] * 6)})
    return compare(facts(), groups, Terms(within=2, share=0.5, least=1))


@pytest.fixture(scope="module")
def audit(tables: Compared) -> AuditData:
    return Audit(**vars(tables), notes=(), record={"groups": {"sex": ["a", "b"]}})


def test_every_measure_is_what_it_is_on_paper(audit: Audit) -> None:
    by_group = audit.by_group.loc["sex"]
    assert set(by_group.columns) == set(ON_PAPER)
    for name, (a, b) in ON_PAPER.items():
        assert by_group[name].to_list() == pytest.approx([a, b]), name


def test_differences_and_ratios_are_what_they_are_on_paper(audit: Audit) -> None:
    apart, share = audit.difference().loc["sex"], audit.ratio().loc["sex"]
    for name, (a, b) in ON_PAPER.items():
        if name in ("rows", "refused"):
            continue
        assert apart[name] == pytest.approx(abs(a - b)), name
        assert share[name] == pytest.approx(min(a, b) / max(a, b)), name


def test_all_rows_together_are_what_they_are_on_paper(audit: Audit) -> None:
    overall = audit.overall
    assert overall["selection_rate"] == pytest.approx(3 / 12)
    assert overall["reach"] == pytest.approx(7 / 9)
    assert overall["burden"] == pytest.approx(20 / 7)
    # The largest distance to all rows: b has 1/6, all have 1/4, a has 1/3.
    assert audit.difference("to_overall").loc["sex", "selection_rate"] == pytest.approx(1 / 12)
    assert audit.ratio("to_overall").loc["sex", "selection_rate"] == pytest.approx(2 / 3)


def test_the_curves_are_what_they_are_on_paper(tables: Compared) -> None:
    curves = tables.curves.pivot(index="budget", columns="group", values="share")
    assert curves["a"].loc[[1, 2, 3, 4, 5]].to_list() == [0.25, 0.75, 0.75, 1, 1]
    assert curves["b"].loc[[1, 2, 3, 4, 5]].to_list() == pytest.approx([0, 0, 0.4, 0.4, 0.6])


def test_features_are_counted_as_on_paper(tables: Compared) -> None:
    features = tables.features.set_index(["group", "feature"])
    assert features.loc[("a", "income"), "changed"] == pytest.approx(3 / 4)
    assert features.loc[("b", "job"), "changed"] == pytest.approx(2 / 3)  # of the three reached
    assert features.loc[("b", "income"), "responsive"] == pytest.approx(0.25)
    assert np.isnan(features.loc[("a", "job"), "responsive"])
    assert features.loc[("b", "income"), "reason"] == pytest.approx(1 / 4)  # of the four known
    assert features.loc[("b", "job"), "reason"] == 1


def test_the_largest_difference_of_the_curves_and_its_p_value_are_right(tables: Compared) -> None:
    [line] = tables.tests.to_dict("records")
    assert (line["group"], line["budget"]) == ("b", 2)
    assert line["difference"] == pytest.approx(3 / 4 - 0)  # group b is worse off
    cost = np.sort(facts().cost)
    every = np.array([np.isin(np.arange(9), chosen) for chosen in combinations(range(9), 4)])
    drawn, _ = largest_differences(cost, every)
    exact = (np.abs(drawn) >= 0.75 - 1e-9).mean()
    assert line["p"] == pytest.approx(exact, abs=0.04)
    assert line["p_holm"] == line["p"]  # one test


def test_every_interval_holds_its_value(tables: Compared) -> None:
    own = tables.measures.dropna(subset=["low"])
    assert len(own) == 29  # 9 of all rows, which have no attribute to flip, and 10 of each group
    assert (own["low"] <= own["value"] + 1e-12).all()
    assert (own["high"] >= own["value"] - 1e-12).all()


def test_a_group_that_reaches_nobody_is_the_worst_and_never_the_best() -> None:
    known = facts()
    nobody = np.where(known.refused > 5, INF, known.cost)
    lost = replace(known, cost=nobody, works=known.works & (known.refused <= 5)[:, None])
    groups = pd.DataFrame({"sex": pd.Categorical(["a"] * 6 + ["b"] * 6)})
    tables = compare(lost, groups, Terms(least=1, draws=20))
    audit = Audit(**vars(tables), notes=(), record={"groups": {"sex": ["a", "b"]}})
    b = audit.by_group.loc[("sex", "b")]
    assert (b["reach"], b["effectiveness"], b["choice"]) == (0, 0, 0)
    assert (b["burden"], b["cost"], b["changes"]) == (INF, INF, INF)
    assert audit.difference().loc["sex", "burden"] == INF
    assert audit.ratio().loc["sex", "cost"] == 0
    assert audit.tests["group"].item() == "b"
    assert audit.tests["difference"].item() == pytest.approx(1)
