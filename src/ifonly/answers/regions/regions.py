"""What holds around rows and around answers: maximal boxes in which the outcome stays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ifonly.answers.pages import AnswerPages
from ifonly.answers.regions.region import Region, rule_lines, sentence_of
from ifonly.bounds.boxes import Boxes
from ifonly.bounds.grow import grown
from ifonly.bounds.outcome import Outcome
from ifonly.errors import OptionError
from ifonly.problem.goal import Goal
from ifonly.render.view import value_text
from ifonly.solve.short.solver import read_once
from ifonly.solve.source import Source
from ifonly.space.table.frame import Frame
from ifonly.space.table.values import value_of

WORK = 2048
"""The most parts of what a side adds that are looked at."""


@dataclass(frozen=True, eq=False)
class AnswerRegions(AnswerPages):
    """The part of `Answers` that says how far outcomes hold."""

    def region(self, row: int, answer: int | None = None) -> Region:
        """Where a row's outcome holds, or that of one of its answers, whatever else changes.

        A box around the row is grown, a side at a time, the side first that takes in the largest
        share of the data's values of its feature, until no side can move out by one step of its
        grid. Features do not leave their known ranges. It is proved where the model can be read;
        otherwise points are drawn, and the region says so. Rules are not looked at.

        Parameters
        ----------
        row
            The position of the row.
        answer
            The position of an answer: the region in which its outcome holds. None: the row's own.

        Returns
        -------
        Region

        Raises
        ------
        OptionError
            There is no such row or answer, the row was not predicted, the answers were saved, or
            the model takes columns that are carried along.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> data = pd.DataFrame({"income": [10, 30, 50, 70], "debt": [5, 0, 9, 2]})
        >>> model = DecisionTreeClassifier().fit(data, ["no", "no", "yes", "yes"])
        >>> answers = ifonly.explain(model, data[:1], data=data, k=1)
        >>> answers.region(0)
        Region(rules=('income at most 40',), sentence='no as long as income is at most 40.', ...)
        >>> print(answers.region(0, answer=0))
        yes as long as income is at least 41.
        """
        self._check_row(row)
        row %= len(self)
        source = self.asked_further()
        if not source.batch.known[row]:
            raise OptionError(f"Row {row} has no prediction.", "Ask for another row.")
        if answer is None:
            point, goal = self.x[[row]], _own(self, source, row)
        elif not (-self.k <= answer < self.k and self.filled[row, answer]):
            raise OptionError(
                f"Row {row} has no answer {answer!r}.", "answers.frame() lists those there are."
            )
        else:
            point, goal = self.points[[row], answer], source.batch.goal.take(np.array([row]))
        boxes, share = _grown(source, goal, self.x[[row]], point)
        said = self.predicted[row] if answer is None else self.prediction(row, answer)
        coverage, precision = _over_data(source, goal, boxes)
        return Region(
            rule_lines(boxes),
            sentence_of(
                _outcome_text(self, said, goal), boxes, share[0], name=self.name, show=self._show
            ),
            coverage,
            precision,
            bool(share[0] == 1),
            float(share[0]),
        )

    def tolerances(self) -> Frame:
        """One line per answer and feature: a maximal box in which the answer's outcome holds.

        A number may be anything between `low` and `high`, a category one of the levels in `values`,
        all at once. `free` says that every known value is inside. The boxes are grown as those of
        `region()`. `share` is 1 where the box is proved, else the share of its points that have the
        outcome, a lower bound with a confidence of 95 %.

        Returns
        -------
        Frame

        Raises
        ------
        OptionError
            The answers were saved, or the model takes columns that are carried along.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> data = pd.DataFrame({"income": [10, 30, 50, 70], "debt": [5, 0, 9, 2]})
        >>> model = DecisionTreeClassifier().fit(data, ["no", "no", "yes", "yes"])
        >>> answers = ifonly.explain(model, data[:1], data=data, k=1)
        >>> answers.tolerances()[["feature", "values", "low", "high", "free", "share"]]
          feature    values   low  high   free  share
        0  income  41 to 70  41.0  70.0  False    1.0
        1    debt    0 to 9   0.0   9.0   True    1.0
        """
        source, (rows, places) = self.asked_further(), np.nonzero(self.filled)
        points, d = self.points[self.filled], len(self.space)
        goal = source.batch.goal.take(rows)
        boxes, share = _grown(source, goal, self.x[rows], points)
        lines = [_values(boxes[[one]], j, self._show) for one in range(len(rows)) for j in range(d)]
        columns = {
            "query": np.repeat(rows, d),
            "answer": np.repeat(places, d),
            "feature": list(self.space.names) * len(rows),
            "values": [text for text, _ in lines],
            "low": boxes.low.ravel(),
            "high": boxes.high.ravel(),
            "free": np.array([free for _, free in lines], dtype=bool),
            "share": np.repeat(share, d),
        }
        return self._table(columns, columns["query"].tolist())

    def _show(self, value: Any) -> str:
        return value_text(value, self.space.thousands)


def _grown(
    source: Source, goal: Goal, x: np.ndarray, points: np.ndarray
) -> tuple[Boxes, np.ndarray]:
    """Maximal boxes around points [n, d] of rows x [n, d], and how sure each is [n]."""
    setting = source.setting
    if getattr(setting.model, "carried", None) is not None:
        raise OptionError(
            "The model takes columns that are carried along: what holds around a row is not known.",
            "Fit it without them.",
        )
    reading = read_once(setting)[0] if setting.reading is None else setting.reading
    if reading is not None and reading.space != setting.space:
        reading = None  # a row has a level that the data do not have
    outcome = Outcome.of(setting.model, goal, reading, x)
    data = _data(source)
    holds = lambda boxes, of: outcome.least(boxes, of, WORK) > 0  # noqa: E731
    boxes = grown(setting.space, points, data, holds)
    return boxes, outcome.certainty(boxes, np.arange(len(points)))


def _data(source: Source) -> np.ndarray:
    """[n, d] the rows of the data, or none where they were not given."""
    known = source.setting.readable
    assert known is not None, "prepare() has stated it"
    return np.asarray(known.data if known.given else known.data[:0])


def _own(answers: AnswerRegions, source: Source, row: int) -> Goal:
    """The goal of keeping a row's own outcome: its class, or its side of a range."""
    goal, classes = source.batch.goal.take(np.array([row])), source.setting.model.classes
    if classes:
        wanted = np.array([classes.index(answers.predicted[row])])
        return replace(goal, wanted=wanted, avoided=None)
    value, low, high = answers.predicted[row], goal.low[0], goal.high[0]
    if low <= value <= high:
        return goal
    ends = (
        (-np.inf, np.nextafter(low, -np.inf))
        if value < low
        else (np.nextafter(high, np.inf), np.inf)
    )
    return replace(goal, low=np.array([ends[0]]), high=np.array([ends[1]]))


