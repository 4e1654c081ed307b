"""No refinement, for methods whose proposals are their answers."""

from __future__ import annotations

from dataclasses import dataclass

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@dataclass(frozen=True)
class Nothing:
    """The pool as it is.

    Examples
    --------
    >>> Nothing()
    Nothing()
    """

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        """The same pool."""
        return pool
