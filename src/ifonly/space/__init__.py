"""Features, and the one bridge between rows of a DataFrame and arrays of numbers."""

from ifonly.space.cost import Cost, cost
from ifonly.space.distance import Metric
from ifonly.space.feature import Categorical, Column, Continuous, Feature, Ordinal
from ifonly.space.one_hot import OneHot
from ifonly.space.space import Space

__all__ = [
    "Categorical",
    "Column",
    "Continuous",
    "Cost",
    "Feature",
    "Metric",
    "OneHot",
    "Ordinal",
    "Space",
    "cost",
]
