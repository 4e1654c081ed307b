"""`robust=` and `margin=`: what other models, refits, parameters and scores must bear out."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly import Answers, Explainer, Logit, Refits, Robust, Status, Within
from ifonly.demands.agreement import Agreement
from ifonly.demands.robust import as_robust
from ifonly.errors import ModelError, OptionError

from .small_table import DATA, NUMBERS, OUTCOME, REFITS, RNG, asked, explained, points


@pytest.mark.filterwarnings("ignore:Stochastic")
@pytest.mark.parametrize("kind", ["linear", "network", "forest", "tree"])
def test_every_answer_holds_in_every_other_model(models: dict[str, Any], kind: str) -> None:
    others = [model for name, model in models.items() if name != kind]
    answers = explained(models[kind], robust=others)
    assert answers.filled.any()
    for model in models.values():
        assert (model.predict(points(answers)) == "yes").all()
    assert answers.agreeing is not None
    assert (answers.agreeing[answers.filled] == 1).all()
    assert answers.record["other_model_rows"] > 0


def test_a_share_of_the_models_is_enough() -> None:
    high, low = (
        ifonly.as_model(lambda f, c=c: f["income"] > c, classes=["no", "yes"]) for c in (50, 30)
    )
    own = ifonly.as_model(lambda f: f["income"] > 20, classes=["no", "yes"])
    row = NUMBERS[NUMBERS["income"] < 20][:1]
    nearest = [
        ifonly.explain(own, row, data=NUMBERS, k=1, robust=Robust([high, low], share)).frame()
        for share in (0.5, 0.9)
    ]
    assert [int(frame["income"].iloc[0]) for frame in nearest] == [31, 51]


@pytest.mark.parametrize("share", [1.0, 0.6, 0.2])
def test_law_the_demands_margin_tells_agreement_and_every_step_towards_it(share: float) -> None:
    rng = np.random.default_rng(0)
    margins = rng.normal(0.2, 1.0, (5, 400))

    class Fixed:
        """A model whose margins are known."""

        def __init__(self, own: np.ndarray) -> None:
            self.own = own

        def margin(self, *_: Any) -> np.ndarray:
            return self.own

    def said(margins: np.ndarray) -> np.ndarray:
        others: Any = tuple(map(Fixed, margins))
        goal: Any = None
        return Agreement(others, share).margin(goal, np.empty(0), np.empty(0))

    before, needed = said(margins), Agreement((None,) * 5, share).needed  # type: ignore[arg-type]
    assert ((before > 0) == ((margins > 0).sum(axis=0) >= needed)).all()
    lacking = np.flatnonzero(before <= 0)
    ranked = np.argsort(-margins, axis=0)
    worst = ranked[needed - 1, lacking]  # of those that count, the farthest from agreeing
    nearer = margins.copy()
    nearer[worst, lacking] *= 0.9
    assert (said(nearer)[lacking] > before[lacking]).all()


@pytest.mark.filterwarnings("ignore:Stochastic")
@pytest.mark.parametrize("kind", ["linear", "network", "forest"])
def test_the_mean_of_other_models_leads_by_so_many_deviations(
    models: dict[str, Any], kind: str
) -> None:
    others = REFITS.models
    answers = explained(models[kind], robust=Robust(others, deviations=1.5))
    plain = explained(models[kind])
    assert answers.filled.any()
    leads = np.array([2 * one.predict_proba(points(answers))[:, 1] - 1 for one in others])
    assert (leads.mean(axis=0) - 1.5 * leads.std(axis=0, ddof=1) > 0).all()
    near = [one.frame().groupby("query")["price"].min() for one in (plain, answers)]
    assert (near[0] <= near[1] + 1e-9).all()


def test_deviations_are_kept_in_the_record_and_named_in_messages() -> None:
    refits = Refits(LogisticRegression(), NUMBERS, OUTCOME, n=5, deviations=1.5)
    assert repr(refits) == "Refits(LogisticRegression, n=5, deviations=1.5, seed=0)"
    model = LogisticRegression().fit(NUMBERS, OUTCOME)
    answers = ifonly.explain(model, NUMBERS[:2], data=NUMBERS, target="other", robust=refits)
    kept = {"fit": "LogisticRegression", "n": 5, "seed": 0, "first": 0, "deviations": 1.5}
    assert answers.record["robust"] == [kept]
    assert "1.5 of their standard deviations" in str(Agreement((None,) * 5, deviations=1.5))  # type: ignore[arg-type]


def test_deviations_need_scores() -> None:
    said = {"classes": ["no", "yes"], "gives": "labels"}
    label = ifonly.as_model(lambda f: np.where(f["income"] > 20, "yes", "no"), **said)
    model = LogisticRegression().fit(NUMBERS, OUTCOME)
    with pytest.raises(OptionError, match="other model 1 gives labels"):
        ifonly.explain(model, NUMBERS[:2], data=NUMBERS, robust=Robust([label] * 2, deviations=1.0))


def test_models_may_have_their_classes_in_another_order() -> None:
    own = ifonly.as_model(lambda f: f["income"] > 20, classes=["no", "yes"])
    other = ifonly.as_model(lambda f: f["income"] <= 40, classes=["yes", "no"])
    row = NUMBERS[NUMBERS["income"] < 20][:1]
    answers = ifonly.explain(own, row, data=NUMBERS, k=1, robust=[other])
    assert answers.frame()["income"].tolist() == [41]


@pytest.mark.parametrize(
    ("robust", "message"),
    [
        ([], "robust is"),
        ("model.joblib", "robust is"),
        ([LogisticRegression().fit(NUMBERS, RNG.choice(["no", "maybe"], 150))], "'maybe'"),
        ([LinearRegression().fit(NUMBERS, NUMBERS["debt"])], "no classes"),
        (Within(0.1), "trees"),
    ],
)
def test_what_cannot_agree_is_refused(models: dict[str, Any], robust: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        explained(models["tree"], robust=robust)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Robust([]),
        lambda: Robust(["a"], share=0),
        lambda: Robust(["a"], deviations=1.0),
        lambda: Robust(["a", "b"], deviations=0),
        lambda: Robust(["a", "b"], share=0.9, deviations=1.0),
        lambda: Refits(LogisticRegression(), NUMBERS, OUTCOME, n=1, deviations=1.0),
        lambda: Refits(7, NUMBERS, OUTCOME),
        lambda: Refits(LogisticRegression(), NUMBERS, OUTCOME[:3]),
        lambda: Refits(LogisticRegression(), NUMBERS, OUTCOME, n=0),
        lambda: Within(-1),
        lambda: Logit(0),
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: Any) -> None:
    with pytest.raises(OptionError):
        wrong()


def test_refits_are_the_same_again_and_fresh_ones_are_others() -> None:
    again = Refits(LogisticRegression(), NUMBERS, OUTCOME, n=7)
    slopes = [model.coef_.tolist() for model in again.models]
    assert slopes[:5] == [model.coef_.tolist() for model in REFITS.models]
    assert slopes[5:] == [model.coef_.tolist() for model in REFITS.fresh(2).models]
    assert len({str(one) for one in slopes}) == 7


def test_a_fit_function_gets_rows_outcomes_and_a_seed() -> None:
    seen = []

    def fit(rows: pd.DataFrame, outcome: Any, seed: int) -> Any:
        seen.append(seed)
        assert len(rows) == len(outcome) == len(NUMBERS)
        return DecisionTreeClassifier(max_depth=2, random_state=seed).fit(rows, outcome)

    assert len(Refits(fit, NUMBERS, list(OUTCOME), n=3).models) == 3
    assert len(set(seen)) == 3


def test_a_refit_that_fails_says_which() -> None:
    def fit(rows: pd.DataFrame, outcome: Any) -> Any:
        raise ValueError("too few")

    with pytest.raises(ModelError, match="Refit 0 failed: ValueError: too few"):
        _ = Refits(fit, NUMBERS, OUTCOME).models


def test_the_certificate_is_that_of_fresh_refits(models: dict[str, Any]) -> None:
    answers = explained(models["linear"], robust=REFITS, margin=0.3)
    frame = answers.agreement(m=29)
    fresh = REFITS.fresh(29).models
    valid = sum((model.predict(points(answers)) == "yes").astype(int) for model in fresh)
    assert frame["valid"].tolist() == valid.tolist()
    full = frame[frame["valid"] == 29]
    assert len(full)
    assert np.allclose(full["bound"], 0.05 ** (1 / 29))
    assert (frame["bound"] <= frame["share"]).all()


def test_a_certificate_needs_models(models: dict[str, Any]) -> None:
    answers = explained(models["linear"])
    assert set(answers.agreement([models["forest"]])["valid"]) <= {0, 1}
    with pytest.raises(OptionError, match="nothing to refit"):
        answers.agreement()


def test_a_demand_that_leaves_a_row_short_says_so_and_is_counted(models: dict[str, Any]) -> None:
    never = ifonly.as_model(lambda f: f["income"] > 1000, classes=["no", "yes"])
    answers = explained(models["linear"], robust=[never])
    assert set(answers.status) <= {Status.NOT_FOUND, Status.INFEASIBLE}
    assert "Without the demand that the other model agrees, 2 answers" in answers.notes[0]
    assert answers.why(0).rejected["the other model agrees"] > 0


def test_a_record_with_other_models_is_asked_again_only_with_them(models: dict[str, Any]) -> None:
    model = models["linear"]
    answers = explained(model, robust=[REFITS, Within(0.01)], margin=Logit(0.2))
    saved = Answers.from_json(answers.to_json())
    again: dict[str, Any] = {"rows": asked(model), "data": NUMBERS}
    same = ifonly.explain_again(saved.record, model, **again, robust=[REFITS, Within(0.01)])
    assert same.frame().equals(answers.frame())
    assert np.array_equal(saved.agreeing, answers.agreeing, equal_nan=True)
    with pytest.raises(OptionError, match="robust"):
        ifonly.explain_again(saved.record, model, **again)


def test_moving_parameters_are_in_the_record_itself(models: dict[str, Any]) -> None:
    model = models["linear"]
    answers = explained(model, robust=Within(0.01))
    again = ifonly.explain_again(answers.record, model, asked(model), data=NUMBERS)
    assert again.frame().equals(answers.frame())


def test_what_is_shown_says_that_models_agree(models: dict[str, Any]) -> None:
    answers = explained(models["linear"], robust=REFITS)
    assert "All other models agree." in answers.sentences()[0][0]
    assert "All other models agree." in answers.to_html()
    assert (answers.metrics()["agreement"] == 1).all()


def test_the_bound_of_a_proof_stays_below_every_robust_answer(models: dict[str, Any]) -> None:
    for kind in ("linear", "tree"):
        plain = explained(models[kind], certify=True).certificates()
        frame = explained(models[kind], certify=True, robust=REFITS).certificates()
        assert (frame["bound"] <= frame["price"]).all()
        assert np.allclose(frame["bound"], plain["bound"])


@pytest.mark.filterwarnings("ignore:Stochastic")
@pytest.mark.parametrize("kind", ["linear", "network"])
def test_an_answer_stays_one_however_parameters_move(models: dict[str, Any], kind: str) -> None:
    """Over random moves of every parameter, and over the worst corner of a linear model."""
    explainer = Explainer(models[kind], data=NUMBERS)
    answers = explainer.explain(asked(models[kind]), target="yes", k=2, robust=Within(0.02))
    assert answers.filled.any()
    assert answers.source is not None
    demand: Any = answers.source.setting.demands[0]
    found = answers.points[answers.filled]
    rng = np.random.default_rng(0)
    for trial in range(40):
        draw = rng.uniform if trial % 2 else lambda a, b, n: rng.choice([a, b], n)
        passed = demand.layers.space.units(found)
        for i, (kernel, bias) in enumerate(demand.layers.layers):
            passed = np.maximum(passed, 0) if i else passed
            moved = kernel + draw(-0.02, 0.02, kernel.shape), bias + draw(-0.02, 0.02, bias.shape)
            passed = passed @ moved[0] + moved[1]
        assert (passed[:, -1] - (passed[:, 0] if passed.shape[1] > 1 else 0) > 0).all()


def test_a_list_may_hold_models_refits_and_parameters() -> None:
    stated = as_robust(["a.joblib", REFITS, Within(0.1), "b.joblib"])
    assert [type(one).__name__ for one in stated] == ["Robust", "Refits", "Within"]
    assert stated[0].models == ["a.joblib", "b.joblib"]


def test_a_row_of_unknown_values_asks_the_other_models_too() -> None:
    def likes(level: str) -> Any:
        return ifonly.as_model(
            lambda f: (f["income"] > 30) & (f["job"].astype(str) != level), classes=["no", "yes"]
        )

    row = DATA[:1].assign(income=5, job="new")
    answers = ifonly.explain(likes("x"), row, data=DATA, k=1, robust=[likes("new")])
    assert answers.status == (Status.FOUND,)
    assert answers.frame()["job"].iloc[0] != "new"


def test_without_a_demand_nothing_changes(models: dict[str, Any]) -> None:
    plain, empty = explained(models["forest"]), explained(models["forest"], robust=None, margin=0)
    assert plain.frame().equals(empty.frame())
    assert plain.record["model_rows"] == empty.record["model_rows"]
    assert plain.agreeing is None


def test_a_worker_can_be_sent_a_demand(models: dict[str, Any]) -> None:
    answers = explained(models["linear"], robust=REFITS)
    assert answers.source is not None
    demand = answers.source.setting.demands[0]
    sent = pickle.loads(pickle.dumps(demand))
    goal, x, found = answers.source.batch.goal, answers.x, answers.points[:, 0]
    assert np.array_equal(sent.margin(goal, x, found), demand.margin(goal, x, found))
