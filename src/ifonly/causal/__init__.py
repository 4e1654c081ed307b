"""What follows from an action: a graph of causes, an equation for each effect, and the rows."""

from ifonly.causal.boosted import Boosted
from ifonly.causal.causes import Causes
from ifonly.causal.equation import Coded, Equation
from ifonly.causal.linear import Linear
from ifonly.causal.model import CausalModel

__all__ = ["Boosted", "CausalModel", "Causes", "Coded", "Equation", "Linear"]