def _outcome_text(answers: AnswerRegions, said: Any, goal: Goal) -> str:
    """The outcome that holds: a class, or a range of numbers."""
    if goal.wanted[0] >= 0:
        return answers._show(answers.name(said))
    low, high = float(goal.low[0]), float(goal.high[0])
    if np.isinf(low):
        return f"at most {answers._show(high)}"
    return f"at least {answers._show(low)}" if np.isinf(high) else answers._show((low, high))


def _over_data(source: Source, goal: Goal, boxes: Boxes) -> tuple[float, float]:
    """The share of the data in the first box, and the share of that with the outcome."""
    data = _data(source)
    inside = data[boxes.contain(data)[0].all(axis=1)]
    if not len(inside):
        return (0.0 if len(data) else np.nan), np.nan
    outcome = Outcome.of(source.setting.model, goal, None, data[:1])
    right = outcome.decided(inside, np.zeros(len(inside), dtype=np.intp))
    return len(inside) / len(data), float(right.mean())


def _values(boxes: Boxes, j: int, show: Any) -> tuple[str, bool]:
    """What the first box has of a feature, as text, and whether that is all that is known."""
    space, feature = boxes.space, boxes.space.features[j]
    parts, free = [], bool(boxes.missing[0, j]) or not feature.missing
    if space.continuous[j]:
        ends = [boxes.low[0, j], boxes.high[0, j]]
        if not np.isnan(ends[0]):
            texts = list(dict.fromkeys(show(value_of(feature, end)) for end in ends))
            parts.append(" to ".join(texts))
        free &= bool(ends[0] <= space.low[j] and ends[1] >= space.high[j])
    else:
        inside = boxes.levels[0, space.offsets[j] : space.offsets[j + 1]]
        parts += [show(value_of(feature, float(code))) for code in np.flatnonzero(inside)]
        free &= bool(inside.all())
    return ", ".join([*parts, *(["missing"] if boxes.missing[0, j] else [])]), free
