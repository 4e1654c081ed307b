"""Answers as tables: one line per answer, per change, per row or per feature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly import metrics
from ifonly.answers.data import AnswerData
from ifonly.answers.views import row_views
from ifonly.errors import OptionError, nearest
from ifonly.metrics import importance
from ifonly.space.layout import columns_of
from ifonly.space.table.carry import column_order
from ifonly.space.table.frame import Frame, free_name, table
from ifonly.space.table.index import with_index
from ifonly.status import Status


@dataclass(frozen=True, eq=False)
class AnswerTables(AnswerData):
    """The part of `Answers` that returns frames, each in the library of the user's rows."""

    def frame(self) -> Frame:
        """One line per answer: query, answer, the features and what is known of the answer.

        That is its prediction, score, distance, how many features are changed, its price (the
        distance and the charge for these: the nearest answer has the least), and whether it is
        `extra`: it resembles another or changes more than needed, and fills a place for which no
        other answer was found. Where a feature has one of these names, ifonly's column gets leading
        underscores: as many as set it apart from every feature. `query` is the position of the
        row; where the rows have an index of their own, each line has the label of its row.

        Returns
        -------
        Frame

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.frame()[["query", "answer", "income", "prediction"]]
           query  answer  income prediction
        0      0       0      41        yes
        """
        rows, places = np.nonzero(self.filled)
        features = columns_of(self.space, self.points[self.filled], self.library)
        if self.carried is not None:
            features |= self.carried.columns(rows)
            features = {name: features[name] for name in column_order(self.space)}
        predictions = [self.prediction(int(q), int(a)) for q, a in zip(rows, places, strict=True)]
        after = {
            "prediction": predictions,
            "score": self.score[self.filled],
            "distance": self.distance()[self.filled],
            "changed": self.changed().sum(axis=-1)[self.filled],
            "price": self.price()[self.filled],
            "extra": self.extra[self.filled],
        }
        before = {"query": rows, "answer": places}
        return self._table({**self._ours(before), **features, **self._ours(after)}, rows)

    def changes(self) -> Frame:
        """One line per change: query, answer, feature, before, after.

        Lines have labels as in `frame()`. Where causes are known, `follows` distinguishes
        consequences from actions.

        Returns
        -------
        Frame

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.changes()
           query  answer feature  before  after
        0      0       0  income      10     41
        """
        names = ("query", "answer", "feature", "before", "after", "follows")
        lines: list[tuple[Any, ...]] = [
            (row.query, place, change.feature, change.before, change.after, change.follows)
            for row in row_views(self, range(len(self)), named=False)
            for place, answer in enumerate(row.answers)
            for change in answer.changes
        ]
        columns = {name: [line[place] for line in lines] for place, name in enumerate(names)}
        if self.acted is None:
            del columns["follows"]
        return self._table(columns, columns["query"])

    def metrics(self) -> Frame:
        """One line per row: the paper's metrics and the objective.

        Lines have labels as in `frame()`. `extra` counts the answers for which a smaller change is
        enough; in these, `changed` does not count features that the model ignores. `usual`, where
        that was asked, is the share of the rows of the data that are less usual than the least
        usual answer; `answers.usual` has that of each. `agreement`, where `robust` was asked, is
        the share of its models that agree with the answer that the fewest agree with.
        `tolerated`, where a tolerance was demanded, is 1 where it is proved of every answer, else
        the least share that a sample shows.

        Returns
        -------
        Frame

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.metrics()[["query", "status", "changed", "valid_unique"]]
           query status  changed  valid_unique
        0      0  found      1.0           1.0
        """
        far = {"distance": self.distance(), "price": self.price()}
        measured = metrics.set_metrics(self.metric, self.x, self.points, self.filled, **far)
        count = self.counted().sum(axis=-1, keepdims=True)
        measured["changed"] = importance.change_share(count, self.filled)[:, 0]
        status = [str(status) for status in self.status]
        extra = (self.extra & self.filled).sum(axis=1)
        columns = {"query": np.arange(len(self)), "status": status, **measured, "extra": extra}
        for name, each in (
            ("usual", self.usual),
            ("agreement", self.agreeing),
            ("tolerated", self.tolerated),
        ):
            if each is not None:
                least = np.where(self.filled, each, np.inf).min(axis=1)
                columns[name] = np.where(np.isfinite(least), least, np.nan)
        return self._table(columns, range(len(self)))

    def importance(self, *, by_row: bool = False) -> Frame:
        """One line per feature: how often answers change it, and how often it is enough alone.

        `changed` is the share of answers that change the feature. `sufficient` is the share in
        which its change alone gives the wanted outcome; it needs fresh answers, since saved ones
        cannot ask the model. A change of a feature that the model ignores does not count in an
        answer that is `extra`. `label` is the user's label of the feature, where there are labels.

        Parameters
        ----------
        by_row
            One line per row and feature instead.

        Returns
        -------
        Frame

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.importance()
          feature  changed  sufficient
        0  income      1.0         1.0
        """
        lines = importance.lines(self._shares(), self.space.names, by_row=by_row)
        return table(self._labelled(lines), self.library)

    def _shares(self) -> dict[str, np.ndarray]:
        """[q, d] each: how often each feature changes, and where that alone is enough."""
        share = {"changed": importance.change_share(self.counted(), self.filled)}
        if self.source is not None:
            changed = self.counted() & self.filled[:, :, None]
            points, asked = importance.lone_changes(self.x, self.points, changed)
            alone = self.source.outcomes(points, asked).reshape(self.points.shape)
            share["sufficient"] = importance.change_share(alone, self.filled)
        return share

    def sensitive(self, features: Sequence[str]) -> Frame:
        """One line per row: the share of answers that change a protected feature, and `flips`.

        `flips` says whether other values of the protected features alone would give the row the
        wanted outcome. `exhaustive` says whether the model was asked about every combination of
        their values (for a number, every value of its range in steps of its decimals), or, where
        there are more than about 10,000, about a part of them. A flip that was found is one in
        either case; `flips` is missing where none was found among a part, or the row failed.
        A change of a feature that the model ignores does not count in an answer that is `extra`.

        Parameters
        ----------
        features
            The protected features.

        Returns
        -------
        Frame

        Raises
        ------
        OptionError
            There is no such feature, or the answers were saved and cannot ask the model.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.sensitive(["income"])
           query  changed  flips  exhaustive
        0      0      1.0   True        True
        """
        names = [features] if isinstance(features, str) else features
        columns = [self._column(name) for name in names]
        touched = np.asarray(self.counted()[:, :, columns].any(axis=-1, keepdims=True))
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

    def _table(self, columns: dict[str, Any], rows: Iterable[int]) -> Frame:
        """The frame of columns whose lines belong to rows [n], with the user's own index."""
        names, labels = self.record.get("index_names"), [self.index[q] for q in rows]
        return with_index(table(columns, self.library), names, labels)

    def _labelled(self, lines: dict[str, Any]) -> dict[str, Any]:
        """The columns, with the user's labels of the features where there are any."""
        if any(name in self.space.labels for name in (*self.space.names, *lines["feature"])):
            lines["label"] = [self.name(name) for name in lines["feature"]]
        return lines

    def _column(self, name: str) -> int:
        if name not in self.space.names:
            raise OptionError(f"There is no feature {name!r}.", nearest(name, self.space.names))
        return self.space.index(name)

    def _ours(self, columns: dict[str, Any]) -> dict[str, Any]:
        taken = column_order(self.space)
        return {free_name(name, taken): one for name, one in columns.items()}
