"""Models of one small table, each fitted once."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from .small_table import NUMBERS, OUTCOME


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    kinds = {
        "linear": LogisticRegression(),
        "network": MLPClassifier((4,), random_state=0, max_iter=400, learning_rate_init=0.02),
        "forest": RandomForestClassifier(10, max_depth=4, random_state=0),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    }
    return {name: kind.fit(NUMBERS, OUTCOME) for name, kind in kinds.items()}
