"""What a searcher is, what it may need of a model, and a searcher that also proves something."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ifonly.errors import OptionError, nearest
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof

NEEDS = ("gradient", "reading", "surrogate")
"""What a strategy may need of a model beside its scores; the first two are fields of `Problem`."""


@runtime_checkable
class Searcher(Protocol):
    """A way to propose candidates.

    What it proposes for a row depends on that row, its random stream and the options alone, so
    that the row gets the same in any batch. Whatever it returns with a positive margin obeys the
    rules; it may return fewer than k such points, and far more.

    One that looks inside the model states it in `needs`, a set of names from `NEEDS`: the problem
    then has `problem.gradient` or `problem.reading`, and a model without one is refused.
    """

    def search(self, problem: Problem, k: int) -> Pool:
        """Candidates for every row, with their margins.

        Parameters
        ----------
        problem
            The rows, the wanted outcome, the rules and the model.
        k
            How many answers per row are wanted.

        Returns
        -------
        Pool
        """


def needs_of(*strategies: object) -> frozenset[str]:
    """What some strategies need of a model together; one that states nothing needs its scores.

    >>> from ifonly.search import Engine, Exact, Gradient, Union
    >>> sorted(needs_of(Engine(), Union((Union((Gradient(),)), Exact()))))
    ['gradient', 'reading']
    """
    needs = frozenset(need for one in strategies for need in getattr(one, "needs", ()))
    for need in sorted(needs.difference(NEEDS)):
        raise OptionError(f"A strategy needs {need!r} of a model.", nearest(need, NEEDS))
    return needs


@runtime_checkable
class Prover(Searcher, Protocol):
    """A searcher that proves how near an answer can be while it searches."""

    def prove(self, problem: Problem, k: int) -> tuple[Pool, Proof | None]:
        """What `search` returns, and what is proved of each row; None where nothing is tried."""


def proves(searcher: Searcher) -> bool:
    """Whether a searcher, or one of those that it joins, proves how near an answer can be."""
    joined: tuple[Searcher, ...] = getattr(searcher, "searchers", ())
    # Several times faster than a test for `Prover`.
    return any(map(proves, joined)) if joined else hasattr(searcher, "prove")


def propose(searcher: Searcher, problem: Problem, k: int) -> tuple[Pool, Proof | None]:
    """A searcher's candidates, and what it proves of the rows if it proves anything."""
    prove = getattr(searcher, "prove", None)
    return (searcher.search(problem, k), None) if prove is None else prove(problem, k)
