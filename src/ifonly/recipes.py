"""The paper's method and its baselines, each a few lines over the parts.

A recipe has `explain`'s signature and returns Answers. It runs as the paper did: from random
starts, without restarts; repeats are dropped and gaps show as `partial`.
"""

from __future__ import annotations

from typing import Any

from ifonly.answers import Answers
from ifonly.explainer import explain
from ifonly.methods import Method
from ifonly.refine import Nothing, Refiner, Sparsify
from ifonly.search import Gradient
from ifonly.select import InOrder


def diverse_cf(
    model: Any, rows: Any, *, lambda1: float = 0.5, lambda2: float = 1.0, **options: Any
) -> Answers:
    """DiverseCF: the paper's loss over sets of k."""
    return _run(Gradient(lambda1, lambda2, restarts=0), Nothing(), model, rows, options)


def diverse_cf_sparse(
    model: Any, rows: Any, *, lambda1: float = 0.5, lambda2: float = 1.0, **options: Any
) -> Answers:
    """DiverseCF-Sparse: DiverseCF, then the paper's sparsity step."""
    return _run(Gradient(lambda1, lambda2, restarts=0), Sparsify(), model, rows, options)


def no_diversity_cf(
    model: Any, rows: Any, *, lambda1: float = 0.5, sparse: bool = False, **options: Any
) -> Answers:
    """NoDiversityCF: the loss without its diversity term."""
    refiner = Sparsify() if sparse else Nothing()
    return _run(Gradient(lambda1, 0.0, restarts=0), refiner, model, rows, options)


def random_init_cf(
    model: Any, rows: Any, *, lambda1: float = 0.5, sparse: bool = False, **options: Any
) -> Answers:
    """RandomInitCF: k single counterfactuals from k random starts."""
    refiner = Sparsify() if sparse else Nothing()
    return _run(Gradient(lambda1, 0.0, restarts=0, alone=True), refiner, model, rows, options)


def single_cf(model: Any, rows: Any, *, lambda1: float = 0.5, **options: Any) -> Answers:
    """SingleCF: one counterfactual a row, as Wachter et al. (2017) have it."""
    options = {**options, "k": 1}
    return _run(Gradient(lambda1, 0.0, restarts=0), Nothing(), model, rows, options)


def _run(
    searcher: Gradient, refiner: Refiner, model: Any, rows: Any, options: dict[str, Any]
) -> Answers:
    return explain(model, rows, method=Method(searcher, refiner, InOrder()), **options)
