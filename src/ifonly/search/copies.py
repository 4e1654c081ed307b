"""Rows that already have the wanted outcome, whole and in part.

The nearest reference rows of the wanted outcome are real, so they reach it where edits of few
features do not; a partial copy keeps a random half of what such a row would change.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import Points, blank
from ifonly.arrays.ranking import best
from ifonly.problem.problem import Problem


def copies_of_neighbours(problem: Problem, count: int, copies: int) -> Points:
    """The `count` nearest rows of the wanted outcome, `copies` partial copies each.

    They come as [q, count*(1+copies), d]. Where fewer rows have the outcome, the row itself fills
    the places.
    """
    q, d = problem.x.shape
    count = min(count, len(problem.reference.codes))
    if not count:
        return blank(q, 0, d, problem.x.dtype)
    origin, known = problem.moves.origin, problem.reference.codes
    far = problem.metric.distance(known[None], problem.x[:, None, :])
    margin = problem.reference.margin(problem.goal, len(problem.x))
    index, found = best(np.where(margin > 0, far, np.float32(np.inf)), count)
    whole = known.T.take(index, axis=1)
    whole = np.where(found, whole, origin.T[:, :, None]).transpose(1, 2, 0)
    whole = problem.box.clip(whole)
    keep = halves(d, 1 + copies, count, problem.seed)
    out = np.where(keep, whole.transpose(2, 0, 1)[:, :, None], origin.T[:, :, None, None])
    return out.reshape(d, q, -1).transpose(1, 2, 0)


@lru_cache(maxsize=64)
def halves(d: int, copies: int, count: int, seed: int) -> NDArray[np.bool_]:
    """Which features [d, 1, copies, count] a copy takes over; the first copy takes all."""
    keep = np.random.default_rng([seed, 2]).random((d, 1, copies, count)) < 0.5
    keep[:, :, 0] = True
    return keep
