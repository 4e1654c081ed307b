"""What a searcher is, and a searcher that also proves something."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof


@runtime_checkable
class Searcher(Protocol):
    """A way to propose candidates.

    What it proposes for a row depends on that row, its random stream and the options alone, so
    that the row gets the same in any batch. Whatever it returns with a positive margin obeys the
    rules; it may return fewer than k such points, and far more.
    """

    def search(self, problem: Problem, k: int) -> Pool:
        """Candidates for every row, with their margins."""


@runtime_checkable
class Prover(Searcher, Protocol):
    """A searcher that proves how near an answer can be while it searches."""

    def prove(self, problem: Problem, k: int) -> tuple[Pool, Proof | None]:
        """What `search` returns, and what is proved of each row; None where nothing is tried."""


def propose(searcher: Searcher, problem: Problem, k: int) -> tuple[Pool, Proof | None]:
    """A searcher's candidates, and what it proves of the rows if it proves anything."""
    if isinstance(searcher, Prover):
        return searcher.prove(problem, k)
    return searcher.search(problem, k), None
