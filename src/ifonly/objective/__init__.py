"""The paper's loss over sets of counterfactuals, one term a file, each with its gradient.

A set goes in, one number per row comes out: no term is ever computed on a single point of a set.
Points stand *feature-major*, as [w, k, q]: the rows are the last axis, so that a step over all rows
is one long pass through memory, and what mixes the columns or the points of a set (the model's
layers, the pairs of a set) is one matrix product for all rows.
"""

from ifonly.objective.hinge import Hinge
from ifonly.objective.l1 import L1
from ifonly.objective.l2 import L2
from ifonly.objective.loss import Loss
from ifonly.objective.margin import ClassMargin, RangeMargin
from ifonly.objective.term import Margin, Outcome, Term

__all__ = ["L1", "L2", "ClassMargin", "Hinge", "Loss", "Margin", "Outcome", "RangeMargin", "Term"]
