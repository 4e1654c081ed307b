"""The lender: what it says of its own causes is true, row by row and exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from ifonly.datasets import Lender, make_lender
from ifonly.errors import DataError, OptionError

EFFECTS = ["income", "savings", "debt", "loan"]
EXTREMES: list[dict[str, Any]] = [
    {"age": 21, "education": "school", "job": "manual"},
    {"age": 65, "education": "master", "job": "technical"},
]


@pytest.fixture(scope="module")
def lender() -> Lender:
    return make_lender(2_000, seed=7)


def test_every_value_is_its_equation_plus_its_noise(lender: Lender) -> None:
    assert list(lender.equations) == list(lender.noise) == EFFECTS
    for name, equation in lender.equations.items():
        value = equation(lender.frame[list(lender.graph[name])]) + lender.noise[name]
        pd.testing.assert_series_equal(value, lender.frame[name], check_names=False)


def test_the_equations_are_the_ones_in_the_documentation(lender: Lender) -> None:
    age, education, job, income, savings, debt, loan = (lender.frame[c] for c in lender.frame)
    earned = education.astype(str).map(
        {"school": 0, "college": 4_000, "bachelor": 9_000, "master": 15_000}
    ) + job.map({"manual": 0, "service": 1_000, "office": 4_000, "technical": 8_000})
    noise = lender.noise
    assert (income == 14_000 + 250 * (age - 21) + earned + noise["income"]).all()
    assert (savings == 2_000 + 150 * (age - 21) + income // 4 + noise["savings"]).all()
    assert (debt == 3_000 + income // 10 + noise["debt"]).all()
    assert (loan == 3_000 + 3 * income // 10 + debt // 4 + noise["loan"]).all()


def test_an_equation_reads_nothing_but_its_causes(lender: Lender) -> None:
    for name, equation in lender.equations.items():
        for cause in lender.graph[name]:
            with pytest.raises(KeyError, match=cause):
                equation(lender.frame.drop(columns=cause))


def test_the_graph_names_causes_before_effects(lender: Lender) -> None:
    names = list(lender.graph)
    assert names == list(lender.frame.columns)
    for effect, causes in lender.graph.items():
        assert all(names.index(cause) < names.index(effect) for cause in causes)
        assert bool(causes) == (effect in lender.equations)


def test_the_noises_have_nothing_to_do_with_each_other_or_with_the_roots(lender: Lender) -> None:
    exogenous = lender.noise.assign(
        age=lender.frame["age"], education=lender.frame["education"].cat.codes
    )
    correlation = exogenous.corr().to_numpy() - np.eye(6)
    assert np.abs(correlation).max() < 0.1
    assert (np.abs(lender.noise.mean()) < 200).all()


def test_abduction_gives_the_noise_back(lender: Lender) -> None:
    pd.testing.assert_frame_equal(lender.abduct(lender.frame), lender.noise)


def test_an_intervention_that_changes_nothing_gives_the_row_back(lender: Lender) -> None:
    same = lender.intervene(
        lender.frame, education=lender.frame["education"], income=lender.frame["income"]
    )
    pd.testing.assert_frame_equal(same, lender.frame)


def test_an_intervention_moves_its_effects_and_keeps_the_noise(lender: Lender) -> None:
    before = lender.frame[lender.frame["education"] == "school"]
    after = lender.intervene(before, education="bachelor")
    assert (after["education"] == "bachelor").all()
    assert (after["income"] - before["income"] == 9_000).all()
    assert (after["savings"] - before["savings"] == 2_250).all()
    assert (after["debt"] - before["debt"] == 900).all()
    assert (after["loan"] - before["loan"] == 2_700 + 225).all()
    assert after[["age", "job"]].equals(before[["age", "job"]])
    assert after.dtypes.equals(before.dtypes)
    assert lender.abduct(after).equals(lender.noise.loc[before.index])


def test_a_feature_acted_on_ignores_its_causes(lender: Lender) -> None:
    after = lender.intervene(lender.frame, age=65, debt=0)
    assert (after["debt"] == 0).all()
    assert (after["income"] >= lender.frame["income"]).all()
    assert (after["loan"] == 3_000 + 3 * after["income"] // 10 + lender.noise["loan"]).all()


def test_an_intervention_does_not_change_the_rows_it_is_given(lender: Lender) -> None:
    rows = lender.frame.copy()
    lender.intervene(rows, age=30)
    assert rows.equals(lender.frame)


@pytest.mark.parametrize("actions", EXTREMES)
def test_no_amount_is_negative_whatever_the_applicant(
    lender: Lender, actions: dict[str, Any]
) -> None:
    for frame in (lender.frame, lender.intervene(lender.frame, **actions)):
        assert (frame[EFFECTS] >= 0).all(axis=None)


def test_the_bound_of_each_noise_leaves_the_least_amount_positive(lender: Lender) -> None:
    bound = {"income": 8_000, "savings": 3_000, "debt": 3_500, "loan": 4_500}
    assert (lender.noise.abs().max() <= pd.Series(bound)).all()
    lowest = lender.frame.head(1).assign(**EXTREMES[0])
    for name, equation in lender.equations.items():
        lowest[name] = equation(lowest[list(lender.graph[name])]) - bound[name]
        assert lowest[name].item() > 0


def test_the_outcome_is_the_approval_rule(lender: Lender) -> None:
    approved = lender.approves(lender.frame)
    assert approved.tolist() == (lender.outcome == "approved").tolist()
    assert set(lender.outcome) == {"approved", "refused"}
    assert 0.4 < approved.mean() < 0.6


@pytest.mark.parametrize(
    ("income", "savings", "debt", "loan", "approved"),
    [
        (30_000, 12_000, 4_000, 16_000, True),  # both limits met exactly
        (29_999, 12_000, 4_000, 16_000, False),
        (30_000, 11_999, 4_000, 16_000, False),
        (30_000, 12_000, 4_001, 16_000, False),
        (30_000, 12_000, 4_000, 16_001, False),
    ],
)
def test_the_rule_approves_up_to_its_two_limits(
    lender: Lender, income: int, savings: int, debt: int, loan: int, approved: bool
) -> None:
    row = lender.frame.head(1).assign(income=income, savings=savings, debt=debt, loan=loan)
    assert lender.approves(row).tolist() == [approved]


def test_education_counts_only_through_what_it_causes(lender: Lender) -> None:
    refused = lender.frame[lender.outcome == "refused"]
    assert not lender.approves(refused.assign(education="master")).any()
    assert lender.approves(lender.intervene(refused, education="master")).any()


def test_education_is_ordered_and_job_is_not(lender: Lender) -> None:
    education = lender.frame["education"].cat
    assert education.ordered
    assert list(education.categories) == ["school", "college", "bachelor", "master"]
    assert set(lender.frame["job"]) == {"manual", "service", "office", "technical"}
    assert not isinstance(lender.frame["job"].dtype, pd.CategoricalDtype)


def test_the_same_seed_gives_the_same_lender_and_another_seed_another() -> None:
    first, second, other = make_lender(50, seed=3), make_lender(50, seed=3), make_lender(50, seed=4)
    pd.testing.assert_frame_equal(first.frame, second.frame)
    pd.testing.assert_series_equal(first.outcome, second.outcome)
    assert not first.frame.equals(other.frame)


def test_making_a_lender_leaves_the_global_random_state_alone() -> None:
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    make_lender(10, seed=0)
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    assert str(before) == str(after)


@pytest.mark.parametrize("n", [0, -1, 2.5, "4"])
def test_a_number_of_applicants_that_means_nothing_is_refused(n: int) -> None:
    with pytest.raises(OptionError) as caught:
        make_lender(n, seed=0)
    assert str(caught.value) == f"n is {n!r}.\n\nHint: Give a whole number, at least 1."


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(OptionError, match=r"seed is -1\.\n\nHint: Give a whole number, at least 0"):
        make_lender(5, seed=-1)


def test_an_action_on_an_unknown_feature_gets_the_nearest_one(lender: Lender) -> None:
    with pytest.raises(DataError, match=r"no feature 'incom'\.\n\nHint: Did you mean 'income'\?"):
        lender.intervene(lender.frame, incom=1)


def test_an_action_to_an_unknown_level_gets_the_nearest_one(lender: Lender) -> None:
    with pytest.raises(DataError, match=r"no level 'masters'\.\n\nHint: Did you mean 'master'\?"):
        lender.intervene(lender.frame, education="masters")


def test_an_action_to_a_broken_amount_is_refused(lender: Lender) -> None:
    with pytest.raises(
        DataError, match=r"'age' is set to 30\.5\.\n\nHint: Every amount here is whole"
    ):
        lender.intervene(lender.frame, age=30.5)


@pytest.mark.parametrize("bias", ["none", "cost", "proxy", "blocked"])
def test_a_planted_bias_leaves_applicants_and_changes_whom_it_says(bias: str) -> None:
    plain, lender = make_lender(3000, seed=3), make_lender(3000, seed=3, bias=bias)
    pd.testing.assert_frame_equal(lender.frame[plain.frame.columns], plain.frame)
    rows, fair = lender.frame, plain.outcome == "approved"
    b, south = rows["group"] == "b", rows["district"] == "south"
    short = 4 * (rows["savings"] - 3000) < 3 * rows["loan"]
    hit = {
        "none": b & False,
        "cost": b & short,
        "proxy": south & short,
        "blocked": south & (rows["job"] == "manual"),
    }[bias]
    assert ((lender.outcome == "approved") == (fair & ~hit)).all()
    assert (lender.approves(rows) == (lender.outcome == "approved")).all()
    assert 0.85 < (south == b).mean() < 0.95
    assert list(lender.graph) == list(rows.columns)


def test_an_unknown_bias_is_refused() -> None:
    with pytest.raises(OptionError, match="bias is 'race'"):
        make_lender(10, seed=0, bias="race")
