"""Sets of large determinant, grown and exchanged for all rows at once.

A set S of k points has the value det K_S * prod w_i, with K = 1/(1+distance) and w the weights of
its points. K is positive definite for distinct points, so the value falls to zero only for repeats.
Points that differ by next to nothing make it singular all the same, by rounding, and missing values
can make it indefinite; its eigenvalues are therefore bounded from below before it is inverted.

With B the inverse of K_S, U the kernel between the set and the pool, W = B U and
V_j = 1 - U_j . W_j, putting j for i multiplies the value by (B_ii V_j + W_ij^2) w_j / w_i: all
exchanges at once, without logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import Points, gather, pick, pick_columns
from ifonly.arrays.ranking import best
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.space import Metric
from ifonly.space.distance import similarity

Floats = NDArray[np.float64]

_BETTER = 1 + 1e-6  # an exchange must gain more than rounding
_LEAST = 1e-12  # of a distinct point's variance is always left, and the least eigenvalue of K


@dataclass(frozen=True)
class Chosen:
    """A pool and, for each row, the slots chosen from it so far."""

    points: Points
    """[q, m, d]"""
    weight: Floats
    """w [q, m]; 0 marks a slot that may not be chosen."""
    slots: NDArray[np.intp]
    """[q, k]"""
    filled: NDArray[np.bool_]
    """[q, k]"""
    kernel: Floats
    """U [q, k, m]; 0 in places not filled."""


class Chooser(Protocol):
    """A choice of k points that can go on when the pool grows."""

    def choose(self, problem: Problem, pool: Pool, k: int) -> Chosen:
        """k slots of the pool for each row, fewer where fewer are valid and distinct."""

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[Points, NDArray[np.bool_]]:
        """The chosen points, nearest first, and which places are filled."""

    def widen(self, problem: Problem, chosen: Chosen, more: Pool) -> Chosen:
        """The choice carried on with `more` points; its pool keeps what is worth keeping."""

    def with_diversity(self, diversity: float) -> Self:
        """The same choice at another diversity."""


def empty(points: Points, weight: Floats, k: int) -> Chosen:
    """No point chosen yet."""
    q, m, _ = points.shape
    return Chosen(
        points, weight, np.zeros((q, k), np.intp), np.zeros((q, k), bool), np.zeros((q, k, m))
    )


def kernel(metric: Metric, points: Points, centre: Points) -> Floats:
    """1/(1+distance) [...] between `points` [..., d] and `centre` [..., d]."""
    return np.asarray(similarity(metric.distance(points, centre).astype(np.float64)))


def grow(metric: Metric, chosen: Chosen, *, spread: bool = True) -> Chosen:
    """Each empty place filled with the point of most V_j w_j, while there are distinct ones.

    Without `spread` the weight alone counts. V is kept up to date by one column of a Cholesky
    factor for each place.
    """
    slots, filled, rows = chosen.slots.copy(), chosen.filled.copy(), chosen.kernel.copy()
    weight = chosen.weight.copy()
    left = np.ones(weight.shape)
    factors = np.zeros_like(rows)
    everyone = np.arange(len(slots))
    for i in range(slots.shape[1]):
        old = filled[:, i]
        if not old.all():
            gain = np.maximum(left, _LEAST) * weight if spread else weight
            slot = np.where(old, slots[:, i], gain.argmax(1))
            slots[:, i], filled[:, i] = slot, old | (gain[everyone, slot] > 0)
            rows[:, i] = (
                kernel(metric, chosen.points, gather(chosen.points, slot[:, None]))
                * filled[:, i, None]
            )
        weight[rows[:, i] == 1.0] = 0.0  # at distance 0: a repeat
        if spread and i + 1 < slots.shape[1]:  # nothing comes after the last
            slot = slots[:, i]
            known = factors[everyone, :i, slot][:, None, :]
            column = rows[:, i] - (known @ factors[:, :i])[:, 0]
            column *= (filled[:, i] / np.sqrt(np.maximum(left[everyone, slot], _LEAST)))[:, None]
            factors[:, i] = column
            left = left - column * column
    return replace(chosen, slots=slots, filled=filled, kernel=rows)


def answer(problem: Problem, chosen: Chosen) -> tuple[Points, NDArray[np.bool_]]:
    """The points [q, k, d], nearest first, and which places are filled [q, k]."""
    return nearest_first(problem, gather(chosen.points, chosen.slots), chosen.filled)


def exchange(metric: Metric, chosen: Chosen, *, locked: int, rounds: int, room: int) -> Chosen:
    """The best exchange of every row, again until no row gains; the first `locked` places stay.

    After the first look only the `room` most promising points of the pool are kept, and they alone
    go on.
    """
    k = chosen.slots.shape[1]
    if locked >= k or not rounds:
        return chosen
    chosen = _narrow(chosen, _gains(chosen, locked).max(1), room)
    slots, rows = chosen.slots.copy(), chosen.kernel.copy()
    active = np.flatnonzero(chosen.filled[:, locked:].any(1))
    for _ in range(rounds):
        if not len(active):
            break
        part = Chosen(
            chosen.points, chosen.weight[active], slots[active], chosen.filled[active], rows[active]
        )
        gain = _gains(part, locked).reshape(len(active), -1)
        flat = gain.argmax(1)
        better = pick(gain, flat[:, None])[:, 0] > _BETTER
        active = active[better]
        i, j = np.divmod(flat[better], rows.shape[2])
        points = chosen.points.transpose(2, 0, 1)[:, active].transpose(1, 2, 0)
        slots[active, i] = j
        rows[active, i] = kernel(metric, points, gather(points, j[:, None]))
    return replace(chosen, slots=slots, kernel=rows)


def _narrow(chosen: Chosen, gain: Floats, room: int) -> Chosen:
    """The chosen points, then the `room` points of most gain."""
    k = chosen.slots.shape[1]
    if gain.shape[1] <= room + k:
        return chosen
    gain = gain.copy()
    np.put_along_axis(gain, chosen.slots, -np.inf, axis=1)
    index = np.concatenate([chosen.slots, best(-gain, room)[0]], axis=1)
    weight = pick(chosen.weight, index)
    weight[:, :k] *= chosen.filled
    return Chosen(
        gather(chosen.points, index),
        weight,
        np.broadcast_to(np.arange(k), chosen.slots.shape),
        chosen.filled,
        pick_columns(chosen.kernel, index),
    )


def _gains(chosen: Chosen, locked: int) -> Floats:
    """What putting each point of the pool at each place multiplies the value by [q, k, m].

    A repeat of a chosen point gains nothing anywhere.
    """
    inner = pick_columns(chosen.kernel, chosen.slots)
    both = chosen.filled[:, :, None] & chosen.filled[:, None, :]
    inverse = _inverse(np.where(both, inner, np.eye(inner.shape[1])))
    turned = inverse @ chosen.kernel
    left = np.maximum(1.0 - np.einsum("qkm,qkm->qm", chosen.kernel, turned), 0.0)
    own = pick(chosen.weight, chosen.slots)
    free = chosen.filled & (own > 0)
    free[:, :locked] = False
    share = np.where(free, 1.0 / np.where(free, own, 1.0), 0.0)[:, :, None]
    diagonal = np.diagonal(inverse, axis1=1, axis2=2)[:, :, None]
    turned *= turned
    turned += diagonal * left[:, None]
    repeated = chosen.kernel.max(axis=1) == 1.0
    turned *= np.where(repeated, 0.0, chosen.weight)[:, None]
    turned *= share
    return turned


def _inverse(matrices: Floats) -> Floats:
    """The inverses of symmetric matrices [q, k, k], their eigenvalues raised to the least."""
    values, vectors = np.linalg.eigh(matrices)
    scaled = vectors / np.maximum(values, _LEAST)[:, None, :]
    return np.asarray(scaled @ vectors.transpose(0, 2, 1))


def nearest_first(
    problem: Problem, points: np.ndarray, filled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points [q, k, d] and their mask [q, k], nearest first; the row itself where none is."""
    price = np.where(filled, problem.price(points), np.inf)
    order = np.argsort(price, axis=1, kind="stable")
    filled = pick(filled, order)
    points = gather(points, order)
    row, place = np.nonzero(~filled)
    points[row, place] = problem.x[row]
    return points, filled
