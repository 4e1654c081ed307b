"""What a searcher is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@runtime_checkable
class Searcher(Protocol):
    """A way to propose candidates.

    What it proposes for a row depends on that row, its random stream and the options alone, so
    that the row gets the same in any batch. Whatever it returns with a positive margin obeys the
    rules; it may return fewer than k such points, and far more.
    """

    def search(self, problem: Problem, k: int) -> Pool:
        """Candidates for every row, with their margins."""
