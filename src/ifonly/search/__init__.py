"""Ways to propose candidates."""

from ifonly.search.edits import Edits
from ifonly.search.engine import Engine
from ifonly.search.exact.searcher import Exact
from ifonly.search.gradient import Gradient
from ifonly.search.neighbours import Neighbours
from ifonly.search.searcher import Searcher
from ifonly.search.surrogate import Surrogate
from ifonly.search.union import Union

__all__ = [
    "Edits",
    "Engine",
    "Exact",
    "Gradient",
    "Neighbours",
    "Searcher",
    "Surrogate",
    "Union",
]
