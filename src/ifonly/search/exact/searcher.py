"""Search by solving: the nearest answer of all, then the nearest of another way, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ifonly.errors import OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.exact.program.exclusions import ThisFar
from ifonly.search.exact.row_by_row import WAYS, hints_of, solve_rows
from ifonly.search.searcher import Searcher


@dataclass(frozen=True)
class Exact:
    """k answers, each the nearest that does not make all changes of one before it.

    A change is a number that goes up or down, or a category's new level. Every change of such an
    answer is needed, and no number can come nearer. One whose changes are some of those of another
    takes its place, if it is at most 2 % farther. Where no such answer is left, the nearest that
    changes other features than those before it fills a place; it is marked `extra` if a smaller
    change is enough.

    Answers are found one after another and none is revised: with `apart`, a row has fewer than k
    where nothing is left that is far enough from those found, although k such answers may exist
    without the nearest.

    Parameters
    ----------
    limit
        The most seconds for a search; what is found by then is returned with a bound. A row takes
        k searches, or a few more. None: no limit.
    apart
        The least distance of each answer from those before it, instead of other changes. Changes
        that keep it away need not be needed for the outcome: such an answer is marked `extra`.
    starts
        A searcher whose candidates the search starts from: no costlier point is considered.
        `explain` fills in the default engine where there is none.

    Raises
    ------
    OptionError
        `limit` or `apart` is not above 0.

    Examples
    --------
    >>> Exact(limit=5)
    Exact(limit=5, apart=None, starts=None)
    """

    limit: float | None = 60.0
    apart: float | None = None
    starts: Searcher | None = None
    needs: ClassVar[frozenset[str]] = frozenset({"reading"})
    in_order: ClassVar[bool] = True
    needed: ClassVar[bool] = True
    tight: ClassVar[bool] = True
    weighs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("limit", "apart"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise OptionError(f"{name} is {value!r}.", "It is a number above 0, or None.")

    def search(self, problem: Problem, k: int) -> Pool:
        """The answers of each row in the order in which they were found."""
        return self.prove(problem, k)[0]

    def prove(self, problem: Problem, k: int) -> tuple[Pool, Proof]:
        """The same answers, and the bound of the first."""
        starts = Pool.empty(problem.x) if self.starts is None else self.starts.search(problem, k)
        hints = hints_of(problem, starts, ways=self.apart is None)
        unlike = WAYS if self.apart is None else (ThisFar(distance=self.apart),)
        return solve_rows(problem, k, hints, self.limit, unlike)
