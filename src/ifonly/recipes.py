"""The paper's method and its baselines, each a few lines over the parts.

A recipe takes the options of an `Explainer` and of its `explain`, and returns Answers. Those that
descend run as the paper did: from random starts, without restarts; repeats are dropped and gaps
show as `partial`. The distance in their loss is that of the authors' code, which sums over one-hot
columns where the paper's text averages: with the averaged distance the diversity of large sets is
too weak to keep their points apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ifonly.answers import Answers
from ifonly.explainer import Explainer
from ifonly.refine import Nothing, Refiner, Sparsify
from ifonly.rules import Rule
from ifonly.search import Gradient, Searcher
from ifonly.search.descent import Pace
from ifonly.search.exact.mixed_integer import MixedInteger
from ifonly.select import Filtered, InOrder
from ifonly.solve.method import Method

PREPARED = ("data", "space", "categorical", "rules", "causes")
"""The options that an Explainer is made with; the others belong to a question."""
PATIENT = Pace(every=10, patience=12, stubborn=200)
"""Looks often and waits long, since nothing is started again."""


def diverse_cf(
    model: Any,
    rows: Any,
    *,
    lambda1: float = 0.5,
    lambda2: float = 1.0,
    yloss: str = "hinge",
    **options: Any,
) -> Answers:
    """DiverseCF: the paper's loss over sets of k answers.

    Parameters
    ----------
    model, rows
        As for `ifonly.explain`.
    lambda1
        The weight of the distance in the loss.
    lambda2
        The weight of the diversity in the loss.
    yloss
        The loss of the outcome: 'hinge', or 'l1' or 'l2' for comparison.
    **options
        Other options of `ifonly.Explainer` and of its `explain`: data, k, rules, target, seed.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70], "debt": [9, 4, 7, 3, 6, 0]})
    >>> model = LogisticRegression(max_iter=1000).fit(data, data["income"] > 45)
    >>> diverse_cf(model, data[2:3], data=data, k=2)
    <Answers: 1 rows, k=2: 1 found>
    """
    return _run(_descent(lambda1, lambda2, yloss=yloss), Nothing(), model, rows, options)


def diverse_cf_sparse(
    model: Any,
    rows: Any,
    *,
    lambda1: float = 0.5,
    lambda2: float = 1.0,
    filters: tuple[Rule, ...] = (),
    **options: Any,
) -> Answers:
    """DiverseCF-Sparse: DiverseCF, then the paper's sparsity step.

    Parameters
    ----------
    model, rows
        As for `ifonly.explain`.
    lambda1
        The weight of the distance in the loss.
    lambda2
        The weight of the diversity in the loss.
    filters
        Rules by which answers are dropped after the search, as in the paper; `rules` hold
        during the search.
    **options
        Other options of `ifonly.Explainer` and of its `explain`: data, k, rules, target, seed.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70], "debt": [9, 4, 7, 3, 6, 0]})
    >>> model = LogisticRegression(max_iter=1000).fit(data, data["income"] > 45)
    >>> diverse_cf_sparse(model, data[2:3], data=data, k=2)
    <Answers: 1 rows, k=2: 1 found>
    """
    return _run(_descent(lambda1, lambda2), Sparsify(), model, rows, options, filters)


def no_diversity_cf(
    model: Any, rows: Any, *, lambda1: float = 0.5, sparse: bool = False, **options: Any
) -> Answers:
    """NoDiversityCF: the loss without its diversity term.

    Parameters
    ----------
    model, rows
        As for `ifonly.explain`.
    lambda1
        The weight of the distance in the loss.
    sparse
        Whether the sparsity step of the paper follows.
    **options
        Other options of `ifonly.Explainer` and of its `explain`: data, k, rules, target, seed.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70], "debt": [9, 4, 7, 3, 6, 0]})
    >>> model = LogisticRegression(max_iter=1000).fit(data, data["income"] > 45)
    >>> no_diversity_cf(model, data[2:3], data=data, k=2)
    <Answers: 1 rows, k=2: 1 found>
    """
    refiner = Sparsify() if sparse else Nothing()
    return _run(_descent(lambda1, 0.0), refiner, model, rows, options)


def random_init_cf(
    model: Any, rows: Any, *, lambda1: float = 0.5, sparse: bool = False, **options: Any
) -> Answers:
    """RandomInitCF: k single counterfactuals from k random starts.

    Parameters
    ----------
    model, rows
        As for `ifonly.explain`.
    lambda1
        The weight of the distance in the loss.
    sparse
        Whether the sparsity step of the paper follows.
    **options
        Other options of `ifonly.Explainer` and of its `explain`: data, k, rules, target, seed.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70], "debt": [9, 4, 7, 3, 6, 0]})
    >>> model = LogisticRegression(max_iter=1000).fit(data, data["income"] > 45)
    >>> random_init_cf(model, data[2:3], data=data, k=2)
    <Answers: 1 rows, k=2: 1 found>
    """
    refiner = Sparsify() if sparse else Nothing()
    return _run(_descent(lambda1, 0.0, alone=True), refiner, model, rows, options)


def single_cf(model: Any, rows: Any, *, lambda1: float = 0.5, **options: Any) -> Answers:
    """SingleCF: one counterfactual per row, as in Wachter et al. (2017).

    Parameters
    ----------
    model, rows
        As for `ifonly.explain`.
    lambda1
        The weight of the distance in the loss.
    **options
        Other options of `ifonly.Explainer` and of its `explain`: data, k, rules, target, seed.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70], "debt": [9, 4, 7, 3, 6, 0]})
    >>> model = LogisticRegression(max_iter=1000).fit(data, data["income"] > 45)
    >>> single_cf(model, data[2:3], data=data)
    <Answers: 1 rows, k=1: 1 found>
    """
    return _run(_descent(lambda1, 0.0), Nothing(), model, rows, {**options, "k": 1})


def mixed_integer_cf(
    model: Any,
    rows: Any,
    *,
    special: Mapping[str, Sequence[float]] | None = None,
    limit: float | None = 60.0,
    **options: Any,
) -> Answers:
    """MixedIntegerCF: the nearest answers of a linear model, as in Russell (2019).

    No answer repeats a move of those before it: a category moves to a level once, a number is moved
    once. Where no further answer exists, the row is `partial`.

    Parameters
    ----------
    model, rows
        As for `ifonly.explain`.
    special
        Values of numbers that are moves of their own: {feature: values}.
    limit
        The most seconds per answer; None: no limit.
    **options
        Other options of `ifonly.Explainer` and of its `explain`: data, k, rules, target, seed.

    Returns
    -------
    Answers

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": [20, 30, 40, 50, 60, 70], "debt": [9, 4, 7, 3, 6, 0]})
    >>> model = LogisticRegression(max_iter=1000).fit(data, data["income"] > 45)
    >>> special = {"income": [60]}
    >>> answers = mixed_integer_cf(model, data[2:3], data=data, k=3, special=special)
    >>> answers.frame()["income"].to_list(), answers.status
    ([46, 60], (<Status.PARTIAL: 'partial'>,))
    """
    return _run(MixedInteger(special or {}, limit), Nothing(), model, rows, options)


def _descent(
    lambda1: float, lambda2: float, *, alone: bool = False, yloss: str = "hinge"
) -> Gradient:
    return Gradient(
        lambda1, lambda2, restarts=0, alone=alone, summed=True, yloss=yloss, pace=PATIENT
    )


def _run(
    searcher: Searcher,
    refiner: Refiner,
    model: Any,
    rows: Any,
    options: dict[str, Any],
    filters: tuple[Rule, ...] = (),
) -> Answers:
    selector = Filtered(InOrder(), filters) if filters else InOrder()
    prepared = {name: options.pop(name) for name in PREPARED if name in options}
    explainer = Explainer(model, method=Method(searcher, refiner, selector), **prepared)
    return explainer.explain(rows, **options)
