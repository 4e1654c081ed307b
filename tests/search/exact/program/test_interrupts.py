"""Ctrl-C stays Python's own while and after a solver has run."""

from __future__ import annotations

import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import ifonly


def test_a_solver_leaves_the_handler_of_ctrl_c_alone() -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.integers(0, 90, 200), "b": rng.integers(0, 30, 200)})
    model = LogisticRegression().fit(data, data["a"] + data["b"] > 60)
    rules = ["a + 2 * b <= 120", "a in steps of 5"]
    ifonly.explain(model, data[:4], data=data, k=2, method="exact", rules=rules)
    # Rules that clash are settled by the other solver.
    clash = ["a + b <= 3", "a at least 50"]
    ifonly.explain(model, data[:1], data=data, k=1, rules=clash)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
