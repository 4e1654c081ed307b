"""Search by the paper's method: descend its loss over whole sets from random starts.

A row whose set has a fault, a point that is invalid or stands there twice, is started again with
other draws as long as there are restarts; every set that was reached joins the pool. The model's
gradient decides where the arrays live: a torch module is searched on its own device.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from array_api_compat import array_namespace, device, to_device

from ifonly.arrays.keys import uniforms
from ifonly.errors import ModelError, OptionError, nearest
from ifonly.models import Counted
from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.shifted import Shifted
from ifonly.models.relayed import blocks_of, in_threads
from ifonly.objective import L1, L2, ClassMargin, Hinge, Loss, Margin, RangeMargin
from ifonly.objective.margin import Logits
from ifonly.problem.goal import Goal
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.descent import Pace, descend

YLOSSES = {"hinge": Hinge, "l1": L1, "l2": L2}


@dataclass(frozen=True)
class Gradient:
    """Sets of k by gradient descent on the paper's loss.

    Parameters
    ----------
    lambda1
        The weight of the distance in the loss.
    lambda2
        The weight of the diversity in the loss.
    restarts
        How often a row starts again whose set has an invalid or repeated point.
    alone
        Whether each point of a set is a descent of its own that sees no other (RandomInitCF).
    summed
        Whether the distance is that of the authors' code, which sums over one-hot columns where
        the paper's text averages over features.
    yloss
        The loss of the outcome: 'hinge', or 'l1' or 'l2' on the probability, which the paper
        argues against.
    pace
        The step, the number of steps, and when a row stops.

    Raises
    ------
    OptionError
        There is no such loss.

    Examples
    --------
    >>> Gradient(lambda2=0.5).yloss
    'hinge'
    """

    lambda1: float = 0.5
    lambda2: float = 1.0
    restarts: int = 3
    alone: bool = False
    summed: bool = False
    yloss: str = "hinge"
    pace: Pace = field(default_factory=Pace)
    needs: ClassVar[frozenset[str]] = frozenset({"gradient"})
    needed: ClassVar[bool] = False  # the paper's answers, as they come
    tight: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.yloss not in YLOSSES:
            raise OptionError(f"There is no yloss {self.yloss!r}.", nearest(self.yloss, YLOSSES))

    def search(self, problem: Problem, k: int) -> Pool:
        """The sets that the descents end in, and those of the restarts."""
        pool = self._descended(problem, k, attempt=0)
        for attempt in range(1, self.restarts + 1):
            good = pool.without_repeats().valid.sum(axis=1)
            faulty = np.flatnonzero(good < k)
            if not len(faulty) or problem.spent:
                break
            again = self._descended(problem.take(faulty), k, attempt)
            pool = pool.join(again.spread(faulty, len(problem.x)))
        return pool

    def _descended(self, problem: Problem, k: int, attempt: int) -> Pool:
        if self.alone and k > 1:
            repeated = np.repeat(np.arange(len(problem.x)), k)
            starts = self._starts(problem, k, attempt).reshape(len(repeated), 1, -1)
            codes = self._descend(problem.take(repeated), starts)
            codes = codes.reshape(len(problem.x), k, -1)
        else:
            codes = self._descend(problem, self._starts(problem, k, attempt))
        return _asked(problem, codes)

    def _starts(self, problem: Problem, k: int, attempt: int) -> Any:
        w, purpose, home = problem.space.offsets[-1], 100 + attempt, _home(problem)
        if "cuda" in str(device(home)):
            from ifonly.search.device.draws import draws

            drawn: Any = draws(problem.stream, k * w, purpose, home.device)
        else:
            precision = np.float64 if isinstance(home, np.ndarray) else np.float32
            drawn = uniforms(problem.stream, k * w, purpose, precision)
        return drawn.reshape(len(problem.x), k, w)

    def _descend(self, problem: Problem, starts: Any) -> np.ndarray:
        """[q, k, d] the codes of where the descents end."""
        like = _home(problem)
        xp, place = array_namespace(like), device(like)
        # What is exact in double precision is computed where there is any.
        codes = xp.asarray(problem.x, device=place) if "cuda" in str(place) else problem.x
        units = problem.space.units(codes)
        low, high = unit_bounds(problem)
        x, low, high, begin = (
            xp.asarray(array, dtype=like.dtype, device=place)
            for array in (units, low, high, starts)
        )
        low, high = (xp.broadcast_to(one, (len(starts), *one.shape[1:])) for one in (low, high))
        k = starts.shape[1]
        loss = Loss.of(
            problem.space,
            problem.metric,
            x,
            _margin(problem, x, k),
            k,
            lambda1=self.lambda1,
            lambda2=0.0 if self.alone else self.lambda2,
            summed=self.summed,
            yloss=YLOSSES[self.yloss],
        )
        mend = partial(_mended, problem) if problem.relations else None
        pace = self.pace
        if problem.model.most_rows is not None:
            pace = replace(pace, steps=min(pace.steps, problem.model.left // (len(starts) * k)))
        steady = isinstance(problem.gradient, Dense)
        ended = descend(loss, problem.space, begin, low, high, pace=pace, mend=mend, steady=steady)
        steps = np.asarray(to_device(ended.steps, "cpu"))
        problem.model.count(int(steps.sum()) * k, int(steps.max(initial=0)))
        return _codes(problem, ended.points)


def _mended(problem: Problem, codes: Any, rows: Any) -> Any:
    """Codes [q, k, d] of some rows [q], moved to where the rules hold; the host does it."""
    xp = array_namespace(codes)
    host = [np.asarray(to_device(one, "cpu")) for one in (codes, rows)]
    part = problem.take(host[1])
    found = np.asarray(problem.space.round(host[0].astype(np.float64)))
    moved = part.repaired(part.box.clip(_own_values(part, found)))
    return xp.asarray(moved, dtype=codes.dtype, device=device(codes))


def _codes(problem: Problem, units: Any) -> np.ndarray:
    """float64 [q, k, d] of units [q, k, w], snapped where they lie: the codes are far fewer."""
    xp = array_namespace(units)
    # A value in single precision is near its place on the value grid, not on it.
    snapped = problem.space.round(xp.astype(problem.space.snap(units), xp.float64))
    flat = xp.reshape(xp.permute_dims(snapped, (2, 0, 1)), (-1,))  # stored feature by feature
    stored = np.asarray(to_device(flat, "cpu"))
    return stored.reshape(-1, *snapped.shape[:2]).transpose(1, 2, 0)


def _asked(problem: Problem, codes: np.ndarray) -> Pool:
    """The codes [q, k, d] as candidates, with their margins."""

    def ask(model: Counted, rows: np.ndarray) -> Pool:
        whole = len(rows) == len(codes)
        part = problem if whole else replace(problem.take(rows), model=model)
        return part.ask(part.box.clip(_own_values(part, codes if whole else codes[rows])))

    parts = in_threads(problem.model, ask, blocks_of(len(codes)))
    if len(parts) == 1:
        return parts[0]
    points, margin = zip(*((part.points, part.margin) for part in parts), strict=True)
    return Pool(np.concatenate(points), np.concatenate(margin))


def _own_values(problem: Problem, codes: np.ndarray) -> np.ndarray:
    """The codes [q, k, d] with a row's own value in place of the grid's nearest to it."""
    rounded = np.asarray(problem.space.round(problem.x))
    off = np.flatnonzero((rounded != problem.x).any(axis=1))
    if not len(off):
        return codes
    codes = codes.copy(order="K")
    own = rounded[off, None] == codes[off]
    codes[off] = np.where(own, problem.x[off, None], codes[off])
    return codes


def unit_bounds(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """[q, 1, w] twice: the box in units; [1, 1, w] where all rows have the same.

    A feature that cannot change has no room.
    """
    space, box, x = problem.space, problem.box, problem.x
    frozen = box.frozen()
    if len(x) > 1 and box.shared and not frozen.any():
        return unit_bounds(problem.take(np.arange(1)))
    own, w = problem.space.units(x), space.offsets[-1]
    low, high = np.zeros((w, 1, len(x))), np.ones((w, 1, len(x)))
    for j, (start, end) in enumerate(zip(space.offsets[:-1], space.offsets[1:], strict=True)):
        if space.continuous[j]:
            width = (space.high[j] - space.low[j]) or 1.0
            low[start] = (np.maximum(box.low[:, j], space.low[j]) - space.low[j]) / width
            high[start] = (np.minimum(box.high[:, j], space.high[j]) - space.low[j]) / width
        elif not box.every_level:
            level = np.arange(end - start) == x[:, j : j + 1]
            high[start:end, 0] = (box.levels[:, start:end] | (level & box.keep[:, j : j + 1])).T
        still = np.flatnonzero(frozen[:, j])
        low[start:end, 0, still] = high[start:end, 0, still] = own[still, start:end].T
    return low.transpose(2, 1, 0), high.transpose(2, 1, 0)


def _home(problem: Problem) -> Any:
    """An array of the namespace and device in which the model's gradient lives."""
    if problem.gradient is None:
        raise ModelError(
            "This problem was posed without a gradient.",
            "Ask with method='gradient', or use a searcher that needs none.",
        )
    home = getattr(problem.gradient, "home", None)
    return np.empty(0) if home is None else home()


