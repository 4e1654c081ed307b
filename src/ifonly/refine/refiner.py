"""What a refiner is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@runtime_checkable
class Refiner(Protocol):
    """A way to better candidates. What comes back joins the pool; it never replaces it."""

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        """Improved candidates for every row, with their margins.

        Parameters
        ----------
        problem
            The rows, the wanted outcome, the rules and the model.
        pool
            The candidates.

        Returns
        -------
        Pool
        """
