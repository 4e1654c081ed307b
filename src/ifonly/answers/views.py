"""What there is to show of answers, row by row, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.plausible.reasons import RARE
from ifonly.render.view import AnswerView, Change, RowView
from ifonly.space import Continuous, Feature, OneHot, Space
from ifonly.space.table.values import value_of

LARGEST = 30.0
"""The largest margin that is shown: beyond it a score is 1, or hardly more than 0."""


def row_views(answers: AnswerData, rows: Iterable[int], *, named: bool = True) -> list[RowView]:
    """A view of each of some rows; `named` uses the user's names for features and classes."""
    name = answers.name if named else _itself
    shown = shown_features(answers.space, named=named)
    changed, distance = answers.changed(), answers.distance()
    follows = changed & ~answers.acted_features()
    same = _same_way(answers, changed)
    scores, row_scores = (
        shown_scores(s, answers.scores) for s in (answers.score, answers.row_score)
    )
    return [
        RowView(
            query=q,
            name=answers.index[q],
            values={one.name: one.value(answers.x[q]) for one in shown},
            prediction=name(answers.predicted[q]),
            score=float(row_scores[q]),
            wanted=name(answers.wanted[q]),
            status=str(answers.status[q]),
            note=answers.notes[q],
            others=answers.reached is not None and answers.wanted[q] == "other",
            scores=answers.scores,
            threshold=_threshold(answers, q),
            thousands=answers.space.thousands,
            answers=tuple(
                AnswerView(
                    changes=tuple(
                        one.change(answers.x[q], answers.points[q, a], follows[q, a])
                        for one in sorted(shown, key=lambda one: one.any_of(follows[q, a]))
                        if one.any_of(changed[q, a])
                    ),
                    prediction=name(answers.prediction(q, int(a))),
                    scores=answers.scores,
                    score=float(scores[q, a]),
                    distance=float(distance[q, a]),
                    extra=bool(answers.extra[q, a]),
                    resembles=bool(answers.extra[q, a] and same[q, a]),
                    odd=answers.usual is not None and bool(answers.usual[q, a] < RARE),
                    agreeing=None if answers.agreeing is None else float(answers.agreeing[q, a]),
                    tolerated=None if answers.tolerated is None else float(answers.tolerated[q, a]),
                    odd_by=tuple(
                        (one.name, one.value(answers.points[q, a]))
                        for one in shown
                        if answers.odd is not None and one.any_of(answers.odd[q, a])
                    ),
                )
                for a in np.flatnonzero(answers.filled[q])
            ),
        )
        for q in rows
    ]


def _same_way(answers: AnswerData, changed: np.ndarray) -> np.ndarray:
    """bool [q, k]: whether an unmarked one moves the same features, that way or to that level."""
    moved = answers.points - answers.x[:, None]
    ways = np.where(answers.space.continuous, np.sign(moved), answers.points)
    ways = np.where(changed, np.nan_to_num(ways, nan=np.inf), -np.inf)
    same = (ways[:, :, None] == ways[:, None]).all(axis=3)
    return np.asarray((same & (answers.filled & ~answers.extra)[:, None]).any(axis=2))


@dataclass(frozen=True)
class Shown:
    """A feature as a person reads it: columns that are one category are one."""

    name: str
    columns: list[int]
    features: tuple[Feature, ...]
    group: OneHot | None = None
    labels: Mapping[Any, str] = field(default_factory=dict)
    """The user's labels of its levels or, in a group, of its columns."""

    def any_of(self, flags: np.ndarray) -> bool:
        """Whether a flag [d] is up for one of its columns."""
        return bool(flags[self.columns].any())

    def value(self, codes: np.ndarray) -> Any:
        """Its value among codes [d]; the level of the columns that are set."""
        if self.group is None:
            value = value_of(self.features[0], codes[self.columns[0]])
            return self.labels.get(value, value) if self.labels else value
        names = [
            self.labels.get(one.name, self.group.level(one.name))
            for one, j in zip(self.features, self.columns, strict=True)
            if codes[j] == 1
        ]
        return " and ".join(names) or "none of these"

    def change(self, own: np.ndarray, point: np.ndarray, follows: np.ndarray) -> Change:
        """What a point changes of it."""
        numeric = isinstance(self.features[0], Continuous)
        values = self.value(own), self.value(point)
        return Change(self.name, *values, numeric, self.any_of(follows))


def shown_features(space: Space, *, named: bool = True) -> list[Shown]:
    """What is shown of the features of a space, in their order.

    Groups and the user's labels are only for what is `named`.
    """
    whole = [group for group in space.one_hot if named and group.name not in space.names]
    groups = {group.columns[0]: group for group in whole}
    inside = {name for group in groups.values() for name in group.columns}
    labels = space.labels if named else {}
    shown = []
    for name in space.names:
        group = groups.get(name)
        if group is None and name in inside:
            continue
        columns = [space.index(one) for one in (group.columns if group else (name,))]
        features = tuple(space.features[j] for j in columns)
        title = group.name if group else name
        pairs = [(key, text) for key, text in labels.items() if isinstance(key, tuple)]
        levels = {level: text for (owner, level), text in pairs if owner == name}
        parts = {one.name: labels[one.name] for one in features if one.name in labels}
        shown.append(
            Shown(labels.get(title, title), columns, features, group, parts if group else levels)
        )
    return shown


def _itself(thing: Any) -> Any:
    return thing


def shown_scores(scores: np.ndarray, kind: str) -> np.ndarray:
    """Scores of a kind as they are shown: those of a model of margins as margins again."""
    if kind != "margin":
        return scores
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(np.log(scores) - np.log1p(-scores), -LARGEST, LARGEST))


def _threshold(answers: AnswerData, q: int) -> float | None:
    """The score from which the model decides for the class that a row wants, one of two."""
    classes, wanted = list(answers.record.get("classes", ())), answers.wanted[q]
    if len(classes) != 2 or wanted not in classes or answers.scores in ("label", "number"):
        return None
    stated = [answers.record.get(name) for name in ("threshold", "decides_from")]
    lines = [float(one) for one in stated if one is not None]
    if not lines and answers.record.get("route") == "its decisions":  # which follow no line
        return None
    second = lines[0] if lines else 0.5
    line = second if wanted == classes[1] else 1.0 - second
    return float(shown_scores(np.array(line), answers.scores))
