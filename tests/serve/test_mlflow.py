"""An explainer as a model of MLflow; MLflow itself is large, and its import is stood in for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly.errors import MissingExtra

DATA = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What MLflow was given to save."""
    kept: dict[str, Any] = {}
    parts: dict[str, Any] = {
        "mlflow": {},
        "mlflow.pyfunc": {
            "PythonModel": object,
            "save_model": lambda path, **given: kept.update(given, path=path),
        },
        "mlflow.models": {"ModelSignature": dict},
        "mlflow.types": {},
        "mlflow.types.schema": {"ParamSchema": list, "ParamSpec": lambda *given, **_: given},
    }
    for name, content in parts.items():
        module: Any = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["mlflow"].pyfunc = sys.modules["mlflow.pyfunc"]  # type: ignore[attr-defined]
    yield kept
    sys.modules.pop("ifonly.serve.mlflow", None)


def test_a_saved_explainer_answers_rows_with_params(saved: dict[str, Any]) -> None:
    from ifonly.serve.mlflow import save_explainer

    rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=[0, 1])
    save_explainer("loans", ifonly.Explainer(rich, data=DATA), pip_requirements=["ifonly"])
    assert saved["path"] == "loans"
    assert saved["pip_requirements"] == ["ifonly"]
    assert {name for name, *_ in saved["signature"]["params"]} == {"k", "target", "rules", "seed"}
    params = {"k": 1, "target": "1", "rules": ["job fixed"], "seed": 0}
    rows = pd.DataFrame({"income": [10, 50], "job": ["a", "a"]})
    frame = saved["python_model"].predict(None, rows, params)
    assert frame["status"].tolist() == ["found", "already"]
    assert frame["sentence"][0] == "If only income were 41 (not 10): 1 (1.00)."
    first, second = json.loads(json.dumps(frame.to_dict("records"), allow_nan=False))
    assert (first["query"], first["answer"], first["income"]) == (0, 0, 41)
    assert (second["query"], second["income"]) == (1, None)
    assert len(saved["python_model"].predict(None, rows)) == 8


def test_without_mlflow_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    monkeypatch.delitem(sys.modules, "ifonly.serve.mlflow", raising=False)
    with pytest.raises(MissingExtra, match="'mlflow'"):
        import ifonly.serve.mlflow  # noqa: F401
