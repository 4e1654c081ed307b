"""Every model keeps the laws of a model, and the kit notices one that does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly import Space
from ifonly.models import Dense, adapt
from ifonly.testing import MODEL_KINDS, check_model, random_codes, random_model, random_space


def test_an_adapted_model_keeps_the_laws(case: Any) -> None:
    space = Space.infer(case.data)
    model = adapt(case.model, space, space.codes(case.data[:5]))
    check_model(model, space)
    check_model(model, space, space.codes(case.data))


def test_an_adapted_model_decides_as_its_user_predicts(case: Any) -> None:
    space = Space.infer(case.data)
    codes = space.codes(case.data)
    model = adapt(case.model, space, codes[:5])
    if not model.classes:
        assert np.allclose(model.scores(codes)[:, 0], case.predict(case.data))
    elif "threshold" not in case.options:
        decided = model.decide(codes)
        decided = model.scores(codes).argmax(axis=1) if decided is None else decided
        labels = np.array(model.classes)[decided]
        assert labels.tolist() == case.predict(case.data).tolist()


def test_an_adapted_model_is_asked_with_the_frame_it_was_trained_on(case: Any) -> None:
    asked = []

    class Watching:
        classes_ = getattr(case.model, "classes_", np.array(["refused", "granted"]))

        def predict(self, frame: Any) -> Any:
            asked.append(frame)
            return self.classes_[np.zeros(len(frame), dtype=int)]

    space = Space.infer(case.data)
    model = adapt(Watching(), space, space.codes(case.data[:5]))
    model.scores(random_codes(space, 9, seed=0))
    assert list(asked[-1].columns) == list(case.data.columns)
    assert asked[-1].dtypes.to_list() == case.data.dtypes.to_list()


def test_labels_that_only_late_rows_have_are_known_too() -> None:
    class Sorted:
        def predict(self, frame: Any) -> Any:
            return np.where(frame["age"] > 90, "old", np.where(frame["age"] > 8, "young", "child"))

    data = pd.DataFrame({"age": range(100)})
    answers = ifonly.explain(Sorted(), data[:1], data=data, target="old", k=1)
    assert answers.frame()["age"].to_list() == [91]


@given(seed=st.integers(0, 10_000), kind=st.sampled_from(MODEL_KINDS))
@settings(max_examples=30, deadline=None)
def test_random_models_keep_the_laws(seed: int, kind: str) -> None:
    space = random_space(seed)
    check_model(random_model(space, kind, seed), space)


@given(seed=st.integers(0, 10_000), hidden=st.integers(1, 8), c=st.sampled_from([0, 2, 3]))
@settings(max_examples=20, deadline=None)
def test_networks_keep_the_laws(seed: int, hidden: int, c: int) -> None:
    space, rng = random_space(seed), np.random.default_rng(seed)
    out = max(1, c)
    layers = [
        (rng.normal(size=(space.offsets[-1], hidden)), rng.normal(size=hidden)),
        (rng.normal(size=(hidden, out)), rng.normal(size=out)),
    ]
    check_model(Dense(layers, space, tuple(range(c))), space)


class Broken:
    """A model of two classes with one fault."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.calls = 0

    @property
    def classes(self) -> tuple[Any, ...]:
        return ("no", "no") if self.fault == "classes" else ("no", "yes")

    def scores(self, codes: np.ndarray) -> np.ndarray:
        self.calls += 1
        second = np.nan_to_num(codes[:, 0]) * 0 + 0.4
        if self.fault == "state":
            second = second + 0.01 * self.calls
        if self.fault == "batch":
            second = second / len(codes)
        if self.fault == "nan":
            second[0] = np.nan
        if self.fault == "input":
            codes[:] = 0
        return second if self.fault == "shape" else np.column_stack([1 - second, second])

    def decide(self, codes: np.ndarray) -> Any:
        return np.full(len(codes), 7 if self.fault == "decide" else 0)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("classes", "listed twice"),
        ("shape", "scores have the shape"),
        ("nan", "NaN or infinite"),
        ("state", "other scores the second time"),
        ("batch", "alone and"),
        ("decide", "index of no class"),
        ("input", "changed the codes"),
    ],
)
def test_the_kit_names_what_a_broken_model_breaks(fault: str, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_model(Broken(fault), random_space(3))
