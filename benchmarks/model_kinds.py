"""Kinds of models that people have, each fitted on a table of data_tables.

A kind makes a `Case` of a table: what is given to ifonly, and what decides for the user. It gives
None where the table has no columns for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn import discriminant_analysis, ensemble, linear_model, model_selection, preprocessing
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cases import NUMBERS, Case, Kind, around, behind, case, encoder, logistic
from data_tables import Table
from library_kinds import LIBRARIES


def several(one: Table) -> Case | None:
    """Three classes, made of a column of numbers; any class but the row's own will do."""
    number = _wide(one.train)
    if number is None:
        return None
    bounds = one.train[number].quantile([1 / 3, 2 / 3])
    third = np.searchsorted(np.unique(bounds), one.train[number])
    table = Table(one.train.drop(columns=number), third, one.rows.drop(columns=number))
    model = make_pipeline(
        encoder(), ensemble.RandomForestClassifier(20, max_depth=6, random_state=0)
    )
    return case(model.fit(table.train, third), table, target="other")


def regression(one: Table) -> Case | None:
    """A regressor, and a range in the upper half."""
    number = _wide(one.train)
    if number is None:
        return None
    table = Table(one.train.drop(columns=number), one.outcome, one.rows.drop(columns=number))
    model = make_pipeline(
        encoder(), ensemble.GradientBoostingRegressor(n_estimators=20, random_state=0)
    )
    model.fit(table.train, one.train[number].astype(float))
    said = model.predict(table.train)
    return case(model, table, target=(float(np.quantile(said, 0.6)), None))


def _wide(data: pd.DataFrame) -> str | None:
    """The column of numbers with the most values, where other columns are left."""
    numbers = NUMBERS(data)
    name = str(data[numbers].nunique().idxmax()) if numbers and data.shape[1] > 3 else None
    return name if name and data[name].nunique() > 9 else None


def _forest() -> Any:
    return ensemble.RandomForestClassifier(20, max_depth=8, random_state=0)


def _regression() -> Any:
    return LogisticRegression(max_iter=2000)


def _members() -> list[tuple[str, Any]]:
    return [
        ("linear", _regression()),
        ("tree", DecisionTreeClassifier(max_depth=5, random_state=0)),
    ]


KINDS: dict[str, Kind] = {
    "logistic regression": logistic,
    "linear discriminant": behind(lambda: discriminant_analysis.LinearDiscriminantAnalysis()),
    "ridge": behind(lambda: linear_model.RidgeClassifier()),
    "SGD, hinge loss": behind(lambda: linear_model.SGDClassifier(random_state=0)),
    "linear SVM": behind(lambda: LinearSVC(max_iter=20_000, random_state=0)),
    "SVM, RBF kernel": behind(lambda: SVC(random_state=0)),
    "nearest neighbours": behind(lambda: KNeighborsClassifier(7)),
    "naive Bayes": behind(GaussianNB),
    "decision tree": behind(lambda: DecisionTreeClassifier(max_depth=6, random_state=0)),
    "random forest": behind(_forest),
    "extra trees": behind(lambda: ensemble.ExtraTreesClassifier(20, max_depth=8, random_state=0)),
    "gradient boosting": behind(
        lambda: ensemble.GradientBoostingClassifier(n_estimators=20, random_state=0)
    ),
    "histogram boosting": behind(
        lambda: ensemble.HistGradientBoostingClassifier(max_iter=20, random_state=0)
    ),
    "AdaBoost": behind(lambda: ensemble.AdaBoostClassifier(n_estimators=10, random_state=0)),
    "bagging": behind(lambda: ensemble.BaggingClassifier(_regression(), 5, random_state=0)),
    "network": behind(lambda: MLPClassifier((12,), max_iter=300, random_state=0)),
    "stacking": behind(lambda: ensemble.StackingClassifier(_members(), _regression(), cv=3)),
    "voting": behind(lambda: ensemble.VotingClassifier(_members())),
    "soft voting": behind(lambda: ensemble.VotingClassifier(_members(), voting="soft")),
    "calibrated": around(lambda model: CalibratedClassifierCV(model, cv=3)),
    "grid search": around(
        lambda model: model_selection.GridSearchCV(
            model, {"gaussiannb__var_smoothing": [1e-9, 0.1]}
        )
    ),
    "fixed threshold": around(
        lambda model: model_selection.FixedThresholdClassifier(model, threshold=0.3), _regression
    ),
    "tuned threshold": around(
        lambda model: model_selection.TunedThresholdClassifierCV(model, cv=2, thresholds=20),
        _regression,
    ),
    "target encoder": behind(
        _regression, names=preprocessing.TargetEncoder(target_type="binary", random_state=0)
    ),
    "union of features": behind(
        _regression, numbers=make_union(preprocessing.StandardScaler(), PCA(1))
    ),
    "bins": behind(
        _regression,
        numbers=preprocessing.KBinsDiscretizer(4, quantile_method="averaged_inverted_cdf"),
    ),
    "polynomials of the best columns": behind(
        lambda: make_pipeline(SelectKBest(k=4), preprocessing.PolynomialFeatures(), _regression())
    ),
    "quantile transformer": behind(
        _regression, numbers=preprocessing.QuantileTransformer(n_quantiles=50)
    ),
    "three classes, target='other'": several,
    "regression, a range": regression,
    **LIBRARIES,
}
