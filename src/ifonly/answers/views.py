"""What there is to show of answers, row by row, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.render.view import AnswerView, Change, RowView
from ifonly.space.codes import value_of

Naming = Callable[[Any], Any]


def row_views(answers: AnswerData, rows: Iterable[int], *, named: bool = True) -> list[RowView]:
    """A view of each of some rows; `named` uses the user's names for features and classes."""
    labels = answers.space.labels if named else {}

    def name(thing: Any) -> Any:
        return thing if isinstance(thing, tuple) else labels.get(thing, thing)

    changed, distance = answers.changed(), answers.distance()
    follows = changed & ~answers.acted_features()
    return [
        RowView(
            query=q,
            name=answers.index[q],
            values=dict(
                zip(map(name, answers.space.names), _values(answers, answers.x[q]), strict=True)
            ),
            prediction=name(answers.predicted[q]),
            score=float(answers.row_score[q]),
            wanted=name(answers.wanted[q]),
            status=str(answers.status[q]),
            note=answers.notes[q],
            others=answers.reached is not None and answers.wanted[q] == "other",
            answers=tuple(
                AnswerView(
                    changes=_changes(answers, (q, int(a)), changed[q, a], follows[q, a], name),
                    prediction=name(answers.prediction(q, int(a))),
                    number=answers.regression,
                    score=float(answers.score[q, a]),
                    distance=float(distance[q, a]),
                    extra=bool(answers.extra[q, a]),
                )
                for a in np.flatnonzero(answers.filled[q])
            ),
        )
        for q in rows
    ]


def _changes(
    answers: AnswerData,
    place: tuple[int, int],
    changed: np.ndarray,
    follows: np.ndarray,
    name: Naming,
) -> tuple[Change, ...]:
    """What an answer changes: its actions, then what follows from them."""
    own, values = _values(answers, answers.x[place[0]]), _values(answers, answers.points[place])
    numeric, names = answers.space.continuous, answers.space.names
    order = np.argsort(follows, kind="stable")
    return tuple(
        Change(name(names[j]), own[j], values[j], bool(numeric[j]), bool(follows[j]))
        for j in order
        if changed[j]
    )


def _values(answers: AnswerData, codes: np.ndarray) -> list[Any]:
    return [value_of(f, code) for f, code in zip(answers.space.features, codes, strict=True)]
