"""What answers can be asked further, and what a question may cost."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly.search import Engine

N = 60


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "income": rng.integers(10, 90, N),
            "debt": rng.integers(0, 40, N),
            "race": rng.choice(["x", "y"], N),
            "job": rng.choice(["a", "b", "c"], N),
        }
    )


def lend(frame: pd.DataFrame) -> np.ndarray:
    """Approve where income less debt is enough; being 'y' is worth ten, a job nothing."""
    room = frame["income"] - frame["debt"] + 10 * (frame["race"] == "y")
    return np.asarray(1 / (1 + np.exp(-(room - 40) / 5)))


@pytest.fixture(scope="module")
def explainer(data: pd.DataFrame) -> ifonly.Explainer:
    return ifonly.Explainer(ifonly.as_model(lend, classes=["no", "yes"]), data=data)


@pytest.fixture(scope="module")
def answers(explainer: ifonly.Explainer, data: pd.DataFrame) -> ifonly.Answers:
    return explainer.explain(data[:20], k=4)


def test_importance_counts_changes_and_what_is_enough_alone(answers: ifonly.Answers) -> None:
    table = answers.importance().set_index("feature")
    changed = answers.changed() & answers.filled[:, :, None]
    assert table["changed"]["income"] == pytest.approx(changed[:, :, 0].mean())
    assert (table["sufficient"] <= table["changed"] + 1e-12).all()
    assert table["sufficient"]["job"] == 0
    by_row = answers.importance(by_row=True)
    assert len(by_row) == 20 * 4
    lone = answers.frame()["changed"] == 1
    assert table["sufficient"].sum() >= lone.mean() - 1e-12


def test_importance_has_a_picture(answers: ifonly.Answers) -> None:
    axes = answers.plot_importance().axes[0]
    assert len(axes.patches) == 2 * 4


def test_a_protected_feature_that_flips_rows_is_found(
    answers: ifonly.Answers, data: pd.DataFrame
) -> None:
    table = answers.sensitive(["race"])
    other = data[:20].assign(race=np.where(data["race"][:20] == "x", "y", "x"))
    flips = (lend(data[:20]) > 0.5) != (lend(other) > 0.5)
    assert table["flips"].tolist() == flips.tolist()
    assert table["flips"].any()
    touched = answers.changed()[:, :, 2].mean(axis=1)
    assert np.allclose(table["changed"], touched)
    assert not answers.sensitive(["job"])["flips"].any()
    with pytest.raises(ifonly.IfonlyError, match="'rase'"):
        answers.sensitive(["rase"])


@pytest.mark.parametrize("seed", range(6))
def test_a_flip_is_never_denied_where_a_single_value_flips(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"age": rng.integers(18, 96, 300), "pay": rng.integers(0, 300, 300)})
    lone = int(rng.integers(data["age"].min(), data["age"].max() + 1))

    def odd(frame: pd.DataFrame) -> pd.Series[bool]:
        return (frame["pay"] > 150) | (frame["age"] == lone)

    rows = data[:12]
    answers = ifonly.explain(ifonly.as_model(odd, classes=["no", "yes"]), rows, data=data, k=1)
    brute = [
        any(odd(rows[i : i + 1].assign(age=age)).item() != now for age in range(18, 96))
        for i, now in enumerate(odd(rows))
    ]
    for names in (["age"], ["age", "pay"]):
        table = answers.sensitive(names)
        assert table["flips"].tolist() == (brute if names == ["age"] else [True] * 12)
        assert table["exhaustive"].all() == (names == ["age"])


def test_a_flip_that_is_not_found_among_a_part_of_the_values_is_unknown() -> None:
    data = pd.DataFrame({"income": np.linspace(0, 1, 200), "debt": np.arange(200) % 7})
    never = ifonly.as_model(lambda f: f["debt"] > 5, classes=["no", "yes"])
    for frame in (data, pl.from_pandas(data)):
        answers = ifonly.explain(never, frame[4:7], data=frame, k=1)
        table = answers.sensitive(["income"])
        assert not any(table["exhaustive"])
        assert [one is None or one is pd.NA for one in table["flips"]] == [True] * 3
        both = answers.sensitive(["income", "debt"])
        assert both["flips"].to_list() == [True] * 3
        alone = answers.sensitive("debt")
        assert all(alone["exhaustive"])


def test_many_protected_features_are_asked_about_in_part() -> None:
    rng = np.random.default_rng(5)
    data = pd.DataFrame({f"x{j}": rng.integers(0, 1000, 100) for j in range(12)})
    asked: list[int] = []

    def watch(frame: pd.DataFrame) -> pd.Series[bool]:
        asked.append(len(frame))
        return frame.sum(axis=1) > 6000

    answers = ifonly.explain(ifonly.as_model(watch, classes=[0, 1]), data, data=data, k=1)
    asked.clear()
    table = answers.sensitive(list(data.columns))
    assert table["flips"].all()
    assert max(asked) <= 100_000


def test_the_frontier_goes_from_closest_to_widest(answers: ifonly.Answers) -> None:
    sets = answers.frontier([0.0, 0.5, 1.0])
    spread = [one.metrics()["pairwise_distance"].mean() for one in sets.values()]
    near = [one.metrics()["distance"].mean() for one in sets.values()]
    assert spread == sorted(spread)
    assert near == sorted(near)
    assert spread[0] < spread[-1]
    for one in sets.values():
        assert one.filled.all()
        frame = one.frame()
        assert ((lend(frame) > 0.5) == (frame["prediction"] == "yes")).all()


def test_saved_answers_cannot_ask_their_model(answers: ifonly.Answers) -> None:
    saved = ifonly.Answers.from_json(answers.to_json())
    assert list(saved.importance().columns) == ["feature", "changed"]
    with pytest.raises(ifonly.IfonlyError, match="have no model"):
        saved.frontier()


def slow(frame: pd.DataFrame) -> np.ndarray:
    time.sleep(0.05)
    return lend(frame)


def test_a_budget_of_seconds_is_overdrawn_by_a_round_at_most(data: pd.DataFrame) -> None:
    model = ifonly.as_model(slow, classes=["no", "yes"])
    explainer = ifonly.Explainer(model, data=data, method=Engine("thorough"))
    whole = explainer.explain(data[:20], k=4)
    short = explainer.explain(data[:20], k=4, budget=0.12)
    assert short.record["model_calls"] < whole.record["model_calls"]
    assert whole.filled.all()


def test_a_budget_of_model_rows_stops_the_search(
    explainer: ifonly.Explainer, data: pd.DataFrame
) -> None:
    whole = explainer.explain(data, k=4)
    short = explainer.explain(data, k=4, budget={"model_rows": 200})
    assert short.record["model_rows"] < whole.record["model_rows"]
    frame = short.frame()
    assert ((lend(frame) > 0.5) == (frame["prediction"] == "yes")).all()


@pytest.mark.parametrize("budget", [0, -1, True, {"minutes": 2}, {"model_rows": "many"}])
def test_a_budget_that_means_nothing_is_refused(
    explainer: ifonly.Explainer, data: pd.DataFrame, budget: Any
) -> None:
    with pytest.raises(ifonly.IfonlyError, match="budget"):
        explainer.explain(data[:1], budget=budget)


class Interrupting:
    """A model that is interrupted after some calls, as by Ctrl-C."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return lend(frame)


def test_an_interrupt_returns_what_is_finished_when_asked_to(data: pd.DataFrame) -> None:
    rng = np.random.default_rng(0)
    rows = pd.concat([data] * 30, ignore_index=True).assign(
        income=rng.integers(10, 90, 30 * N), debt=rng.integers(0, 40, 30 * N)
    )
    model = ifonly.as_model(Interrupting(60), classes=["no", "yes"])
    answers = ifonly.Explainer(model, data=data).explain(rows, k=2, keep=True)
    statuses = [str(status) for status in answers.status]
    assert "found" in statuses
    assert statuses[-1] == "skipped"
    assert "interrupted" in answers.notes[-1]
    with pytest.raises(KeyboardInterrupt):
        ifonly.explain(
            ifonly.as_model(Interrupting(60), classes=["no", "yes"]), rows, data=data, k=2
        )
