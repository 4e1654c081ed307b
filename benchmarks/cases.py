"""A question to ifonly, as a cell of the part 'tables' asks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn import preprocessing
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from data_tables import Table

TEXT = make_column_selector(dtype_exclude="number")
NUMBERS = make_column_selector(dtype_include="number")


@dataclass(frozen=True)
class Case:
    """A question to ifonly: a model, what decides for the user, a table and options."""

    model: Any
    predict: Callable[[Any], Any]
    data: Any
    rows: Any
    options: dict[str, Any] = field(default_factory=dict)
    prepared: dict[str, Any] = field(default_factory=dict)
    """Options of `Explainer`."""


Kind = Callable[[Table], Case | None]


def encoder(names: Any = None, numbers: Any = None) -> Any:
    """Columns of names and of numbers as the columns that an estimator takes."""
    one_hot = preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    scale = make_pipeline(SimpleImputer(), preprocessing.StandardScaler())
    return make_column_transformer((names or one_hot, TEXT), (numbers or scale, NUMBERS))


def case(model: Any, one: Table, **options: Any) -> Case:
    """The case of a model that is fitted on the table as it is."""
    return Case(model, model.predict, one.train, one.rows, options)


def logistic(one: Table, **options: Any) -> Case:
    """The case of a logistic regression, for what is about the table and not the model."""
    model = make_pipeline(encoder(), LogisticRegression(max_iter=2000))
    return case(model.fit(one.train, one.outcome), one, **options)


def behind(estimator: Callable[[], Any], **columns: Any) -> Kind:
    """An estimator behind an encoder."""

    def make(one: Table) -> Case:
        return case(make_pipeline(encoder(**columns), estimator()).fit(one.train, one.outcome), one)

    return make


def around(wrap: Callable[[Any], Any], estimator: Callable[[], Any] = GaussianNB) -> Kind:
    """Something that holds a whole pipeline."""

    def make(one: Table) -> Case:
        model = wrap(make_pipeline(encoder(), estimator()))
        return case(model.fit(one.train, one.outcome), one)

    return make
