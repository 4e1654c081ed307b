"""What there is to show of answers, row by row, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.render.view import AnswerView, Change, RowView
from ifonly.space import Continuous, Feature, OneHot, Space
from ifonly.space.codes import value_of

Naming = Callable[[Any], Any]
ODD = 0.01
"""The share of real rows below which an answer is said to be unusual."""


def row_views(answers: AnswerData, rows: Iterable[int], *, named: bool = True) -> list[RowView]:
    """A view of each of some rows; `named` uses the user's names for features and classes."""
    labels = answers.space.labels if named else {}

    def name(thing: Any) -> Any:
        return thing if isinstance(thing, tuple) else labels.get(thing, thing)

    shown = _shown(answers.space, named=named)
    changed, distance = answers.changed(), answers.distance()
    follows = changed & ~answers.acted_features()
    return [
        RowView(
            query=q,
            name=answers.index[q],
            values={name(one.name): one.value(answers.x[q]) for one in shown},
            prediction=name(answers.predicted[q]),
            score=float(answers.row_score[q]),
            wanted=name(answers.wanted[q]),
            status=str(answers.status[q]),
            note=answers.notes[q],
            others=answers.reached is not None and answers.wanted[q] == "other",
            answers=tuple(
                AnswerView(
                    changes=tuple(
                        one.change(answers.x[q], answers.points[q, a], follows[q, a], name)
                        for one in sorted(shown, key=lambda one: one.any_of(follows[q, a]))
                        if one.any_of(changed[q, a])
                    ),
                    prediction=name(answers.prediction(q, int(a))),
                    number=answers.regression,
                    score=float(answers.score[q, a]),
                    distance=float(distance[q, a]),
                    extra=bool(answers.extra[q, a]),
                    odd=answers.usual is not None and bool(answers.usual[q, a] < ODD),
                )
                for a in np.flatnonzero(answers.filled[q])
            ),
        )
        for q in rows
    ]


@dataclass(frozen=True)
class _Shown:
    """A feature as a person reads it: columns that are one category are one."""

    name: str
    columns: list[int]
    features: tuple[Feature, ...]
    group: OneHot | None = None

    def any_of(self, flags: np.ndarray) -> bool:
        """Whether a flag [d] is up for one of its columns."""
        return bool(flags[self.columns].any())

    def value(self, codes: np.ndarray) -> Any:
        """Its value among codes [d]; the level of the columns that are set."""
        if self.group is None:
            return value_of(self.features[0], codes[self.columns[0]])
        names = [
            one.name for one, j in zip(self.features, self.columns, strict=True) if codes[j] == 1
        ]
        return " and ".join(map(self.group.level, names)) or "none of these"

    def change(
        self, own: np.ndarray, point: np.ndarray, follows: np.ndarray, name: Naming
    ) -> Change:
        """What a point changes of it."""
        numeric = isinstance(self.features[0], Continuous)
        values = self.value(own), self.value(point)
        return Change(name(self.name), *values, numeric, self.any_of(follows))


def _shown(space: Space, *, named: bool) -> list[_Shown]:
    """What is shown of the features of a space, in their order; groups are only `named`."""
    whole = [group for group in space.one_hot if named and group.name not in space.names]
    groups = {group.columns[0]: group for group in whole}
    inside = {name for group in groups.values() for name in group.columns}
    shown = []
    for name in space.names:
        group = groups.get(name)
        if group is None and name in inside:
            continue
        columns = [space.index(one) for one in (group.columns if group else (name,))]
        features = tuple(space.features[j] for j in columns)
        shown.append(_Shown(group.name if group else name, columns, features, group))
    return shown
