"""Models of every kind behind one protocol."""

from ifonly.models.adapt import adapt
from ifonly.models.adapters.dense import Dense
from ifonly.models.counted import Counted
from ifonly.models.function import as_model
from ifonly.models.protocol import Differentiable, Model

__all__ = ["Counted", "Dense", "Differentiable", "Model", "adapt", "as_model"]
