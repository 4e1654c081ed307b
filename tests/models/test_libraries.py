"""Models of further libraries, fitted, and as people save them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import category_encoders
import lightgbm
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from imblearn.ensemble import BalancedRandomForestClassifier
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline as resampled
from imblearn.under_sampling import RandomUnderSampler
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from statsmodels.miscmodels.ordinal_model import OrderedModel

import ifonly
from ifonly.errors import DataError
from ifonly.models import adapt
from ifonly.models.files.load import load_model

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "age": RNG.integers(20, 70, 200),
        "pay": RNG.integers(10, 90, 200) * 100,
        "job": RNG.choice(["clerk", "cook", "nurse"], 200),
    }
)
NOISE = RNG.normal(0, 800, 200)
RICH = (DATA["pay"] + 20 * DATA["age"] + NOISE > 6000).astype(int)
NUMBERS = DATA[["age", "pay"]]
THIRDS = pd.cut(DATA["pay"] + NOISE, 3, labels=["low", "middle", "high"])


def answered(
    model: Any, data: pd.DataFrame, decide: Callable[[Any], Any], *, rows: int = 4, **options: Any
) -> ifonly.Answers:
    """Rows get all their answers, and what decides for the user says so too."""
    answers = ifonly.explain(model, data[:rows], data=data, k=2, **options)
    frame = answers.frame()
    assert set(answers.status) <= {ifonly.Status.FOUND, ifonly.Status.ALREADY}
    assert len(frame)
    decided = np.asarray(decide(frame[list(data.columns)])).ravel()
    assert (decided == np.array(answers.wanted)[frame["query"]]).all()
    return answers


def encoder() -> Any:
    dense = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((StandardScaler(), ["age", "pay"]), (dense, ["job"]))


RESAMPLED = {
    "smote": resampled(encoder(), SMOTE(random_state=0), LogisticRegression()),
    "first": resampled(RandomOverSampler(random_state=0), encoder(), LogisticRegression()),
    "forest": resampled(
        encoder(), RandomUnderSampler(random_state=0), RandomForestClassifier(5, random_state=0)
    ),
    "nested": resampled(encoder(), resampled(SMOTE(random_state=0), LogisticRegression())),
}


@pytest.mark.parametrize("kind", RESAMPLED)
def test_a_pipeline_of_imbalanced_learn(kind: str) -> None:
    model = RESAMPLED[kind].fit(DATA, RICH)
    answered(model, DATA, model.predict)
    if kind == "first":
        answered(model, DATA, model.predict, method="gradient")
        answered(model, DATA[:60], model.predict, method="exact", rows=1)


def test_a_search_over_pipelines_of_imbalanced_learn() -> None:
    search = GridSearchCV(RESAMPLED["smote"], {"logisticregression__C": [1.0]}, cv=2)
    answered(search.fit(DATA, RICH), DATA, search.predict, method="gradient")


def test_a_forest_of_imbalanced_learn() -> None:
    model = BalancedRandomForestClassifier(5, random_state=0).fit(NUMBERS, RICH)
    answered(model, NUMBERS, model.predict)


@pytest.mark.filterwarnings("ignore:.*no_silent_downcasting")
@pytest.mark.parametrize(
    "kind", ["TargetEncoder", "BinaryEncoder", "CatBoostEncoder", "WOEEncoder"]
)
def test_encoders_of_category_encoders(kind: str) -> None:
    step = getattr(category_encoders, kind)(cols=["job"])
    model = make_pipeline(step, StandardScaler(), LogisticRegression()).fit(DATA, RICH)
    answered(model, DATA, model.predict)


def constant(frame: pd.DataFrame) -> pd.DataFrame:
    return sm.add_constant(frame, has_constant="add")


def larger(results: Any, prepare: Any = lambda frame: frame) -> Callable[[Any], Any]:
    """The class of the largest probability of results."""

    def decide(frame: pd.DataFrame) -> np.ndarray:
        given = np.asarray(results.predict(prepare(frame)))
        return np.asarray(given > 0.5).astype(int) if given.ndim == 1 else given.argmax(axis=1)

    return decide


def test_a_formula_of_statsmodels_and_its_file(tmp_path: Path) -> None:
    table = DATA.assign(rich=RICH)
    results = smf.logit("rich ~ age + pay + C(job)", table).fit(disp=0)
    answered(results, DATA, larger(results))
    results.save(str(tmp_path / "logit.pickle"))
    loaded = load_model(tmp_path / "logit.pickle", trust_pickle=True)
    answered(loaded, DATA, larger(results))
    family = sm.families.Binomial()
    glm = smf.glm("rich ~ age + pay", table, family=family).fit()
    answered(glm, DATA, larger(glm))


def test_arrays_of_statsmodels_have_their_constant_and_their_order() -> None:
    results = sm.Logit(RICH, constant(NUMBERS)).fit(disp=0)
    decide = larger(results, lambda frame: constant(frame[["age", "pay"]]))
    answered(results, NUMBERS[["pay", "age"]], decide)
    answered(results, constant(NUMBERS), larger(results))
    bare = sm.Logit(RICH.to_numpy(), constant(NUMBERS).to_numpy()).fit(disp=0)
    answered(bare, NUMBERS, larger(results, constant))
    with pytest.raises(DataError, match="'job'"):
        ifonly.explain(results, DATA[:2], data=DATA)


def test_several_classes_and_numbers_of_statsmodels() -> None:
    multinomial = sm.MNLogit(THIRDS.astype(str), constant(NUMBERS)).fit(disp=0)
    names = np.array(["high", "low", "middle"])
    decide = larger(multinomial, constant)
    answered(multinomial, NUMBERS, lambda frame: names[decide(frame)], target="low")
    ordered = OrderedModel(THIRDS, NUMBERS / 1000).fit(disp=0, method="bfgs")
    levels = np.array(["low", "middle", "high"])
    by_level = larger(ordered)
    answered(ordered, NUMBERS / 1000, lambda frame: levels[by_level(frame)], target="high")
    line = sm.OLS(DATA["pay"], constant(DATA[["age"]])).fit()
    middle = float(line.predict([[1.0, 45.0]])[0])
    answers = ifonly.explain(
        line, DATA[["age"]][:3], data=DATA[["age"]], k=1, target=(middle - 0.1, middle + 0.1)
    )
    assert (answers.frame()["age"] == 45).all()


def same_scores(model: Any, data: pd.DataFrame, own: Any, given: Any) -> bool:
    """Whether a model over the space of `data` has the probabilities of the user's own call."""
    space = ifonly.Space.infer(data)
    codes = space.codes(data)
    return bool(
        np.allclose(adapt(model, space, codes).scores(codes), own.predict_proba(given), atol=1e-12)
    )


