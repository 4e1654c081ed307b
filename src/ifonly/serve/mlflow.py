"""An `Explainer` as a model of MLflow: `mlflow models serve` answers questions about rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ifonly.explainer import Explainer

try:
    from mlflow import pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types.schema import ParamSchema, ParamSpec
except ImportError:
    from ifonly.errors import MissingExtra

    raise MissingExtra("mlflow", "mlflow") from None


class AnswersModel(pyfunc.PythonModel):  # type: ignore[misc]  # mlflow has no types here
    """Answers to rows, as a model of MLflow."""

    def __init__(self, explainer: Explainer) -> None:
        self.explainer = explainer

    def predict(
        self, context: Any, model_input: pd.DataFrame, params: dict[str, Any] | None = None
    ) -> pd.DataFrame:
        """One line per answer; a row without answers has one with the reason."""
        asked = dict(params or {})
        classes = {str(one): one for one in self.explainer.setting.model.classes}
        target = str(asked.pop("target", "opposite"))
        asked["rules"] = list(asked.get("rules", ()))
        answers = self.explainer.explain(
            model_input, target=classes.get(target, target), progress=False, **asked
        )
        said = {"status": map(str, answers.status), "sentence": answers.sentences()}
        lines = pd.DataFrame({"query": range(len(answers)), **said})
        lines = lines.explode("sentence", ignore_index=True)
        lines.insert(1, "answer", lines.groupby("query").cumcount())
        found = answers.frame().astype(object)  # whole numbers stay so where a row has no answer
        lines = lines.astype(object).merge(found, how="left", on=["query", "answer"])
        return lines.where(lines.notna(), None)  # JSON has no NaN


def save_explainer(path: str | Path, explainer: Explainer, **options: Any) -> None:
    """Save an explainer as a model of MLflow, for `mlflow models serve` or a registry.

    Its model and the rows that it was prepared with are in the file, as a pickle: whoever opens the
    folder must trust it.

    Parameters
    ----------
    path
        A folder that does not exist yet.
    explainer
        A prepared `Explainer`.
    options
        Further arguments of `mlflow.pyfunc.save_model`, such as `pip_requirements`.

    Examples
    --------
    >>> save_explainer("loans", explainer)  # doctest: +SKIP

    Then `mlflow models serve --model-uri loans` takes rows, with k, target, rules and seed as
    params.
    """
    params = ParamSchema(
        [
            ParamSpec("k", "integer", 4),
            ParamSpec("target", "string", "opposite"),
            ParamSpec("rules", "string", [], shape=(-1,)),
            ParamSpec("seed", "integer", 0),
        ]
    )
    pyfunc.save_model(
        str(path),
        python_model=AnswersModel(explainer),
        signature=ModelSignature(params=params),
        **options,
    )
