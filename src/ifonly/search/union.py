"""Several searchers as one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.searcher import Searcher, needs_of, propose


@dataclass(frozen=True)
class Union:
    """Everything that each of some searchers proposes and proves.

    Parameters
    ----------
    searchers
        The searchers.

    Examples
    --------
    >>> from ifonly.search import Edits, Neighbours
    >>> Union((Edits(), Neighbours()))
    Union(searchers=(Edits(width=24, depth=3), Neighbours(count=12)))
    """

    searchers: tuple[Searcher, ...]

    @property
    def needs(self) -> frozenset[str]:
        """What any of them needs."""
        return needs_of(*self.searchers)

    def search(self, problem: Problem, k: int) -> Pool:
        """All proposals side by side."""
        return self.prove(problem, k)[0]

    def prove(self, problem: Problem, k: int) -> tuple[Pool, Proof | None]:
        """All proposals side by side, and the highest of the bounds."""
        parts = [propose(searcher, problem, k) for searcher in self.searchers]
        proofs = [proof for _, proof in parts if proof is not None]
        pool = reduce(Pool.join, (pool for pool, _ in parts))
        return pool, reduce(Proof.join, proofs) if proofs else None
