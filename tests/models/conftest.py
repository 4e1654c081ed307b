"""A small table of the bundled Adult data, whole and with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly


@pytest.fixture(scope="session")
def adult() -> tuple[pd.DataFrame, pd.Series, list[str]]:
    """Features, outcome, and the names of the categories."""
    data = ifonly.datasets.load("adult")
    return data.features[:3000], data.outcome[:3000], list(data.categorical)


@pytest.fixture(scope="session")
def categories(adult: Any) -> pd.DataFrame:
    """The features with categorical dtypes, as boosting libraries take them."""
    features: pd.DataFrame
    features, _, names = adult
    return features.astype(dict.fromkeys(names, "category"))


@pytest.fixture(scope="session")
def gaps(categories: pd.DataFrame) -> pd.DataFrame:
    """The same with a tenth of ages and of occupations missing."""
    rng = np.random.default_rng(0)
    with_gaps = categories.astype({"age": "float64"})
    for name in ("age", "occupation"):
        with_gaps.loc[rng.random(len(with_gaps)) < 0.1, name] = None
    return with_gaps
