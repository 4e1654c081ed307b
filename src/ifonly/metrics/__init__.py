"""How good a set of counterfactuals is, ours or a stranger's."""

from ifonly.metrics.boundary import boundary
from ifonly.metrics.gathering import Sets, gather
from ifonly.metrics.sampling import around
from ifonly.metrics.sets import set_metrics
from ifonly.metrics.table import evaluate, summary

__all__ = ["Sets", "around", "boundary", "evaluate", "gather", "set_metrics", "summary"]
