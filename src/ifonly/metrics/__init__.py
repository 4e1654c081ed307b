"""How good a set of counterfactuals is, ours or a stranger's."""

from ifonly.metrics.sets import set_metrics
from ifonly.metrics.table import evaluate, summary

__all__ = ["evaluate", "set_metrics", "summary"]
