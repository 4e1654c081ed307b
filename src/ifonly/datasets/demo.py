"""The model of the demonstration: whether somebody earns more, from the bundled Adult data."""

from __future__ import annotations

from typing import Any

from ifonly.datasets.loading import Dataset, load

APPLICANT = 27248
"""The position of someone in the test part whom the model refuses."""
RULES = (
    "race fixed",
    "gender fixed",
    "marital_status fixed",
    "age only increases",
    "age changes by at most 10",
)
"""What nobody can change stays, and nobody is told to wait for thirty years."""
LABELS = {0: "<=50K", 1: ">50K"}
PAGE_LABELS = {
    0: "at most 50K",
    1: "more than 50K",
    "age": "Age",
    "workclass": "Kind of work",
    "education": "Education",
    "marital_status": "Marital status",
    "occupation": "Occupation",
    "race": "Race",
    "gender": "Gender",
    "hours_per_week": "Hours per week",
}
"""What the page calls classes and features, in place of the names of columns."""


def demo_model() -> tuple[Any, Dataset, Dataset]:
    """A fitted pipeline that takes the DataFrame as it is, its training part and its test part."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    train, test = load("adult").split()
    columns = make_column_transformer(
        (OneHotEncoder(), list(train.categorical)), (StandardScaler(), list(train.continuous))
    )
    pipeline = make_pipeline(columns, LogisticRegression(max_iter=1000))
    return pipeline.fit(train.features, train.outcome), train, test
