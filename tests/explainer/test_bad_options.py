"""An option or a target that means nothing is told with the value given and what to do."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly import Space
from ifonly.errors import OF_SPACE, OptionError, TargetError
from ifonly.refine import Shrink
from ifonly.search import Engine
from ifonly.select import Polish

Refused = Callable[..., Exception]

DATA = pd.DataFrame(
    {
        "age": [22, 35, 41, 58, 63, 29],
        "income": [1200.5, 3400.0, 5100.25, 2800.0, 900.0, 4100.0],
        "job": ["Sales", "Service", "Sales", "Professional", "Service", "Professional"],
    }
)


def approve(frame: pd.DataFrame) -> np.ndarray:
    return (frame["income"] > 3000).to_numpy(dtype=float)


LENDER = ifonly.as_model(approve, classes=["refused", "granted"])
PRICER = ifonly.as_model(lambda frame: frame["income"] / 10, task="regression")


class Three:
    """A classifier of three classes, as scikit-learn would have it."""

    classes_ = np.array(["low", "mid", "high"])

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        band = np.digitize(frame["income"], [2000, 4000])
        return np.eye(3)[band]

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return self.classes_[self.predict_proba(frame).argmax(axis=1)]


def explain(rows: Any = None, model: Any = LENDER, data: Any = DATA, **options: Any) -> Any:
    rows = DATA[:2] if rows is None else rows
    return ifonly.explain(model, rows, data=data, **{"k": 2, **options})


@pytest.mark.parametrize("k", [0, -3, 2.5, "4", None, True])
def test_k_that_is_not_a_positive_whole_number_is_told(refused: Refused, k: Any) -> None:
    refused(OptionError, f"k is {k!r}", hint="whole number of 1 or more", ask=lambda: explain(k=k))


@pytest.mark.parametrize("seed", [-1, 0.5, "a"])
def test_a_seed_that_is_not_a_whole_number_is_told(refused: Refused, seed: Any) -> None:
    refused(OptionError, f"seed is {seed!r}", hint="whole", ask=lambda: explain(seed=seed))


def test_an_unknown_method_is_named_with_the_nearest(refused: Refused) -> None:
    refused(OptionError, "'edit'", hint="'edits'", ask=lambda: explain(method="edit"))


@pytest.mark.parametrize("diversity", [-0.1, 1.5])
def test_a_diversity_outside_its_scale_is_told(refused: Refused, diversity: float) -> None:
    refused(OptionError, str(diversity), hint="0.*1", ask=lambda: explain(diversity=diversity))


def test_a_weight_of_an_unknown_feature_is_named_with_the_nearest(refused: Refused) -> None:
    refused(OptionError, "'incom'", hint="'income'", ask=lambda: explain(weights={"incom": 2.0}))


@pytest.mark.parametrize("weight", [0, -1, float("nan")])
def test_a_weight_that_is_not_positive_is_told(refused: Refused, weight: float) -> None:
    refused(
        OptionError,
        "'age'",
        repr(weight),
        hint="fixed",
        ask=lambda: explain(weights={"age": weight}),
    )


def test_a_category_that_is_no_column_is_named(refused: Refused) -> None:
    refused(OptionError, "'jobs'", hint="'job'", ask=lambda: explain(categorical=["jobs"]))


def test_an_order_that_leaves_out_a_level_names_it(refused: Refused) -> None:
    refused(
        OptionError,
        "'job'",
        "'Professional'",
        hint="every level",
        ask=lambda: Space.infer(DATA, ordinal={"job": ["Service", "Sales"]}),
    )


def test_an_unknown_class_is_named_beside_the_known_ones(refused: Refused) -> None:
    refused(
        TargetError, "'grantd'", hint="'refused', 'granted'", ask=lambda: explain(target="grantd")
    )


def test_a_class_of_another_type_is_told_apart_from_its_twin(refused: Refused) -> None:
    model = ifonly.as_model(approve, classes=[0, 1])
    refused(TargetError, "'1'", hint="int 1", ask=lambda: explain(model=model, target="1"))


def test_opposite_for_three_classes_lists_them(refused: Refused) -> None:
    refused(
        TargetError,
        "'opposite'",
        "3",
        hint="'low', 'mid', 'high'",
        ask=lambda: explain(model=Three()),
    )


def test_a_range_upside_down_is_told_with_the_range_meant(refused: Refused) -> None:
    refused(
        TargetError,
        "(300, 200)",
        hint=r"\(200.0, 300.0\)",
        ask=lambda: explain(model=PRICER, target=(300, 200)),
    )


def test_a_range_for_a_classifier_lists_its_classes(refused: Refused) -> None:
    refused(
        TargetError, "(1, 2)", "classifier", hint="'granted'", ask=lambda: explain(target=(1, 2))
    )


@pytest.mark.parametrize(
    "target", ["opposite", "granted", 5, (1,), (None, None), (1, float("nan"))]
)
def test_what_is_no_range_for_a_regressor_is_told(refused: Refused, target: Any) -> None:
    refused(
        TargetError,
        str(target),
        hint="low, high|two numbers",
        ask=lambda: explain(model=PRICER, target=target),
    )


def test_a_list_of_targets_of_the_wrong_length_is_told(refused: Refused) -> None:
    refused(
        TargetError,
        "3 targets",
        "2 rows",
        hint="one for each",
        ask=lambda: explain(target=["granted"] * 3),
    )


@pytest.mark.parametrize("threshold", [0, 1, 1.5, -0.2])
def test_a_threshold_that_is_no_probability_is_told(refused: Refused, threshold: float) -> None:
    refused(
        TargetError,
        repr(threshold),
        hint="between 0 and 1",
        ask=lambda: explain(threshold=threshold),
    )


def test_a_threshold_for_a_regressor_is_told(refused: Refused) -> None:
    refused(
        TargetError,
        "regressor",
        hint="threshold",
        ask=lambda: explain(model=PRICER, target=(1, 2), threshold=0.4),
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": ["age"]}, "weights"),
        ({"weights": {"age": "two"}}, "'two'"),
        ({"diversity": "much"}, "'much'"),
        ({"threshold": "half"}, "'half'"),
    ],
)
def test_an_option_of_another_kind_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ifonly.IfonlyError, match=said) as refusal:
        explain(**options)
    assert "Hint:" in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Space.infer(DATA, sparsity=-1), "sparsity"),
        (lambda: Space.infer(DATA, sparsity=True), "sparsity"),
        (lambda: Space.infer(DATA, ordinal=["job"]), "job"),
        (lambda: Engine("huge"), "'huge'"),
        (lambda: Engine(needed="yes"), "'yes'"),
        (lambda: Engine(nearest=1), "nearest"),
        (lambda: Shrink("huge"), "'huge'"),
        (lambda: Polish(effort="huge"), "'huge'"),
    ],
)
def test_a_knob_is_checked_by_its_owner(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(OptionError, match=said) as refusal:
        make()
    assert "Hint:" in str(refusal.value)


def test_no_rules_may_be_none() -> None:
    assert explain(rules=None).filled.any()


def test_an_end_of_a_range_may_be_left_open() -> None:
    assert explain(model=PRICER, target=(None, 200)).wanted[0] == (float("-inf"), 200.0)
    assert explain(model=PRICER, target=(300, None)).wanted[0] == (300.0, float("inf"))


def test_a_label_that_is_no_text_is_named(refused: Refused) -> None:
    refused(
        OptionError, "labels", "7", hint="granted", ask=lambda: Space.infer(DATA, labels={1: 7})
    )


def test_an_option_of_the_space_is_sent_there(refused: Refused) -> None:
    own = set(signature(Space.infer).parameters) - set(signature(ifonly.explain).parameters)
    assert own == OF_SPACE
    for name in own:
        there = rf"Give space=ifonly.Space.infer\(data, {name}=...\)"
        refused(
            OptionError,
            f"no option '{name}'",
            hint=there,
            ask=lambda name=name: explain(**{name: {}}),
        )
    prepared = ifonly.Explainer(LENDER, data=DATA)
    refused(
        OptionError,
        "no option 'labels'",
        hint="Give ifonly.Explainer space=",
        ask=lambda: prepared.explain(DATA[:2], labels={1: "yes"}),  # type: ignore[call-arg]
    )
