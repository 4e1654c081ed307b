"""What a selector is."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@runtime_checkable
class Selector(Protocol):
    """A way to choose a set of answers from a pool.

    One that tells answers from what only fills a place has `marked`, which returns a third array.
    One that asks about further points has `from_pool`, a selector that makes the same choice among
    the points of a pool alone.
    """

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The chosen points, nearest first, and which places are filled.

        Parameters
        ----------
        problem
            The rows, the wanted outcome, the rules and the model.
        pool
            The candidates.
        k
            How many answers per row are wanted.

        Returns
        -------
        tuple of np.ndarray
            The points [q, k, d], and bool [q, k].
        """


@runtime_checkable
class Diverse(Selector, Protocol):
    """A selector with the knob `diversity`; its choice weighs the price of each point too."""

    def with_diversity(self, diversity: float) -> Self:
        """The same selector at another diversity.

        Parameters
        ----------
        diversity
            From 0, the closest answers, to 1, the widest.

        Returns
        -------
        Self
        """


def marked(
    selector: Selector, problem: Problem, pool: Pool, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a selector chooses, and bool [q, k]: what it says only fills a place."""
    choose = getattr(selector, "marked", None)
    if choose is not None:
        points, filled, fills = choose(problem, pool, k)
        return points, filled, fills
    points, filled = selector.select(problem, pool, k)
    return points, filled, np.zeros_like(filled)


def from_pool(selector: Selector) -> Selector:
    """The selector of the same choice that takes no points but those of its pool."""
    alone: Selector = getattr(selector, "from_pool", selector)
    return alone
