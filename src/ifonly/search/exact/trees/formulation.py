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
    apart: float | None
    """How far answers must lie from those taken; None where they change other features."""

    @classmethod
    def of(cls, problem: Problem, reading: Trees, apart: float | None) -> TreeFormulation:
        """The formulation of the one row of a problem."""
        choices = Choices.of(problem, reading)
        return cls(problem, choices, Leaves.of(problem, reading, choices), apart)

    @property
    def constrained(self) -> bool:
        """Whether relations or earlier answers may forbid the cheapest point of a box."""
        return bool(self.problem.relations) or self.apart is not None
