"""What answers consist of: codes, statuses, scores, and a record of what produced them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ifonly.errors import OptionError
from ifonly.solve.source import Source
from ifonly.space import Metric, Space
from ifonly.space.distance import differs
from ifonly.space.table.carry import Carried
from ifonly.status import Status


@dataclass(frozen=True, eq=False)
class AnswerData:
    """The fields of `Answers`, which documents them, and what is computed from them alone."""

    status: tuple[Status, ...]
    notes: tuple[str, ...]
    predicted: tuple[Any, ...]
    wanted: tuple[Any, ...]
    filled: np.ndarray
    score: np.ndarray
    row_score: np.ndarray
    x: np.ndarray
    points: np.ndarray
    index: tuple[Any, ...]
    library: str
    space: Space
    record: Mapping[str, Any]
    extra: np.ndarray
    acted: np.ndarray | None = None
    bound: np.ndarray | None = None
    seconds: np.ndarray | None = None
    reached: np.ndarray | None = None
    usual: np.ndarray | None = None
    odd: np.ndarray | None = None
    agreeing: np.ndarray | None = None
    tolerated: np.ndarray | None = None
    carried: Carried | None = None
    source: Source | None = field(default=None, repr=False)

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

    @property
    def scores(self) -> str:
        """What the scores are: 'probability', 'margin', 'label', or the 'number' predicted."""
        return "number" if self.regression else str(self.record.get("scores", "probability"))

    @property
    def ignored(self) -> tuple[str, ...]:
        """The features that the model provably does not read; none where that is not known.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> data = pd.DataFrame({"income": [10, 30, 50], "zip": [7, 8, 7]})
        >>> model = DecisionTreeClassifier().fit(data, data["income"] > 40)
        >>> ifonly.explain(model, data[:1], data=data, k=1).ignored
        ('zip',)
        """
        return tuple(self.record.get("ignored", ()))

    def distance(self) -> np.ndarray:
        """How far each answer is from its row: what it costs; what follows from it costs nothing.

        Returns
        -------
        np.ndarray
            [q, k].

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.distance().round(2)
        array([[1.55]])
        """
        return np.asarray(self.metric.cost(self._acted, self.x[:, None]))

    def price(self) -> np.ndarray:
        """What the nearest answer has the least of: distance, and the charge for each change.

        The charge is the `sparsity` of the space, divided by the number of features.

        Returns
        -------
        np.ndarray
            [q, k].

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.price().round(2)
        array([[2.05]])
        """
        return np.asarray(self.metric.price(self._acted, self.x[:, None]))

    @property
    def _acted(self) -> np.ndarray:
        """[q, k, d] the answers without what follows from them."""
        return np.where(self.acted_features(), self.points, self.x[:, None])

    def prediction(self, row: int, answer: int) -> Any:
        """What the model predicts for an answer: a class, or a number.

        Parameters
        ----------
        row
            The position of the row.
        answer
            The position of the answer.

        Returns
        -------
        class or float

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.prediction(0, 0)
        'yes'
        """
        if self.regression:
            return float(self.score[row, answer])
        if self.reached is None or self.reached[row, answer] < 0:
            return self.wanted[row]
        return self.record["classes"][int(self.reached[row, answer])]

    def changed(self) -> np.ndarray:
        """Which features each answer changes.

        Returns
        -------
        np.ndarray
            bool [q, k, d].

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.changed()
        array([[[ True]]])
        """
        return differs(self.points, self.x[:, None])

    def counted(self) -> np.ndarray:
        """Which changes `importance`, `sensitive` and the `changed` of `metrics` count.

        These are all but the changes of ignored features in answers that only fill a place: in
        any other answer of the default method, a rule or a cause needs them.

        Returns
        -------
        np.ndarray
            bool [q, k, d].

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> data = pd.DataFrame({"income": [10, 30, 50], "zip": [7, 8, 7]})
        >>> model = DecisionTreeClassifier().fit(data, data["income"] > 40)
        >>> answers = ifonly.explain(model, data[:1], data=data, k=2)
        >>> answers.changed().sum(axis=-1), answers.counted().sum(axis=-1)
        (array([[1, 2]]), array([[1, 1]]))
        """
        ignored = np.array([name in self.ignored for name in self.space.names])
        return np.asarray(self.changed() & ~(self.extra[:, :, None] & ignored))

    def acted_features(self) -> np.ndarray:
        """Which features each answer changes itself; without causes, all that it changes.

        Returns
        -------
        np.ndarray
            bool [q, k, d].
        """
        return self.changed() if self.acted is None else self.acted

    @property
    def metric(self) -> Metric:
        """The distance and the price that the answers were chosen by."""
        return Metric.of(self.space)

    def name(self, thing: Any) -> Any:
        """The user's label of a feature or a class; the thing itself where it has none.

        Parameters
        ----------
        thing
            A feature, a class or a range.

        Returns
        -------
        object
        """
        return thing if isinstance(thing, tuple) else self.space.labels.get(thing, thing)

    def asked_further(self) -> Source:
        """The source that fresh answers ask the model with.

        Returns
        -------
        Source

        Raises
        ------
        OptionError
            The answers were saved: they have no source.
        """
        if self.source is None:
            raise OptionError(
                "These answers were loaded from a file and have no model.",
                "Ask again with the same model and seed, and call this on the new answers.",
            )
        return self.source

    def taken(self, rows: np.ndarray) -> dict[str, Any]:
        """The fields of some of the rows.

        Parameters
        ----------
        rows
            [n] the positions of the rows.

        Returns
        -------
        dict
        """
        fields: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                fields[name] = value[rows]
            elif isinstance(value, Carried):
                fields[name] = value.take(rows)
            elif isinstance(value, tuple):
                fields[name] = tuple(value[row] for row in rows)
            else:
                fields[name] = value
        record = dict(self.record)
        for name in ("target", "row_rules", "finished_by", "examples"):
            if isinstance(record.get(name), list) and len(record[name]) == len(self):
                record[name] = [record[name][row] for row in rows]
        source = None if self.source is None else self.source.take(rows)
        return {**fields, "record": record, "source": source}
