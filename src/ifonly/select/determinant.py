"""k points near the row and far from each other.

Chooses the set S that maximises log det K_S - rate * sum of prices, greedily, then by exchanges.
Plain det would vanish as k grows and choose a cluster; its logarithm keeps the balance at every k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import Points, gather, pick
from ifonly.arrays.ranking import best
from ifonly.errors import OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select.exchange import Chosen, answer, empty, exchange, grow, kernel
from ifonly.space.distance import similarity

_INF = np.float32(np.inf)
_EXCHANGES = 10_000
_TIER = 1e-50  # no gain of the determinant makes up for it
_FAR = 1e6  # farther than any point


@dataclass(frozen=True)
class Determinant:
    """k points near the row and far from each other, by the determinant of their similarities.

    Parameters
    ----------
    diversity
        From 0, the k nearest, to 1, the widest set of the pool.
    nearest
        Whether the nearest valid point is the first answer.
    exchanges
        The largest number of exchanges.

    Raises
    ------
    OptionError
        The diversity is not a number from 0 to 1.

    Examples
    --------
    >>> Determinant(diversity=0.9)
    Determinant(diversity=0.9, nearest=True, exchanges=30)
    """

    diversity: float = 0.55
    nearest: bool = True
    exchanges: int = 30

    def __post_init__(self) -> None:
        if not _is_number(self.diversity) or not 0 <= self.diversity <= 1:
            raise OptionError(
                f"diversity is {self.diversity!r}.", "It goes from 0 (closest) to 1 (widest)."
            )

    @property
    def rate(self) -> float:
        """What a price of 1 takes from the value of a set."""
        return 0.25 * (1 - self.diversity) / self.diversity

    def with_diversity(self, diversity: float) -> Determinant:
        """The same selector at another diversity."""
        return replace(self, diversity=diversity)

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[Points, NDArray[np.bool_]]:
        """The chosen points, nearest first."""
        return answer(problem, self.choose(problem, pool, k))

    def choose(
        self,
        problem: Problem,
        pool: Pool,
        k: int,
        tier: NDArray[np.integer] | None = None,
        factor: NDArray[np.floating] | float = 1.0,
    ) -> Chosen:
        """The set as slots of the pool.

        A point of a higher `tier` [q, m] is taken only where none of a lower one is left. A
        `factor` [q, m] below 1 makes a point less worth; the nearest is taken all the same.
        """
        price = problem.price(pool.points)
        weight = self._weight(pool, price) * factor
        if tier is not None:
            weight = np.where(weight > 0, np.maximum(weight, _TIER) * _TIER**tier, 0.0)
            price = price + _FAR * tier
        return self._settle(problem, empty(pool.points, weight, k), price)

    def widen(self, problem: Problem, chosen: Chosen, more: Pool) -> Chosen:
        """The same set, exchanged on with `more` points in the pool."""
        pool = Pool(chosen.points, np.where(chosen.weight > 0, np.float32(1), -_INF)).join(more)
        price = problem.price(pool.points)
        centres = gather(chosen.points, chosen.slots)
        rows = (
            kernel(problem.metric, more.points[:, None], centres[:, :, None])
            * chosen.filled[:, :, None]
        )
        grown = Chosen(
            pool.points,
            self._weight(pool, price),
            chosen.slots,
            chosen.filled,
            np.concatenate([chosen.kernel, rows], axis=2),
        )
        if self.diversity <= 0:
            grown = empty(grown.points, grown.weight, grown.slots.shape[1])
        return self._settle(problem, grown, price)

    def _settle(self, problem: Problem, chosen: Chosen, price: NDArray[np.floating]) -> Chosen:
        if self.nearest:
            chosen = lock(problem, chosen, price)
        chosen = grow(problem.metric, chosen, spread=self.diversity > 0)
        if self.diversity <= 0:
            return chosen
        k = chosen.slots.shape[1]
        # One exchange betters a large set by next to nothing, and costs as k cubed.
        rounds = min(self.exchanges, max(1, _EXCHANGES // k))
        return exchange(
            problem.metric, chosen, locked=int(self.nearest), rounds=rounds, room=64 + 8 * k
        )

    def _weight(self, pool: Pool, price: NDArray[np.floating]) -> NDArray[np.float64]:
        """w = exp(-rate * price) [q, m], scaled so that the cheapest has 1; 0 where not valid."""
        price = price.astype(np.float64)
        if self.diversity <= 0:
            return np.where(pool.valid, similarity(price), 0.0)
        least = np.where(pool.valid, price, np.inf).min(1, keepdims=True, initial=np.inf)
        power = -self.rate * (price - np.minimum(least, 1e30))
        return np.where(pool.valid, np.exp(np.clip(power, -300.0, 0.0)), 0.0)


def lock(problem: Problem, chosen: Chosen, price: NDArray[np.floating]) -> Chosen:
    """The set with the nearest valid point at its first place.

    Where it stands at another place already, the two change places.
    """
    index, found = best(np.where(chosen.weight > 0, price, _INF), 1)
    slots, filled, rows = chosen.slots.copy(), chosen.filled.copy(), chosen.kernel.copy()
    first = pick(price, slots[:, :1])[:, 0]
    nearer = found[:, 0] & (~filled[:, 0] | (pick(price, index)[:, 0] < first))
    if not nearer.any():
        return chosen
    new = kernel(problem.metric, chosen.points, gather(chosen.points, index))
    same = filled & (pick(new, slots) == 1.0)
    for i in range(1, slots.shape[1]):
        turn = nearer & same[:, i]
        slots[turn, i], rows[turn, i] = slots[turn, 0], rows[turn, 0]
    slots[nearer, 0], rows[nearer, 0] = index[nearer, 0], new[nearer]
    filled[:, 0] |= nearer
    return replace(chosen, slots=slots, filled=filled, kernel=rows)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
