"""The best set of all, to measure a selector by: what `Determinant` looks for, found for certain.

A set S has the value log det K_S - rate * sum of prices. A point adds to log det K_S the logarithm
of the variance that the points before it leave of its own, and that only shrinks as a set grows. So
r points never add more than the r largest gains of now, and most sets need not be looked at. It
still takes far longer than the selector: this is for tests and benchmarks, for pools of up to about
200 candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ifonly.arrays.ranking import best
from ifonly.errors import OptionError
from ifonly.problem.pool import Pool, repeated
from ifonly.problem.problem import Problem
from ifonly.select.determinant import Determinant
from ifonly.select.exchange import nearest_first
from ifonly.space.distance import similarity

_LEAST = 1e-12
"""The least variance that counts; what is below is rounding."""


@dataclass(frozen=True)
class ExactChoice:
    """The set of largest value, by the knobs of a `Determinant`."""

    choice: Determinant = field(default_factory=Determinant)

    def __post_init__(self) -> None:
        if not self.choice.diversity > 0:
            raise OptionError(
                f"diversity is {self.choice.diversity!r}.", "At 0 the k nearest are best: sort."
            )

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The best points [q, k, d], nearest first, and which places are filled [q, k]."""
        points = np.repeat(problem.x[:, None], k, axis=1)
        filled = np.zeros(points.shape[:2], dtype=bool)
        free = pool.valid & ~repeated(pool.points, pool.valid)
        first, _ = best(np.where(free, problem.price(pool.points), np.inf), 1)
        reward = -self.choice.rate * problem.price(pool.points)
        for row, own in enumerate(free):
            slots = np.flatnonzero(own)
            if not len(slots):
                continue
            kernel = _kernel(problem, pool.points[row, slots])
            locked = int(np.flatnonzero(slots == first[row, 0])[0]) if self.choice.nearest else None
            chosen = best_set(kernel, reward[row, slots], min(k, len(slots)), locked)
            points[row, : len(chosen)] = pool.points[row, slots[list(chosen)]]
            filled[row, : len(chosen)] = True
        return nearest_first(problem, points, filled)

    def values(self, problem: Problem, points: np.ndarray, filled: np.ndarray) -> np.ndarray:
        """[q] the values of sets points [q, k, d], of which some places are filled [q, k]."""
        both = filled[:, :, None] & filled[:, None, :]
        kernel = np.where(both, _kernel(problem, points), np.eye(points.shape[1]))
        prices = np.where(filled, problem.price(points), 0.0)
        return np.asarray(np.linalg.slogdet(kernel)[1] - self.choice.rate * prices.sum(axis=1))


def best_set(
    kernel: np.ndarray, reward: np.ndarray, k: int, first: int | None = None
) -> tuple[int, ...]:
    """The k of m distinct points with the largest log det K_S + sum of rewards.

    `kernel` [m, m] has no negative eigenvalue, `reward` [m] is a number for each point; `first` is
    a point that the set must have.

    >>> best_set(np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]]), np.zeros(3), 2)
    (1, 2)
    """
    if first is None:
        return tuple(sorted(_best(kernel, reward, k, -np.inf)[1]))
    if k == 1:
        return (first,)
    rest = np.delete(np.arange(len(reward)), first)
    more = _best(_left(kernel, first, rest), reward[rest], k - 1, -np.inf)[1]
    return tuple(sorted((first, *rest[list(more)].tolist())))


def _best(
    spread: np.ndarray, reward: np.ndarray, count: int, least: float
) -> tuple[float, tuple[int, ...]]:
    """What `count` points add at the most, and these; no points where that is not above `least`.

    `spread` [m, m] is what the points chosen before leave of the covariance.
    """
    gain = _log(np.diagonal(spread)) + reward
    if count == 1:
        i = int(gain.argmax())
        return (float(gain[i]), (i,)) if gain[i] > least else (least, ())
    if count == 2:
        return _best_pair(spread, reward, least)
    order = np.argsort(-gain, kind="stable")
    chosen: tuple[int, ...] = ()
    for place in range(len(order) - count + 1):
        if gain[order[place : place + count]].sum() <= least:
            break  # nor can what follows, which gains no more
        i, rest = int(order[place]), order[place + 1 :]
        left = _left(spread, i, rest)
        more, points = _best(left, reward[rest], count - 1, least - float(gain[i]))
        if points:
            least, chosen = float(gain[i]) + more, (i, *rest[list(points)].tolist())
    return least, chosen


def _best_pair(
    spread: np.ndarray, reward: np.ndarray, least: float
) -> tuple[float, tuple[int, ...]]:
    """The same for two points, all pairs at once."""
    variance = np.maximum(np.diagonal(spread), _LEAST)
    left = variance - spread**2 / variance[:, None]  # of the second, once the first is chosen
    value = _log(variance)[:, None] + _log(left) + reward[:, None] + reward
    np.fill_diagonal(value, -np.inf)
    i, j = np.unravel_index(int(value.argmax()), value.shape)
    return (float(value[i, j]), (int(i), int(j))) if value[i, j] > least else (least, ())


def _left(spread: np.ndarray, i: int, rest: np.ndarray) -> np.ndarray:
    """What point i leaves of the covariance of the rest."""
    column, own = spread[rest, i], max(spread[i, i], _LEAST)
    return np.asarray(spread[np.ix_(rest, rest)] - np.outer(column, column) / own)


def _log(variance: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(np.maximum(variance, _LEAST)))


def _kernel(problem: Problem, points: np.ndarray) -> np.ndarray:
    """[..., m, m] of points [..., m, d]; a kernel for which the bound does not hold is refused."""
    kernel = similarity(problem.metric.pairwise(points))
    if np.linalg.eigvalsh(kernel).min() < -_LEAST * kernel.shape[-1]:
        raise OptionError(
            "The kernel of these points has a negative eigenvalue, so that no bound holds.",
            "A missing value is as far from all others: leave out points that lack one.",
        )
    return np.asarray(kernel)
