"""Ways to better candidates."""

from ifonly.refine.nothing import Nothing
from ifonly.refine.refiner import Refiner
from ifonly.refine.shrink import Shrink
from ifonly.refine.sparsify import Sparsify

__all__ = ["Nothing", "Refiner", "Shrink", "Sparsify"]
