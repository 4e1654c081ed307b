"""Conformance kits: what a strategy, a Model or a Rule must do, as checks that anybody can run.

    from ifonly.testing import check_searcher
    check_searcher(MySearcher())

A kit raises an AssertionError that says which law was broken; nothing happens where all hold.
"""

from ifonly.testing.grammar import random_grammar, random_rule
from ifonly.testing.model import check_model
from ifonly.testing.models import MODEL_KINDS, random_model
from ifonly.testing.pools import random_pool
from ifonly.testing.problems import random_problem, random_rows, random_rules
from ifonly.testing.refiner import check_refiner
from ifonly.testing.rule import check_rule
from ifonly.testing.searcher import check_searcher
from ifonly.testing.selector import check_selector
from ifonly.testing.spaces import random_codes, random_frame, random_space

__all__ = [
    "MODEL_KINDS",
    "check_model",
    "check_refiner",
    "check_rule",
    "check_searcher",
    "check_selector",
    "random_codes",
    "random_frame",
    "random_grammar",
    "random_model",
    "random_pool",
    "random_problem",
    "random_rows",
    "random_rule",
    "random_rules",
    "random_space",
]
