"""How well answers tell where a model decides otherwise, near the row that they answer.

A person who has seen a row and its counterfactuals may guess of a new point that it shares the
outcome of whichever it is nearest to. This 1-nearest-neighbour guess is compared with the model on
points sampled around the row (the paper, section 'Approximating the local decision boundary').
The distance of that guess is the authors': the sum over features of |a - b| / MAD, a category that
differs counting 1; `distance="mean"` takes the distance that answers are chosen by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import OptionError, nearest
from ifonly.metrics.gathering import Sets
from ifonly.metrics.sampling import around
from ifonly.models import Model, adapt
from ifonly.problem.goal import Goal, resolve
from ifonly.space import Metric, Space
from ifonly.space.table.carry import tagged

CHUNK = 1_000_000
"""About how many numbers the sampled points of a chunk of rows hold."""
DISTANCES = ("sum", "mean")


def boundary(
    answers: Any,
    model: Any,
    radius: float | Sequence[float] = (0.5, 1.0, 2.0),
    *,
    samples: int = 1000,
    within: str = "sphere",
    distance: str = "sum",
    seed: int = 0,
) -> pd.DataFrame:
    """How well answers tell where the model decides otherwise: one line per row and radius.

    `precision`, `recall` and `f1` compare the outcome guessed from the nearest of row and answers
    with the model's; they are 0 where no point is guessed or none has the outcome. `share` is the
    share of sampled points with the wanted outcome.

    Parameters
    ----------
    answers
        Answers, or other counterfactuals from `ifonly.metrics.gather`.
    model
        What `ifonly.explain` takes.
    radius
        One radius or several, in median absolute deviations.
    samples
        How many points are drawn per row.
    within
        The shape that points are drawn from: 'sphere' or 'box'.
    distance
        The distance of the guess: 'sum' over features, as the authors', or 'mean', by which
        answers are chosen.
    seed
        The same seed gives the same points.

    Returns
    -------
    pd.DataFrame

    Raises
    ------
    OptionError
        The distance, the shape or a radius cannot be used.

    Examples
    --------
    >>> import ifonly
    >>> data = pd.DataFrame({"income": [10, 20, 30, 40, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 30, classes=["no", "yes"])
    >>> answers = ifonly.explain(rich, data[2:3], data=data, k=1)
    >>> table = boundary(answers, rich, radius=1)
    >>> table[["query", "radius", "precision", "recall", "f1"]].round(2).values.tolist()
    [[0.0, 1.0, 1.0, 1.0, 1.0]]
    """
    space = answers.space
    scale = _scale(answers, distance)
    adapted = adapted_to(answers, model)
    places = places_of(answers, adapted)
    goal = wanted_goal(answers, adapted)
    radii = [float(one) for one in np.atleast_1d(np.asarray(radius, dtype=np.float64))]
    tables = []
    for each in radii:
        for rows in _chunks(answers.x, samples):
            points = around(space, answers.x[rows], each, samples, within=within, seed=seed)
            asked = tagged(points, None if places is None else places[rows])
            truth = met(adapted, goal.take(rows), asked)
            guess = nearest_is_answer(space, scale, answers, rows, points)
            table = agreement(truth, guess)
            tables.append(pd.DataFrame({"query": rows, "radius": each, **table}))
    lines = pd.concat(tables, ignore_index=True)
    lines.insert(2, "answers", answers.filled.sum(axis=1)[lines["query"]])
    return lines.sort_values(["query", "radius"], ignore_index=True)


def met(model: Model, goal: Goal, points: np.ndarray) -> np.ndarray:
    """bool [q, n]: the points [q, n, d] to which the model gives the wanted outcome."""
    q, n, d = points.shape
    codes = points.reshape(-1, d)
    decided = None if goal.by_scores else model.decide(codes)
    scores = np.asarray(model.scores(codes)).reshape(q, n, -1)
    return goal.met(scores, None if decided is None else np.asarray(decided).reshape(q, n))


def wanted_goal(answers: Any, model: Model) -> Goal:
    """What each row wants, of the model as it decides about the rows."""
    threshold = answers.record.get("threshold")
    codes = tagged(answers.x, places_of(answers, model))
    scores, decided = np.asarray(model.scores(codes)), model.decide(codes)
    predicted = scores.argmax(axis=1) if decided is None else np.asarray(decided)
    if threshold is not None and len(model.classes) == 2:
        predicted = (scores[:, 1] >= threshold).astype(np.intp)
    wanted = answers.wanted if isinstance(answers, Sets) else list(answers.wanted)
    return resolve(wanted, model.classes, predicted, threshold=threshold)


def adapted_to(answers: Any, model: Any) -> Model:
    """The model over the space of answers, asked with the columns that their rows carry along."""
    space, carried = answers.space, answers.carried
    carried = None if carried is None else carried.to(space.library)
    return adapt(model, space, answers.x[:256], carried)


def places_of(answers: Any, model: Model) -> np.ndarray | None:
    """[q] where the carried columns of each row are, if the model takes any."""
    return None if getattr(model, "carried", None) is None else np.arange(len(answers.x))


def nearest_is_answer(
    space: Space, scale: np.ndarray, answers: Any, rows: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """bool [q, n]: the points [q, n, d] that are nearer to an answer than to the row itself."""
    known = Metric.of(space)
    metric = Metric(scale, known.mad, space.continuous, known.missing)
    own = metric.distance(points, answers.x[rows, None])
    guess = np.zeros(own.shape, dtype=bool)
    for place in range(answers.points.shape[1]):
        other = metric.distance(points, answers.points[rows, place, None])
        guess |= (other < own) & answers.filled[rows, place, None]
    return guess


def agreement(truth: np.ndarray, guess: np.ndarray) -> dict[str, np.ndarray]:
    """One array [q] a figure, of truth and guess [q, n]: of the wanted outcome and of the row's."""
    figures = {"share": truth.mean(axis=1), "accuracy": (truth == guess).mean(axis=1)}
    for prefix, real, said in (("", truth, guess), ("original_", ~truth, ~guess)):
        both = (real & said).sum(axis=1)
        precision = both / np.maximum(1, said.sum(axis=1))
        recall = both / np.maximum(1, real.sum(axis=1))
        total = precision + recall
        figures[f"{prefix}precision"], figures[f"{prefix}recall"] = precision, recall
        figures[f"{prefix}f1"] = 2 * precision * recall / np.where(total > 0, total, 1)
    return figures


def _scale(answers: Any, distance: str) -> np.ndarray:
    if distance not in DISTANCES:
        raise OptionError(f"There is no distance {distance!r}.", nearest(distance, DISTANCES))
    return np.ones(len(answers.space)) if distance == "sum" else answers.metric.scale


def _chunks(x: np.ndarray, samples: int) -> Iterator[np.ndarray]:
    size = max(1, CHUNK // (samples * x.shape[1]))
    for start in range(0, len(x), size):
        yield np.arange(start, min(start + size, len(x)))
