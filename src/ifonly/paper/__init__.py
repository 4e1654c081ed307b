"""The paper's evaluation, run again: its data sets, methods, metrics, figures and claims."""

from ifonly.paper.runs.cells import Cell, Plan
from ifonly.paper.runs.matrix import matrix
from ifonly.paper.runs.run import run
from ifonly.paper.runs.store import Store

__all__ = ["Cell", "Plan", "Store", "matrix", "run"]
