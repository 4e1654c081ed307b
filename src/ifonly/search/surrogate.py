"""A search of a cheap model in place of a slow one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ifonly.errors import OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.searcher import Searcher

FEWEST = 10
"""The fewest model rows with which a row can be answered."""


@dataclass(frozen=True)
class Surrogate:
    """A search for slow models: a cheap model proposes, the model itself judges.

    The cheap model is fitted while the model is prepared, to what it says about at most 500 rows,
    and corrected by what it says about the proposals for each row, round after round.

    Parameters
    ----------
    searcher
        What searches the cheap model; by default the engine.
    model_rows
        How many rows the model is asked about for each row, beside its prediction and the judge's
        last look at the k answers.

    Raises
    ------
    OptionError
        `model_rows` is not a whole number of 10 or more.

    Examples
    --------
    >>> Surrogate(model_rows=40).model_rows
    40
    """

    searcher: Searcher | None = None
    model_rows: int = 110
    needs: ClassVar[frozenset[str]] = frozenset({"surrogate"})

    def __post_init__(self) -> None:
        rows: Any = self.model_rows
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < FEWEST:
            raise OptionError(
                f"model_rows is {rows!r}.", f"It is a whole number of {FEWEST} or more."
            )

    def search(self, problem: Problem, k: int) -> Pool:
        """The candidates of every row, by the model of the problem: the cheap one."""
        assert self.searcher is not None, "method_of() has filled it"
        return self.searcher.search(problem, k)
