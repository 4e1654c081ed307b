"""The answers to a batch of rows: frozen, checked, and able to say what produced them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, overload

import narwhals as nw
import numpy as np

from ifonly import metrics
from ifonly.answers import certificates
from ifonly.answers.data import AnswerData
from ifonly.answers.frontier import frontier
from ifonly.answers.plan import Plan, plan_of
from ifonly.answers.save import from_json, to_json, write_parquet
from ifonly.answers.views import row_views
from ifonly.answers.why import Why, why_of
from ifonly.errors import OptionError, nearest
from ifonly.metrics import importance
from ifonly.render import html, plot, plot_importance, text
from ifonly.render.destination import write_file
from ifonly.render.view import RowView
from ifonly.space.frame import Frame, free_name, table
from ifonly.status import Status


@dataclass(frozen=True, eq=False, repr=False)
class Answers(AnswerData):
    """k answers to each of q rows, with a status for each row: what `explain` returns.

    Rows are taken by position: `answers[3]` and `answers[:10]` are Answers too, and a loop over
    answers goes row by row. A score is the model's score of the wanted class or, for a regression,
    what it predicts.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})
    >>> model = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> answers = ifonly.explain(model, data[:2], data=data, k=1)
    >>> answers
    <Answers: 2 rows, k=1: 2 found>
    >>> answers.frame()[["query", "income", "job", "prediction"]]
       query  income job prediction
    0      0      41   a        yes
    1      1      41   b        yes
    >>> for row in answers:
    ...     print(row.sentences()[0][0])
    If only income were 41 (not 10): yes (1.00).
    If only income were 41 (not 30): yes (1.00).
    """

    def __getitem__(self, rows: int | slice | Sequence[int]) -> Answers:
        """The answers of one row, of a slice, or of a list of positions or flags."""
        if isinstance(rows, int | np.integer):
            self._check_row(int(rows))
            rows = [int(rows)]
        elif not isinstance(rows, slice) and len(rows) == 0:
            rows = slice(0)
        return replace(self, **self.taken(np.arange(len(self))[rows]))

    def __iter__(self) -> Iterator[Answers]:
        return (self[row] for row in range(len(self)))

    def frame(self) -> Frame:
        """One line an answer: query, answer, the features, prediction, score, distance, changed.

        Where a feature has one of these names, ifonly's column gets leading underscores: as many as
        set it apart from every feature.
        """
        rows, places = np.nonzero(self.filled)
        features = self.space.rows(self.points[self.filled], self.library)
        if self.library != "pandas":
            features = nw.from_native(features, eager_only=True)
        predictions = [self.prediction(int(q), int(a)) for q, a in zip(rows, places, strict=True)]
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
        """One line a change: query, answer, feature, before, after.

        Where causes are known, `follows` tells consequences from actions.
        """
        names = ("query", "answer", "feature", "before", "after", "follows")
        lines = [
            (row.query, place, change.feature, change.before, change.after, change.follows)
            for row in self.views(named=False)
            for place, answer in enumerate(row.answers)
            for change in answer.changes
        ]
        columns = {name: [line[place] for line in lines] for place, name in enumerate(names)}
        if self.acted is None:
            del columns["follows"]
        return table(columns, self.library)

    def metrics(self) -> Frame:
        """One line a row: the paper's metrics and the objective."""
        measured = metrics.set_metrics(
            self.metric, self.x, self.points, self.filled, distance=self.distance()
        )
        status = [str(status) for status in self.status]
        return table({"query": np.arange(len(self)), "status": status, **measured}, self.library)

    def sentences(self) -> list[list[str]]:
        """For each row its answers as sentences, or one that says why there is none.

        Sentences are text for people: control characters of names and levels are escaped.
        """
        return [text.sentences(row) for row in self.views()]

    def views(self, *, named: bool = True) -> list[RowView]:
        """What there is to show of each row; `named` uses the user's names for things."""
        return row_views(self, range(len(self)), named=named)

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
        names = [self.name(name) for name in lines["feature"]]
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
        wanted outcome. `exhaustive` says whether the model was asked about every combination of
        their values (for a number, every value of its range in steps of its decimals), or, where
        there are more than about 10,000, about a part of them. A flip that was found is one in
        either case; `flips` is missing where none was found among a part, or the row failed.
        """
        names = [features] if isinstance(features, str) else features
        columns = [self._column(name) for name in names]
        touched = np.asarray(self.changed()[:, :, columns].any(axis=-1, keepdims=True))
        source = self.asked_further()
        known = source.batch.known & (np.array(self.status) != Status.FAILED)
        flips, complete = source.flips(columns, known & ~source.batch.met)
        unknown = ~flips & ~source.batch.met & (~known | (not complete))
        return table(
            {
                "query": np.arange(len(self)),
                "changed": importance.change_share(touched, self.filled)[:, 0],
                "flips": np.ma.masked_array(flips, unknown),
                "exhaustive": np.full(len(self), complete),
            },
            self.library,
        )

    def frontier(
        self, diversities: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)
    ) -> dict[float, Answers]:
        """The answers for several settings of `diversity`, from the candidates already found."""
        chosen = frontier(self, diversities)
        return {one: replace(self, **fields) for one, fields in chosen.items()}

    def certificates(self) -> Frame:
        """One line a row: how near the nearest answer is, and how near one can be at all."""
        return table(certificates.lines(self), self.library)

    def why(self, row: int) -> Why:
        """Why a row lacks answers: the rules that clash, or what was tried and what rejected it.

        The rules that reject candidates need fresh answers; saved ones keep the note.
        """
        self._check_row(row)
        return why_of(self, row % len(self))

    def plan(self, row: int, answer: int = 0) -> Plan:
        """The changes of an answer in an order in which no rule is broken on the way."""
        self._check_row(row)
        return plan_of(self, row % len(self), answer)

    def plot(self, row: int = 0) -> Any:
        """A matplotlib figure: what changes, by how much, and the model's score (extra 'plot')."""
        self._check_row(row)
        return plot.figure(row_views(self, [row % len(self)])[0])

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | PathLike[str]) -> None: ...
    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """A page of its own that shows every row and its answers.

        Parameters
        ----------
        path
            The file to write; without one, the page is returned as text.
        """
        return _text_or_file(html.page(self.views(), self.record), path)

    def _repr_html_(self) -> str:
        return html.fragment(self.views()[:20], total=len(self))

    def __repr__(self) -> str:
        counts = {status: self.status.count(status) for status in dict.fromkeys(self.status)}
        listed = ", ".join(f"{count} {status}" for status, count in counts.items())
        return f"<Answers: {len(self)} rows, k={self.k}: {listed}>"

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | PathLike[str]) -> None: ...
    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """The answers as JSON, without loss; `Answers.from_json` reads it.

        Parameters
        ----------
        path
            The file to write; without one, the JSON is returned as text.
        """
        return _text_or_file(to_json(self), path)

    @classmethod
    def from_json(cls, content: str) -> Answers:
        """The answers that `to_json` wrote."""
        return cls(**from_json(content))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `frame()` to a Parquet file, with the JSON of the answers in its metadata."""
        write_parquet(self.frame(), self.to_json(), path)

    def _check_row(self, row: int) -> None:
        if not -len(self) <= row < len(self):
            raise OptionError(
                f"There is no row {row}.", f"Give its position, from 0 to {len(self) - 1}."
            )

    def _column(self, name: str) -> int:
        if name not in self.space.names:
            raise OptionError(f"There is no feature {name!r}.", nearest(name, self.space.names))
        return self.space.index(name)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "source": None}

    def _ours(self, columns: dict[str, Any]) -> dict[str, Any]:
        return {free_name(name, self.space.names): one for name, one in columns.items()}


def _text_or_file(content: str, path: str | PathLike[str] | None) -> str | None:
    if path is None:
        return content
    write_file(path, content)
    return None
