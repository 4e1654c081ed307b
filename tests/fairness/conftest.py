"""A lender whose recourse is known: what each row lacks is a difference of incomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly


@pytest.fixture(scope="session")
def rows() -> pd.DataFrame:
    """80 applicants: `sex` is an input of the model, `region` is none."""
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "income": random.integers(10, 60, 80),
            "sex": random.choice(["f", "m"], 80),
            "region": random.choice(["north", "south"], 80),
        }
    )


@pytest.fixture(scope="session")
def lender() -> Any:
    """Grants from an income of 40 on, and 10 later to women."""
    return ifonly.as_model(
        lambda frame: frame["income"] >= np.where(frame["sex"] == "f", 50, 40),
        classes=["no", "yes"],
    )


@pytest.fixture(scope="session")
def audited(rows: pd.DataFrame, lender: Any) -> Callable[..., ifonly.Audit]:
    """An audit of these rows by sex, unless other options are given."""

    def ask(**given: Any) -> ifonly.Audit:
        about = given.pop("rows", rows)
        stated = {"data": rows[["income", "sex"]], "target": "yes", "groups": ["sex"], "least": 5}
        stated |= {"rules": ["sex fixed"], "k": 2}
        groups: Any = given.get("groups")
        named = isinstance(groups, list) and "region" in groups
        if "region" in about.columns and not named:
            about = about.drop(columns="region")
        return ifonly.audit(lender, about, **{**stated, **given})

    return ask
