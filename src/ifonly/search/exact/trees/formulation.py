"""What is asked of one row of a model of trees."""

from __future__ import annotations

from dataclasses import dataclass

from ifonly.models.reading import Trees
from ifonly.problem.problem import Problem
from ifonly.search.exact.trees.choices import Choices
from ifonly.search.exact.trees.leaf_boxes import Leaves


@dataclass(frozen=True, eq=False)
class TreeFormulation:
    """A row, the values of it that matter to the trees, and their leaves as boxes of these."""

    problem: Problem
    """Of one row."""
    choices: Choices
    leaves: Leaves

    @classmethod
    def of(cls, problem: Problem, reading: Trees) -> TreeFormulation:
        """The formulation of the one row of a problem."""
        choices = Choices.of(problem, reading)
        return cls(problem, choices, Leaves.of(problem, reading, choices))