SIGNS = {"age": "age [years]", "pay": 'pay, "net": {a year}', "job": "job held"}


def without_signs(name: str) -> str:
    return re.sub("[^A-Za-z0-9_]+", "", name)


def test_lightgbm_writes_the_names_of_columns_in_its_own_way(tmp_path: Path) -> None:
    data = DATA.astype({"job": "category"}).rename(columns=SIGNS)
    spaced = data.rename(columns=lambda name: re.sub('[\\[\\]",:{}]', "", name))
    cleaned = data.rename(columns=without_signs)[list(map(without_signs, data))[::-1]]
    for trained, given in ((spaced, spaced), (cleaned, data)):
        model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1).fit(trained, RICH)
        order = given.columns if trained is spaced else given.columns[::-1]
        decide = lambda frame, model=model, order=order: model.predict(frame[order])  # noqa: E731
        answered(model, given, decide, rows=1)
        model.booster_.save_model(tmp_path / "model.txt")
        assert same_scores(tmp_path / "model.txt", given, model, given[order])
    inside = CalibratedClassifierCV(
        lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1), cv=2
    ).fit(spaced, RICH)
    assert same_scores(inside, spaced, inside, spaced)
    bare = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1)
    bare.fit(NUMBERS.to_numpy(), RICH)
    assert same_scores(bare, NUMBERS, bare, NUMBERS.to_numpy())


def test_other_names_are_no_reason_to_drop_columns(refused: Any) -> None:
    model = LogisticRegression().fit(NUMBERS, RICH)
    other = NUMBERS.rename(columns={"pay": "income"})
    ask = lambda: ifonly.explain(model, other[:1], data=other)  # noqa: E731
    refused(DataError, "'income'", hint="trained on 'pay'.*rename", ask=ask)