def _margin(problem: Problem, x: Any, k: int) -> Margin:
    goal, model = problem.goal, problem.gradient
    assert model is not None
    if problem.model.classes:
        moved: Logits = model
        if goal.threshold is not None:
            moved = Shifted(model, goal.threshold)
        margin = ClassMargin.of(moved, goal.wanted, k, len(problem.model.classes), x)
        return margin if goal.beyond is None else replace(margin, short=_short(goal, x))
    xp = array_namespace(x)
    low = xp.asarray(goal.low[None], dtype=x.dtype, device=device(x))
    high = xp.asarray(goal.high[None], dtype=x.dtype, device=device(x))
    spread = problem.reference.scores.std() if len(problem.reference.scores) else 1.0
    return RangeMargin(model, low, high, unit=0.1 * float(spread or 1.0))


def _short(goal: Goal, x: Any) -> Any:
    """[1, q] the margin in logits of a margin in score; of more than two classes, the least."""
    assert goal.beyond is not None
    if goal.edge is None or goal.threshold is None:
        logits = np.log((1 + goal.beyond) / (1 - goal.beyond))
    else:
        odds = goal.edge / (1 - goal.edge), goal.threshold / (1 - goal.threshold)
        logits = np.abs(np.log(odds[0] / odds[1]))
    return array_namespace(x).asarray(logits[None], dtype=x.dtype, device=device(x))
