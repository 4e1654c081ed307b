"""The paper's metrics, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly import Space
from ifonly.errors import DataError
from ifonly.metrics import evaluate, set_metrics, summary
from ifonly.space import Metric

SPACE = Space.describe(
    {"name": "age", "low": 0, "high": 100, "mad": 10},
    {"name": "hours", "low": 0, "high": 100, "mad": 5},
    {"name": "job", "levels": ["a", "b", "c"]},
    {"name": "race", "levels": ["x", "y"]},
    {"name": "town", "levels": ["p", "q"]},
)
ROW = {"age": 30, "hours": 40, "job": "a", "race": "x", "town": "p"}
SET = [
    {**ROW, "age": 50},  # 2 MAD in age
    {**ROW, "hours": 45, "job": "b"},  # 1 MAD in hours, one category
    {**ROW, "job": "c", "race": "y", "town": "q"},  # three categories
]


def measured(points: list[dict[str, Any]], **options: Any) -> pd.Series:
    frame = pd.DataFrame(points).assign(query=0)
    return evaluate(frame, pd.DataFrame([ROW]), SPACE, **options).iloc[0]


def test_proximity_is_the_mean_distance_in_mads_and_the_share_unchanged() -> None:
    found = measured(SET)
    assert found["continuous_proximity"] == pytest.approx(-(2 / 2 + 1 / 2 + 0) / 3)
    assert found["categorical_proximity"] == pytest.approx(1 - (0 + 1 / 3 + 1) / 3)


def test_sparsity_is_the_share_of_features_unchanged() -> None:
    found = measured(SET)
    assert found["sparsity"] == pytest.approx(1 - (1 + 2 + 3) / (5 * 3))
    assert found["continuous_sparsity"] == pytest.approx(1 - (1 + 1 + 0) / (2 * 3))
    assert found["categorical_sparsity"] == pytest.approx(1 - (0 + 1 + 3) / (3 * 3))
    assert found["changed"] == pytest.approx(2.0)


def test_diversity_is_the_mean_over_pairs() -> None:
    found = measured(SET)
    # ages 50 30 30, hours 40 45 40: the pairs are 2 + 1, 2 and 1 MADs apart
    assert found["continuous_diversity"] == pytest.approx((3 + 2 + 1) / 2 / 3)
    # jobs a b c, race x x y, town p p q
    assert found["categorical_diversity"] == pytest.approx((1 + 3 + 3) / 3 / 3)
    assert found["count_diversity"] == pytest.approx((3 + 4 + 4) / 5 / 3)
    assert found["continuous_count_diversity"] == pytest.approx((2 + 1 + 1) / 2 / 3)
    assert found["categorical_count_diversity"] == pytest.approx((1 + 3 + 3) / 3 / 3)


def test_the_objective_is_half_the_distance_less_the_determinant() -> None:
    found = measured(SET)
    distances = [1.0, 0.5 + 1 / 3, 1.0]
    apart = np.array([[0, 1.5 + 1 / 3, 2.0], [1.5 + 1 / 3, 0, 0.5 + 1], [2.0, 1.5, 0]])
    assert found["distance"] == pytest.approx(np.mean(distances))
    assert found["det"] == pytest.approx(np.linalg.det(1 / (1 + apart)))
    assert found["objective"] == pytest.approx(0.5 * found["distance"] - found["det"])
    assert found["pairwise_distance"] == pytest.approx((1.5 + 1 / 3 + 2.0 + 1.5) / 3)


def test_a_repeat_counts_once_and_an_invalid_one_not_at_all() -> None:
    assert measured(SET)["valid_unique"] == 1.0
    assert measured([SET[0], SET[0], SET[1]])["valid_unique"] == pytest.approx(2 / 3)
    assert measured(SET, valid=[True, False, True])["valid_unique"] == pytest.approx(2 / 3)
    assert measured(SET, k=4)["valid_unique"] == pytest.approx(3 / 4)


def test_a_repeat_of_an_invalid_point_takes_nothing_from_a_valid_one() -> None:
    assert measured([SET[0], SET[1], SET[1]], valid=[False, True, True])[
        "valid_unique"
    ] == pytest.approx(1 / 3)


def test_one_point_has_no_pairs_and_a_determinant_of_one() -> None:
    found = measured(SET[:1])
    assert found["det"] == 1.0
    assert found["continuous_diversity"] == found["count_diversity"] == 0.0
    assert found["objective"] == pytest.approx(0.5 * 1.0 - 1.0)


def test_a_row_without_counterfactuals_has_no_distance() -> None:
    frame = pd.DataFrame(SET).assign(query=1)
    found = evaluate(frame, pd.DataFrame([ROW, ROW]), SPACE).iloc[0]
    assert found["answers"] == 0
    assert found["valid_unique"] == 0.0
    assert np.isnan(found["distance"])
    assert np.isnan(found["continuous_proximity"])


def test_a_space_of_one_kind_has_no_metric_of_the_other() -> None:
    space = Space.describe({"name": "age", "low": 0, "high": 100, "mad": 10})
    x = np.array([[30.0]])
    found = set_metrics(Metric.of(space), x, np.array([[[40.0], [20.0]]]), np.ones((1, 2), bool))
    assert found["continuous_diversity"].tolist() == [2.0]
    assert not [name for name in found if name.startswith("categorical")]


def test_weights_change_the_distance_and_not_the_papers_metrics() -> None:
    plain, weighted = measured(SET), measured(SET, weights={"age": 4.0})
    assert weighted["distance"] > plain["distance"]
    assert weighted["continuous_proximity"] == plain["continuous_proximity"]


def test_the_summary_is_over_all_rows_and_over_those_with_all_k() -> None:
    full = pd.DataFrame(SET).assign(query=0)
    short = pd.DataFrame(SET[:1]).assign(query=1)
    table = evaluate(pd.concat([full, short]), pd.DataFrame([ROW, ROW]), SPACE)
    found = summary(table, k=3)
    assert found.loc["rows"].tolist() == [2, 1]
    assert found.loc["distance", "full"] == table.loc[0, "distance"]
    assert found.loc["distance", "all"] == pytest.approx(table["distance"].mean())
    assert found.loc["valid_unique"].tolist() == pytest.approx([2 / 3, 2 / 3])


def test_the_answers_metrics_are_those_of_their_frame() -> None:
    data = pd.DataFrame({"age": range(20, 60), "job": ["a", "b"] * 20})
    model = ifonly.as_model(lambda f: (f["age"] > 41) * 1.0, classes=["no", "yes"])
    answers = ifonly.explain(model, data[:5], data=data, k=3)
    frame = answers.frame()
    strangers = evaluate(frame[["query", "age", "job"]], data[:5], answers.space, k=3)
    ours = answers.metrics().drop(columns=["status", "extra"])
    pd.testing.assert_frame_equal(ours, strangers, check_dtype=False)


def test_counterfactuals_may_stand_in_polars_and_in_any_order() -> None:
    frame = pd.DataFrame(SET).assign(query=0)
    turned = pl.from_pandas(frame[::-1].reset_index(drop=True))
    found = evaluate(turned, pl.from_pandas(pd.DataFrame([ROW])), SPACE).iloc[0]
    pd.testing.assert_series_equal(found, measured(SET))


def test_counterfactuals_without_their_row_are_refused() -> None:
    with pytest.raises(DataError, match="'query'"):
        evaluate(pd.DataFrame(SET), pd.DataFrame([ROW]), SPACE)
    with pytest.raises(DataError, match="0 to 0"):
        evaluate(pd.DataFrame(SET).assign(query=3), pd.DataFrame([ROW]), SPACE)
