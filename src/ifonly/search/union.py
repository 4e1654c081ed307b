"""Several searchers as one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.searcher import Searcher, needs_of


@dataclass(frozen=True)
class Union:
    """Everything that each of some searchers proposes."""

    searchers: tuple[Searcher, ...]

    @property
    def needs(self) -> frozenset[str]:
        """What any of them needs."""
        return needs_of(*self.searchers)

    def search(self, problem: Problem, k: int) -> Pool:
        """All proposals side by side."""
        return reduce(Pool.join, (searcher.search(problem, k) for searcher in self.searchers))
