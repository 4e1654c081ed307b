"""Every method and every knob: a knob has an effect, or is refused with who would use it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly import recipes
from ifonly.errors import OptionError
from ifonly.refine import Nothing
from ifonly.search import Edits, Engine, Exact, Gradient, Neighbours, Union
from ifonly.select import InOrder, Polish, Ways

RNG = np.random.default_rng(3)
DATA = pd.DataFrame(
    {"age": RNG.integers(18, 80, 200), "income": RNG.integers(5, 90, 200), "debt": RNG.random(200)}
).round({"debt": 1})
MODEL = LogisticRegression(max_iter=1000).fit(DATA, DATA["income"] - 20 * DATA["debt"] > 30)
ROWS = DATA[MODEL.predict(DATA) == 0][:6]

Ask = Callable[..., ifonly.Answers]
WEIGHING: dict[str, Ask] = {
    "auto": ifonly.explain,
    "former": partial(ifonly.explain, method=Engine(needed=False, tight=False)),
    "edits": partial(ifonly.explain, method="edits"),
    "neighbours": partial(ifonly.explain, method="neighbours"),
    "gradient": partial(ifonly.explain, method=Gradient(restarts=1)),
    "union": partial(ifonly.explain, method=Union((Edits(), Union((Neighbours(),))))),
}
SOLVING: dict[str, Ask] = {
    "exact": partial(ifonly.explain, method=Exact(limit=20)),
    "mixed_integer_cf": recipes.mixed_integer_cf,
}
IN_ORDER: dict[str, Ask] = {
    "in order": partial(ifonly.explain, method=ifonly.Method(Engine(), Nothing(), InOrder())),
    "diverse_cf": recipes.diverse_cf,
    "diverse_cf_sparse": partial(recipes.diverse_cf_sparse, filters=(ifonly.fixed("age"),)),
    "no_diversity_cf": recipes.no_diversity_cf,
    "random_init_cf": partial(recipes.random_init_cf, sparse=True),
    "single_cf": recipes.single_cf,
}
EVERY = WEIGHING | SOLVING | IN_ORDER


def asked(ask: Ask, **options: Any) -> ifonly.Answers:
    return ask(MODEL, ROWS, **{"data": DATA, **options})


@pytest.mark.parametrize("name", EVERY)
def test_a_record_asked_again_gives_the_same_answers(name: str) -> None:
    options: dict[str, Any] = {"weights": {"age": 2.0}, "rules": ["debt only decreases"], "seed": 7}
    if name in WEIGHING:
        options["diversity"] = 0.8
    answers = asked(EVERY[name], **options)
    assert answers.filled.any()
    saved = ifonly.Answers.from_json(answers.to_json())
    assert saved.record == answers.record
    again = ifonly.explain_again(saved.record, MODEL, ROWS, data=DATA)
    assert np.array_equal(again.points, answers.points, equal_nan=True)
    assert again.status == answers.status
    assert again.record == answers.record | {
        cost: again.record[cost] for cost in ("model_rows", "model_calls")
    }


@pytest.mark.parametrize("name", WEIGHING)
def test_diversity_has_an_effect(name: str) -> None:
    close, wide = (asked(WEIGHING[name], diversity=one) for one in (0.0, 1.0))
    assert (wide.metrics()["det"] > close.metrics()["det"]).any()


@pytest.mark.parametrize("name", SOLVING | IN_ORDER)
def test_diversity_is_refused_where_nothing_would_use_it(name: str) -> None:
    with pytest.raises(OptionError, match=r"diversity=0\.9 has no effect"):
        asked(EVERY[name], diversity=0.9)


@pytest.mark.parametrize("name", [*IN_ORDER, "mixed_integer_cf"])
def test_sparsity_is_refused_where_nothing_would_use_it(name: str) -> None:
    space = ifonly.Space.infer(DATA, sparsity=2.0)
    with pytest.raises(OptionError, match=r"sparsity=2\.0 of the space has no effect"):
        asked(EVERY[name], space=space)


@pytest.mark.parametrize("name", [*IN_ORDER, "mixed_integer_cf"])
def test_what_does_not_weigh_the_charge_has_none(name: str) -> None:
    answers = asked(EVERY[name], k=1)
    assert answers.space.sparsity == answers.record["sparsity"] == 0
    assert np.array_equal(answers.price(), answers.distance())


def test_sparsity_has_an_effect() -> None:
    few, many = (
        asked(ifonly.explain, space=ifonly.Space.infer(DATA, sparsity=one)).metrics()["changed"]
        for one in (9.0, 0.0)
    )
    assert few.mean() < many.mean()


@pytest.mark.parametrize("name", SOLVING)
def test_certify_is_refused_where_the_method_proves_itself(name: str) -> None:
    with pytest.raises(OptionError, match=r"certify=5 has no effect") as refusal:
        asked(SOLVING[name], certify=5)
    assert "limit" in str(refusal.value)


def test_categorical_is_refused_beside_a_space() -> None:
    with pytest.raises(OptionError, match=r"categorical=\['age'\] has no effect"):
        asked(ifonly.explain, space=ifonly.Space.infer(DATA), categorical=["age"])


@pytest.mark.parametrize("knob", ["minimal", "effort", "nearest", "sparsity", "labels", "ordinal"])
def test_explain_has_no_knob_that_another_object_owns(knob: str) -> None:
    with pytest.raises(OptionError, match=knob):
        asked(ifonly.explain, **{knob: 1})


def test_the_knobs_of_the_engine_reach_the_refiner_and_the_selector() -> None:
    method = ifonly.Explainer(MODEL, data=DATA, method=Engine("thorough", nearest=False)).method
    assert repr(method).count("'thorough'") == 2
    assert "nearest=False" in repr(method.selector)
    assert isinstance(method.selector, Ways)
    former = ifonly.Explainer(MODEL, data=DATA, method=Engine(needed=False, tight=False)).method
    assert isinstance(former.selector, Polish)
    loose = ifonly.Explainer(MODEL, data=DATA, method=Engine(tight=False)).method
    assert loose.selector == Ways(needed=True, tight=False)


def test_an_option_that_was_removed_says_what_replaces_it() -> None:
    with pytest.raises(OptionError, match=r"no option 'minimal'[\s\S]*needed=False"):
        asked(ifonly.explain, minimal=True)
    with pytest.raises(OptionError, match="Did you mean 'rules'"):
        asked(ifonly.explain, rulse=["age fixed"])


def test_a_question_brings_its_own_rules_weights_and_diversity() -> None:
    explainer = ifonly.Explainer(MODEL, data=DATA, rules=["age fixed"])
    options: dict[str, Any] = {
        "rules": ["debt fixed"],
        "weights": {"income": ifonly.cost(up=3)},
        "diversity": 0.2,
    }
    asked_with = explainer.explain(ROWS, **options)
    rules = ["age fixed", *options.pop("rules")]
    built = ifonly.explain(MODEL, ROWS, data=DATA, rules=rules, **options)
    assert np.array_equal(asked_with.points, built.points)
    plain = explainer.explain(ROWS)
    assert plain.record["rules"] == ["age fixed"]
    assert not plain.space.weights


def test_a_method_with_a_part_of_ones_own_is_asked_again_by_giving_it() -> None:
    class Mine(Edits):
        """A searcher that no record can name."""

    answers = asked(ifonly.explain, method=Mine())
    with pytest.raises(OptionError, match="a part of your own"):
        ifonly.explain_again(answers.record, MODEL, ROWS, data=DATA)
    again = ifonly.explain_again(answers.record, MODEL, ROWS, data=DATA, method=Mine())
    assert np.array_equal(again.points, answers.points)


def test_a_record_is_asked_again_with_its_own_data_and_causes_alone() -> None:
    answers = asked(ifonly.explain)
    with pytest.raises(OptionError, match="other data"):
        ifonly.explain_again(answers.record, MODEL, ROWS, data=DATA[:100])
    causes = ifonly.CausalModel.fit({"income": ["debt"]}, DATA)
    with pytest.raises(OptionError, match="causes"):
        ifonly.explain_again(answers.record, MODEL, ROWS, data=DATA, causes=causes)
    acted = asked(ifonly.explain, causes=causes)
    again = ifonly.explain_again(acted.record, MODEL, ROWS, data=DATA, causes=causes)
    assert np.array_equal(again.points, acted.points)


def test_the_repr_of_a_record_runs_nothing() -> None:
    record = {**asked(ifonly.explain).record, "method": "__import__('os').system('true')"}
    with pytest.raises(OptionError, match="a part of your own"):
        ifonly.explain_again(record, MODEL, ROWS, data=DATA)
