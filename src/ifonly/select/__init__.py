"""Ways to choose a set of answers."""

from ifonly.select.determinant import Determinant
from ifonly.select.filtered import Filtered
from ifonly.select.in_order import InOrder
from ifonly.select.polish import Polish
from ifonly.select.selector import Diverse, Selector
from ifonly.select.ways import Ways

__all__ = ["Determinant", "Diverse", "Filtered", "InOrder", "Polish", "Selector", "Ways"]
