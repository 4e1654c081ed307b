"""Fitted models read into an exact description over codes: layers, or a sum of trees."""

from ifonly.models.reading.check import check_reading, holds_around
from ifonly.models.reading.layers.layers import Layers
from ifonly.models.reading.points import beyond
from ifonly.models.reading.reading import Reading, read, sketched
from ifonly.models.reading.steps import code_at, span, step_below
from ifonly.models.reading.trees.leaves import Leaves, leaves_of
from ifonly.models.reading.trees.tree import Regions, Tree, regions
from ifonly.models.reading.trees.trees import Trees

__all__ = [
    "Layers",
    "Leaves",
    "Reading",
    "Regions",
    "Tree",
    "Trees",
    "beyond",
    "check_reading",
    "code_at",
    "holds_around",
    "leaves_of",
    "read",
    "regions",
    "sketched",
    "span",
    "step_below",
]
