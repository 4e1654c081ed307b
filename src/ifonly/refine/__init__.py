"""Ways to better candidates."""

from ifonly.refine.give_back import GiveBack
from ifonly.refine.refiner import Refiner

__all__ = ["GiveBack", "Refiner"]
