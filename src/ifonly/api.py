"""The one verb: from a model and rows to answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ifonly.answers import Answers
from ifonly.causal import CausalModel
from ifonly.explainer import Explainer
from ifonly.rules import Rule
from ifonly.space import Space
from ifonly.space.frame import Frame


def explain(
    model: Any,
    rows: Frame,
    *,
    data: Frame | None = None,
    target: Any = "opposite",
    k: int = 4,
    rules: Iterable[Rule | str] = (),
    row_rules: Any = None,
    causes: CausalModel | None = None,
    method: Any = "auto",
    seed: int = 0,
    space: Space | None = None,
    threshold: float | None = None,
    diversity: float = 0.55,
    sparsity: float = 0.5,
    effort: str = "auto",
    nearest: bool = True,
    minimal: bool = False,
    certify: bool | float = False,
    weights: Mapping[str, Any] | None = None,
    categorical: Iterable[str] = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    labels: Mapping[Any, str] | None = None,
    budget: Any = None,
    progress: Callable[[int, int], None] | None = None,
    keep: bool = False,
) -> Answers:
    """k ways in which each row would have got another outcome.

    `model` is a fitted estimator or pipeline, anything with `predict_proba` or `predict` on a
    DataFrame, or a function wrapped by `ifonly.as_model`. `data` is the frame of features that it
    was trained on; `target` is 'opposite', a class, a range (low, high) of a regressor, or a list
    with one of these for each row. `rules` hold for every row; `row_rules` gives single rows rules
    of their own, by position. With `causes`, an answer is an action and what follows from it.
    `certify` proves how near an answer can be at all, in at most so many seconds a row.

    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [1000, 3000, 5000], "debt": [0, 900, 200]})
    >>> lender = ifonly.as_model(lambda f: f["income"] - f["debt"] > 2500, classes=["no", "yes"])
    >>> answers = ifonly.explain(lender, data[1:2], data=data, k=2)
    >>> answers.status
    (<Status.FOUND: 'found'>,)
    """
    explainer = Explainer(
        model,
        data=data,
        space=space,
        rules=rules,
        causes=causes,
        method=method,
        diversity=diversity,
        sparsity=sparsity,
        effort=effort,
        nearest=nearest,
        minimal=minimal,
        certify=certify,
        weights=weights,
        categorical=categorical,
        ordinal=ordinal,
        labels=labels,
    )
    return explainer.explain(
        rows,
        target=target,
        k=k,
        threshold=threshold,
        row_rules=row_rules,
        seed=seed,
        budget=budget,
        progress=progress,
        keep=keep,
    )
