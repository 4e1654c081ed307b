"""Search by solving: the nearest answer of all, then the nearest unlike those before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ifonly.errors import OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.engine import Engine
from ifonly.search.exact.in_turn import answer_in_turn, hints_of


@dataclass(frozen=True)
class Exact:
    """k answers, each the nearest that changes other features than those before it.

    With `apart`, each lies at least that far from those before it instead. Answers are taken one
    after another and none is taken back: a row has fewer than k where nothing is left that far from
    those taken, although k answers that far apart may exist without the nearest. `limit` is the
    most seconds for an answer; what is found by then comes back with a bound.
    """

    limit: float | None = 60.0
    apart: float | None = None
    solves: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("limit", "apart"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise OptionError(f"{name} is {value!r}.", "It is a number above 0, or None.")

    def search(self, problem: Problem, k: int) -> Pool:
        """The answers of each row in the order in which they were found."""
        return self.prove(problem, k)[0]

    def prove(self, problem: Problem, k: int) -> tuple[Pool, Proof]:
        """The same answers, and the bound of the first.

        What the default search finds is known from the start: nothing dearer is looked at.
        """
        hints = hints_of(problem, Engine().search(problem, k))
        return answer_in_turn(problem, k, hints, self.limit, self.apart)
