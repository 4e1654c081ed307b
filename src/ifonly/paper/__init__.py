"""The paper's evaluation, run again: its data sets, methods, metrics, figures and claims."""

from ifonly.paper.cells import Cell, Plan
from ifonly.paper.matrix import matrix
from ifonly.paper.running import run
from ifonly.paper.store import Store

__all__ = ["Cell", "Plan", "Store", "matrix", "run"]
