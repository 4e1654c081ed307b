"""The answers to a batch of rows: frozen, checked, and able to say what produced them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np

from ifonly import metrics
from ifonly.errors import OptionError, nearest
from ifonly.metrics import importance
from ifonly.render import html, plot, plot_importance, text
from ifonly.render.view import AnswerView, Change, RowView
from ifonly.saving import from_json, to_json, write_parquet
from ifonly.space import Metric, Space
from ifonly.space.frame import Frame, table
from ifonly.space.rows import value_of
from ifonly.status import Status


@dataclass(frozen=True, eq=False)
class Answers:
    """k answers to each of q rows, with a status a row.

    `score` is the model's score of the wanted class or, for a regression, what it predicts.
    """

    space: Space
    x: np.ndarray
    """[q, d] the codes of the rows asked."""
    points: np.ndarray
    """[q, k, d] the codes of the answers, nearest first; the row's own where none is filled."""
    filled: np.ndarray
    """bool [q, k]"""
    status: tuple[Status, ...]
    wanted: tuple[Any, ...]
    """The wanted class or range of each row."""
    predicted: tuple[Any, ...]
    """What the model says of each row."""
    row_score: np.ndarray
    """[q]"""
    score: np.ndarray
    """[q, k], NaN where no answer is."""
    index: tuple[Any, ...]
    """The user's own index of the rows."""
    library: str
    """The library of the user's frame, in which frames come back."""
    notes: tuple[str, ...]
    """What there is to say of each row; often nothing."""
    labels: Mapping[Any, str]
    """Names for features and classes, used in sentences and pictures."""
    weights: Mapping[str, float]
    record: Mapping[str, Any]
    """What produced the answers: versions, seed, options, fingerprints, model rows and calls."""
    source: Any = field(default=None, repr=False)
    """What fresh answers can be asked further with; saved ones have none."""

    def __len__(self) -> int:
        return len(self.x)

    @property
    def k(self) -> int:
        """How many answers were asked for."""
        return int(self.points.shape[1])

    @property
    def regression(self) -> bool:
        """Whether the model predicts numbers."""
        return bool(self.record["regression"])

    def frame(self) -> Frame:
        """One line an answer: query, answer, the features, prediction, score, distance, changed.

        Where a feature has one of these names, ifonly's column gets a leading underscore.
        """
        rows, places = np.nonzero(self.filled)
        features = self.space.rows(self.points[self.filled], self.library)
        if self.library != "pandas":
            features = nw.from_native(features, eager_only=True)
        predictions = [self._prediction(int(q), int(a)) for q, a in zip(rows, places, strict=True)]
        after = {
            "prediction": predictions,
            "score": self.score[self.filled],
            "distance": self.distance()[self.filled],
            "changed": self.changed().sum(axis=-1)[self.filled],
        }
        return table(
            {
                **self._ours({"query": rows, "answer": places}),
                **{name: features[name] for name in self.space.names},
                **self._ours(after),
            },
            self.library,
        )

    def changes(self) -> Frame:
        """One line a change: query, answer, feature, before, after."""
        lines = [
            (row.query, place, change.feature, change.before, change.after)
            for row in self.views(named=False)
            for place, answer in enumerate(row.answers)
            for change in answer.changes
        ]
        names = ("query", "answer", "feature", "before", "after")
        columns = list(zip(*lines, strict=True)) or [()] * len(names)
        return table(dict(zip(names, map(list, columns), strict=True)), self.library)

    def metrics(self) -> Frame:
        """One line a row: the paper's metrics and the objective."""
        measured = metrics.set_metrics(self.metric, self.x, self.points, self.filled)
        status = [str(status) for status in self.status]
        return table({"query": np.arange(len(self)), "status": status, **measured}, self.library)

    def sentences(self) -> list[list[str]]:
        """For each row its answers as sentences, or one that says why there is none."""
        return [text.sentences(row) for row in self.views()]

    def distance(self) -> np.ndarray:
        """[q, k] how far each answer is from its row."""
        return np.asarray(self.metric.distance(self.points, self.x[:, None]))

    def changed(self) -> np.ndarray:
        """bool [q, k, d]: what each answer changes."""
        both = np.isnan(self.points) & np.isnan(self.x)[:, None]
        return np.asarray((self.points != self.x[:, None]) & ~both)

    @property
    def metric(self) -> Metric:
        """The distance that the answers were chosen by."""
        return Metric.of(self.space, self.weights)

    def views(self, *, named: bool = True) -> list[RowView]:
        """What there is to show of each row; `named` uses the user's names for things."""
        changed, distance = self.changed(), self.distance()
        return [self._view(q, changed[q], distance[q], named=named) for q in range(len(self))]

    def importance(self, *, by_row: bool = False) -> Frame:
        """One line a feature: the share of answers that change it, and in which it is enough alone.

        `sufficient` needs fresh answers; saved ones cannot ask the model. With `by_row`, one line a
        row and feature.
        """
        lines = importance.lines(self._shares(), self.space.names, by_row=by_row)
        return table(lines, self.library)

    def plot_importance(self) -> Any:
        """A matplotlib figure of `importance()`, the most often changed feature on top."""
        lines = importance.lines(self._shares(), self.space.names, by_row=False)
        names = [self._name(name) for name in lines["feature"]]
        return plot_importance.bars(names, lines["changed"], lines.get("sufficient"))

    def _shares(self) -> dict[str, np.ndarray]:
        """[q, d] each: how often each feature changes, and where that alone is enough."""
        share = {"changed": importance.change_share(self.changed(), self.filled)}
        if self.source is not None:
            changed = self.changed() & self.filled[:, :, None]
            points, asked = importance.lone_changes(self.x, self.points, changed)
            alone = self.source.outcomes(points, asked).reshape(self.points.shape)
            share["sufficient"] = importance.change_share(alone, self.filled)
        return share

    def sensitive(self, features: Sequence[str]) -> Frame:
        """One line a row: the share of answers that change a protected feature, and `flips`.

        `flips` says whether other values of the protected features alone would give the row the
        wanted outcome; the model is asked about all of them.
        """
        names = [features] if isinstance(features, str) else features
        columns = [self._column(name) for name in names]
        touched = np.asarray(self.changed()[:, :, columns].any(axis=-1, keepdims=True))
        points = self._source().moves(self.x, columns)
        flips = self._source().outcomes(points, np.ones(points.shape[:2], dtype=bool))
        already = np.array([status is Status.ALREADY for status in self.status])
        return table(
            {
                "query": np.arange(len(self)),
                "changed": importance.change_share(touched, self.filled)[:, 0],
                "flips": flips.any(axis=1) & ~already,
            },
            self.library,
        )

    def frontier(
        self, diversities: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)
    ) -> dict[float, Answers]:
        """The answers for several settings of `diversity`, from the candidates already found."""
        chosen: dict[float, Answers] = self._source().frontier(self, diversities)
        return chosen

    def plot(self, row: int = 0) -> Any:
        """A matplotlib figure: what changes, by how much, and the model's score (extra 'plot')."""
        if not -len(self) <= row < len(self):
            raise OptionError(
                f"There is no row {row}.", f"Give its position, from 0 to {len(self) - 1}."
            )
        return plot.figure(self._view(row, self.changed()[row], self.distance()[row]))

    def to_html(self) -> str:
        """A page of its own that shows every row and its answers."""
        return html.page(self.views(), self.record)

    def _repr_html_(self) -> str:
        return html.fragment(self.views()[:20], total=len(self))

    def __repr__(self) -> str:
        counts = {status: self.status.count(status) for status in dict.fromkeys(self.status)}
        told = ", ".join(f"{count} {status}" for status, count in counts.items())
        return f"<Answers: {len(self)} rows, k={self.k}: {told}>"

    def to_json(self) -> str:
        """The answers as JSON, without loss."""
        return to_json(self)

    @classmethod
    def from_json(cls, content: str) -> Answers:
        """The answers that `to_json` wrote."""
        return cls(**from_json(content))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `frame()` to a Parquet file, with the JSON of the answers in its metadata."""
        write_parquet(self.frame(), self.to_json(), path)

    def _view(
        self, q: int, changed: np.ndarray, distance: np.ndarray, *, named: bool = True
    ) -> RowView:
        label = self._name if named else lambda thing: thing
        names = [label(name) for name in self.space.names]
        numeric = self.space.continuous
        own = self._values(self.x[q])
        shown = []
        for a in np.flatnonzero(self.filled[q]):
            values = self._values(self.points[q, a])
            shown.append(
                AnswerView(
                    changes=tuple(
                        Change(names[j], own[j], values[j], bool(numeric[j]))
                        for j in np.flatnonzero(changed[a])
                    ),
                    prediction=label(self._prediction(q, int(a))),
                    number=self.regression,
                    score=float(self.score[q, a]),
                    distance=float(distance[a]),
                )
            )
        return RowView(
            query=q,
            name=self.index[q],
            values=dict(zip(names, own, strict=True)),
            prediction=label(self.predicted[q]),
            score=float(self.row_score[q]),
            wanted=label(self.wanted[q]),
            status=str(self.status[q]),
            note=self.notes[q],
            answers=tuple(shown),
        )

    def _column(self, name: str) -> int:
        if name not in self.space.names:
            raise OptionError(f"There is no feature {name!r}.", nearest(name, self.space.names))
        return self.space.index(name)

    def _source(self) -> Any:
        if self.source is None:
            raise OptionError(
                "These answers were saved, and cannot ask their model.",
                "Ask again with the same model and seed, and call this on what comes back.",
            )
        return self.source

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "source": None}

    def _prediction(self, q: int, a: int) -> Any:
        return float(self.score[q, a]) if self.regression else self.wanted[q]

    def _values(self, codes: np.ndarray) -> list[Any]:
        return [value_of(f, code) for f, code in zip(self.space.features, codes, strict=True)]

    def _name(self, thing: Any) -> Any:
        return thing if isinstance(thing, tuple) else self.labels.get(thing, thing)

    def _ours(self, columns: dict[str, Any]) -> dict[str, Any]:
        return {f"_{n}" if n in self.space.names else n: v for n, v in columns.items()}
