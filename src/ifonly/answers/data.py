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
from ifonly.status import Status


@dataclass(frozen=True, eq=False)
class AnswerData:
    """k answers to each of q rows, and what is computed from them alone."""

    status: tuple[Status, ...]
    """How the search for each row ended."""
    notes: tuple[str, ...]
    """A message about each row; often empty."""
    predicted: tuple[Any, ...]
    """What the model predicts for each row."""
    wanted: tuple[Any, ...]
    """The wanted class or range of each row."""
    filled: np.ndarray
    """bool [q, k] which answers there are."""
    score: np.ndarray
    """[q, k] the score of each answer, NaN where there is none."""
    row_score: np.ndarray
    """[q] the score of each row itself."""
    x: np.ndarray
    """[q, d] the codes of the rows asked."""
    points: np.ndarray
    """[q, k, d] the codes of the answers, nearest first; the row's own where none is filled."""
    index: tuple[Any, ...]
    """The user's own index of the rows."""
    library: str
    """The library of the user's frame, in which frames come back."""
    space: Space
    """The features, their labels and what changing them costs."""
    record: Mapping[str, Any]
    """What produced the answers: versions, seed, options, fingerprints, model rows and calls."""
    acted: np.ndarray | None = None
    """bool [q, k, d] what an answer changes itself, where causes are known: the rest follows."""
    bound: np.ndarray | None = None
    """[q] what no answer's distance is below, where that was proved; infinite: there is none."""
    seconds: np.ndarray | None = None
    """[q] how long the proof took."""
    source: Source | None = field(default=None, repr=False)
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

    def distance(self) -> np.ndarray:
        """[q, k] how far each answer is from its row: what it costs; what follows costs nothing."""
        done = np.where(self.acted_features(), self.points, self.x[:, None])
        return np.asarray(self.metric.cost(done, self.x[:, None]))

    def prediction(self, row: int, answer: int) -> Any:
        """What the model says of an answer: the wanted class, or a number."""
        return float(self.score[row, answer]) if self.regression else self.wanted[row]

    def changed(self) -> np.ndarray:
        """bool [q, k, d]: what each answer changes."""
        return differs(self.points, self.x[:, None])

    def acted_features(self) -> np.ndarray:
        """bool [q, k, d]: what each answer changes itself; without causes, all it changes."""
        return self.changed() if self.acted is None else self.acted

    @property
    def metric(self) -> Metric:
        """The distance that the answers were chosen by."""
        return Metric.of(self.space)

    def name(self, thing: Any) -> Any:
        return thing if isinstance(thing, tuple) else self.space.labels.get(thing, thing)

    def asked_further(self) -> Source:
        """The source, or an error that says why there is none."""
        if self.source is None:
            raise OptionError(
                "These answers were loaded from a file and have no model.",
                "Ask again with the same model and seed, and call this on the new answers.",
            )
        return self.source

    def taken(self, rows: np.ndarray) -> dict[str, Any]:
        """The fields of some of the rows, by position."""
        fields: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                fields[name] = value[rows]
            elif isinstance(value, tuple):
                fields[name] = tuple(value[row] for row in rows)
            else:
                fields[name] = value
        record = dict(self.record)
        for name in ("target", "row_rules"):
            if isinstance(record.get(name), list) and len(record[name]) == len(self):
                record[name] = [record[name][row] for row in rows]
        source = None if self.source is None else self.source.take(rows)
        return {**fields, "record": record, "source": source}
