"""Ways to better candidates."""

from ifonly.refine.give_back import GiveBack
from ifonly.refine.nothing import Nothing
from ifonly.refine.refiner import Refiner
from ifonly.refine.sparsify import Sparsify

__all__ = ["GiveBack", "Nothing", "Refiner", "Sparsify"]
