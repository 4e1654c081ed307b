"""An audit from the model to the tables: what a lender with a known bias shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly.fairness.compared import Terms, compare
from ifonly.fairness.facts import Facts
from ifonly.fairness.groups import read_groups
from ifonly.fairness.notes import notes_of
from ifonly.fairness.one_pass import asked_once

Ask = Callable[..., ifonly.Audit]
INF = np.inf


@pytest.fixture(scope="module")
def found(audited: Ask) -> ifonly.Audit:
    return audited()


def test_a_planted_bias_is_found_at_its_size(found: ifonly.Audit, rows: pd.DataFrame) -> None:
    line = np.where(rows["sex"] == "f", 50, 40)
    refused = rows["income"] < line
    table = found.by_group.loc["sex"]
    mad = np.median(np.abs(rows["income"] - np.median(rows["income"])))
    for sex in ("f", "m"):
        own = rows["sex"] == sex
        assert table.loc[sex, "selection_rate"] == pytest.approx(1 - refused[own].mean())
        lacking = (line - rows["income"])[own & refused]
        assert table.loc[sex, "burden"] == pytest.approx(lacking.mean() / mad)
        assert table.loc[sex, "reach"] == 1
        assert table.loc[sex, "changes"] == 1


def test_flips_by_the_attribute_alone_are_counted(found: ifonly.Audit, rows: pd.DataFrame) -> None:
    """Rules do not matter here: nobody is asked to change sex."""
    women = rows[(rows["sex"] == "f") & (rows["income"] < 50)]
    table = found.by_group.loc["sex"]
    assert table.loc["f", "flips"] == pytest.approx((women["income"] >= 40).mean())
    assert table.loc["m", "flips"] == 0


def test_reasons_are_counted_whether_or_not_they_can_be_acted_on(
    found: ifonly.Audit, rows: pd.DataFrame
) -> None:
    own = found.features[found.features["attribute"] == "sex"].set_index(["group", "feature"])
    women = rows[(rows["sex"] == "f") & (rows["income"] < 50)]
    alone = (women["income"] >= 40).mean()  # being a woman is a reason where it alone decides
    assert own.loc[("f", "sex"), "reason"] == pytest.approx(alone)
    assert own.loc[("f", "sex"), "changed"] == 0
    assert own.loc[("f", "income"), "reason"] == 1
    assert own.loc[("m", "sex"), "reason"] == 0


def test_what_follows_from_an_attribute_flips_others(rows: pd.DataFrame) -> None:
    """A model that reads the income alone, where the income follows from the sex."""
    rich = ifonly.as_model(lambda frame: frame["income"] >= 40, classes=["no", "yes"])
    frame = rows[["income", "sex"]].assign(income=np.where(rows["sex"] == "f", 30, 45))
    frame["income"] += np.arange(80) % 10
    paid = {"income": lambda causes: np.where(causes["sex"] == "f", 30, 45)}
    result = ifonly.audit(
        rich,
        frame,
        data=frame,
        target="yes",
        groups=["sex"],
        least=5,
        causes=ifonly.CausalModel({"income": ("sex",)}, paid),
    )
    table = result.by_group.loc["sex"]
    assert table.loc["f", "flips"] == 0
    assert table.loc["f", "flips_causal"] == 1


def test_an_attribute_that_the_model_does_not_read_need_not_be_in_the_data(
    audited: Ask, rows: pd.DataFrame
) -> None:
    named = audited(groups=["region"])
    series, frame = rows["region"], rows[["region"]]
    others = [audited(groups=one) for one in (series, frame, pl.Series("region", series.to_list()))]
    for one in others:
        pd.testing.assert_frame_equal(one.by_group, named.by_group)
    assert "flips" not in named.by_group
    assert any("no input of the model" in note for note in named.notes)


def test_rows_of_polars_are_audited_as_those_of_pandas(
    audited: Ask, found: ifonly.Audit, rows: pd.DataFrame
) -> None:
    other = audited(rows=pl.from_pandas(rows[["income", "sex"]]), groups="sex")
    pd.testing.assert_frame_equal(other.by_group, found.by_group)


def test_the_same_seed_gives_the_same_audit_and_another_other_intervals(
    audited: Ask, found: ifonly.Audit
) -> None:
    def told(audit: ifonly.Audit) -> dict[str, Any]:
        content = json.loads(audit.to_json())
        del content["record"]["seconds"]
        return content

    assert told(audited()) == told(found)
    other = audited(seed=1)
    pd.testing.assert_frame_equal(other.by_group, found.by_group)
    assert not other.measures["low"].equals(found.measures["low"])


def test_two_attributes_are_compared_each_by_itself(audited: Ask, found: ifonly.Audit) -> None:
    both = audited(groups=["region", "sex"])
    pd.testing.assert_frame_equal(both.by_group.loc[["sex"]], found.by_group)
    assert list(both.difference().index) == ["region", "sex"]
    assert len(both.tests) == 2  # of two groups, one is tested
    assert (both.tests["p_holm"] >= both.tests["p"]).all()


def test_rules_that_leave_nobody_a_way_make_everybody_worst(audited: Ask) -> None:
    lost = audited(rules=["income fixed", "sex fixed"])
    table = lost.by_group.loc["sex"]
    assert (table["proved_none"] == 1).all()
    assert (table[["cost", "burden"]] == INF).all(axis=None)
    assert any("No refused row has an answer" in note for note in lost.notes)
    assert any("income fixed" in note for note in lost.notes)
    assert lost.difference().loc["sex", "burden"] == 0
    assert lost.to_html().count("∞") >= 4


def test_where_no_row_is_refused_the_audit_says_so(audited: Ask, rows: pd.DataFrame) -> None:
    accepted = audited(rows=rows.assign(income=60))
    assert (accepted.by_group["selection_rate"] == 1).all()
    assert accepted.by_group["reach"].isna().all()
    assert any("No row is refused" in note for note in accepted.notes)
    assert "No row is refused" in accepted.to_html()


def test_a_group_without_a_refused_row_and_a_small_one_are_named(
    audited: Ask, rows: pd.DataFrame
) -> None:
    rich = rows.assign(income=np.where(rows["sex"] == "m", 60, rows["income"]))
    notes = audited(rows=rich).notes
    assert any("sex = m: none of its" in note for note in notes)
    few = audited(least=30)
    assert any("fewer than 30" in note for note in few.notes)
    assert few.by_group["burden"].isna().any()


def test_rows_that_the_model_fails_for_are_left_out_and_counted(rows: pd.DataFrame) -> None:
    def scores(frame: pd.DataFrame) -> Any:
        return np.where(frame["income"] == 13, np.nan, frame["income"] / 100)

    odd = ifonly.as_model(scores, classes=["no", "yes"])
    frame = rows[["income", "sex"]]
    count = int((frame["income"] == 13).sum())
    result = ifonly.audit(odd, frame, data=frame[:40], target="yes", groups=["sex"], least=5, k=1)
    assert count
    assert sum(result.record["left_out"].values()) == count
    assert any(note.startswith(f"Left out: {count} row") for note in result.notes)
    assert result.sizes.loc[0, "rows"] == 80 - count


def test_a_missing_value_is_a_group_of_its_own(audited: Ask, rows: pd.DataFrame) -> None:
    region = rows["region"].where(np.arange(80) % 4 > 0)
    result = audited(groups=region)
    assert list(result.by_group.loc["region"].index) == ["north", "south", "missing"]
    assert any("20 rows without a value of region" in note for note in result.notes)


def test_numbers_are_cut_where_the_user_says(rows: pd.DataFrame) -> None:
    ages = pd.Series([24, 25, 44.5, 45, None], name="age")
    found = read_groups(ages, rows[:5], {"age": [25, 45]})["age"]
    assert list(found) == ["under 25", "25 to under 45", "25 to under 45", "45 or more", "missing"]


def test_levels_keep_their_order_and_numbers_that_are_names_are_groups(rows: pd.DataFrame) -> None:
    order = pd.CategoricalDtype(["low", "high"], ordered=True)
    frame = pd.DataFrame({"grade": ["high", "low"], "flag": [10, 9], "unused": [True, False]})
    found = read_groups(frame.astype({"grade": order}), frame)
    assert [list(found[name].cat.categories) for name in found] == [
        *(["low", "high"], ["9", "10"], ["False", "True"])
    ]


def test_the_json_holds_every_table(found: ifonly.Audit) -> None:
    content = json.loads(found.to_json())
    for name in ("sizes", "measures", "differences", "curves", "features", "tests"):
        assert len(content[name]) == len(getattr(found, name)) > 0
    for name in ("worst", "if_then", "few_actions", "actions", "tree"):
        assert len(content[name]) == len(found.further.tables()[name]) > 0
    assert content["record"]["rules"] == ["sex fixed"]
    assert content["record"]["within"] > 0


def test_the_figure_draws_a_curve_per_group(found: ifonly.Audit) -> None:
    axes = found.plot().axes[0]
    assert [line.get_label() for line in axes.lines] == [" f", " m"]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas])
def test_equal_rows_are_asked_once_and_answered_alike(
    lender: Any, rows: pd.DataFrame, library: Callable[[pd.DataFrame], Any]
) -> None:
    some = rows[["income", "sex"]][:12].astype({"income": float})
    some.loc[3, "income"] = np.nan
    many = library(pd.concat([some, some[::-1], some[3:5]], ignore_index=True))
    explainer = ifonly.Explainer(lender, data=rows[["income", "sex"]])
    asked: list[int] = []

    def ask(frame: Any) -> ifonly.Answers:
        asked.append(len(frame))
        return explainer.explain(frame, target="yes", k=2, progress=False)

    once, each = asked_once(many, ask), ask(many)
    assert asked == [len(some.drop_duplicates()), 26]
    assert once.index == each.index
    assert once.status == each.status
    assert once.notes == each.notes
    assert np.array_equal(once.points, each.points, equal_nan=True)
    assert asked_once(some.drop_duplicates(), ask).index == tuple(some.drop_duplicates().index)


def test_rows_that_cannot_be_compared_are_asked_as_they_are(rows: pd.DataFrame) -> None:
    odd = pd.DataFrame({"income": [[1], [1]]})
    asked: list[Any] = []
    asked_once(odd, asked.append)  # type: ignore[arg-type]
    assert asked[0] is odd


def test_a_row_that_the_search_missed_and_a_common_action_helps_is_noted(
    found: ifonly.Audit,
) -> None:
    one, terms = found.source, Terms(least=5)
    assert one is not None
    works = np.ones((len(one.refused), 1), dtype=bool)
    facts = replace(Facts.of(one, works), cost=np.where(np.arange(len(works)) < 2, INF, one.cost))
    notes = notes_of(one, facts, terms, compare(facts, one.groups, terms))
    assert any(note.startswith("2 refused rows") and "in common" in note for note in notes)
