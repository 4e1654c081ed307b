"""Features, and the one bridge between rows of a DataFrame and arrays of numbers."""

from ifonly.space.cost import Cost, cost
from ifonly.space.distance import Metric
from ifonly.space.feature import Categorical, Column, Continuous, Feature, Ordinal
from ifonly.space.space import Space

__all__ = [
    "Categorical",
    "Column",
    "Continuous",
    "Cost",
    "Feature",
    "Metric",
    "Ordinal",
    "Space",
    "cost",
]
