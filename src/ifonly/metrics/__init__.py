"""How good a set of counterfactuals is, ours or a stranger's."""

from ifonly.metrics.table import evaluate, summary
from ifonly.metrics.sets import set_metrics

__all__ = ["evaluate", "set_metrics", "summary"]
