"""From the table of a part back to `Answers`, which have everything but their model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from ifonly.answers import Answers
from ifonly.scale.table import own_names
from ifonly.space import Space
from ifonly.space.table.carry import Carried
from ifonly.space.table.codes import read_rows
from ifonly.status import Status


def answers_of(table: Any, space: Space, record: Mapping[str, Any], ids: Sequence[str]) -> Answers:
    """The answers in a table of `answers_table`, whose id columns have these names."""
    lines = _Lines.of(table, space, int(record["k"]), ids)
    frame = nw.from_native(table.select(space.names).to_pandas(), eager_only=True)
    features, codes = read_rows(space.features, frame, "rows")
    itself, k = lines.place < 0, int(record["k"])
    x = codes[itself]
    points = np.repeat(x[:, None], k, axis=1)
    points[lines.row[~itself], lines.place[~itself]] = codes[~itself]
    outcomes = _Outcomes(tuple(record["classes"]), record["target"])
    predicted, bound = lines.of_rows("prediction"), np.array(lines.of_rows("bound"), dtype=float)
    carried = None
    if space.carry:
        own = table.filter(itself).select([one.name for one in space.carry]).to_pandas()
        carried = Carried(nw.from_native(own, eager_only=True))
    own_ids = len(ids) == 1
    index = table.column(ids[0]).filter(itself).to_pylist() if own_ids else range(len(x))
    return Answers(
        status=tuple(Status(one) for one in lines.of_rows("status")),
        notes=tuple(lines.of_rows("note")),
        predicted=tuple(map(outcomes.outcome, predicted)),
        wanted=tuple(map(outcomes.wanted, lines.of_rows("wanted"), predicted)),
        filled=lines.filled,
        score=lines.each("score", np.nan),
        row_score=np.array(lines.of_rows("score"), dtype=np.float64),
        x=x,
        points=points,
        index=tuple(index),
        library="pandas",
        space=replace(space, features=features),
        record={**record, "index_names": list(ids) if own_ids else None},
        extra=lines.each("extra", False, bool),
        acted=lines.flags("acted"),
        bound=None if np.isnan(bound).all() else bound,
        reached=outcomes.reached(lines),
        usual=lines.known("usual"),
        odd=lines.flags("odd"),
        agreeing=lines.known("agreeing"),
        tolerated=lines.known("tolerated"),
        carried=carried,
    )


@dataclass(frozen=True)
class _Lines:
    """Our columns of a table, and which row [n] and place [n] each line is of; -1: the row."""

    columns: Mapping[str, Any]
    row: np.ndarray
    place: np.ndarray
    k: int
    names: tuple[str, ...]

    @classmethod
    def of(cls, table: Any, space: Space, k: int, ids: Sequence[str]) -> _Lines:
        own = {name: table.column(one) for name, one in own_names(space, ids).items()}
        place = own["answer"].to_numpy()
        return cls(own, np.cumsum(place < 0) - 1, place, k, space.names)

    @property
    def shape(self) -> tuple[int, int]:
        """q, k"""
        return int((self.place < 0).sum()), self.k

    @property
    def filled(self) -> np.ndarray:
        """bool [q, k]"""
        whole = np.zeros(self.shape, dtype=bool)
        there = self.place >= 0
        whole[self.row[there], self.place[there]] = True
        return whole

    def each(self, name: str, start: Any, kind: Any = np.float64) -> np.ndarray:
        """[q, k] of a column of answers."""
        whole, there = np.full(self.shape, start, dtype=kind), self.place >= 0
        whole[self.row[there], self.place[there]] = self.columns[name].to_numpy()[there]
        return whole

    def known(self, name: str) -> np.ndarray | None:
        """The same where any answer has it."""
        own = self.columns[name]
        return None if own.null_count == len(own) else self.each(name, np.nan)

    def flags(self, name: str) -> np.ndarray | None:
        """bool [q, k, d] of a column of names of features."""
        own = self.columns[name]
        if own.null_count == len(own):
            return None
        whole = np.zeros((*self.shape, len(self.names)), dtype=bool)
        places = {feature: j for j, feature in enumerate(self.names)}
        for row, place, said in zip(self.row, self.place, own.to_pylist(), strict=True):
            whole[row, place, [places[one] for one in said or ()]] |= place >= 0
        return whole

    def of_rows(self, name: str) -> list[Any]:
        """[q] of a column of rows."""
        return list(self.columns[name].filter(self.place < 0).to_pylist())


class _Outcomes:
    """What the words and numbers of a table mean to a model with these classes."""

    def __init__(self, classes: tuple[Any, ...], target: Any) -> None:
        self.target = tuple(target) if isinstance(target, list) else target
        self.classes = classes
        self.known = {**{str(one): one for one in classes}, **{one: one for one in classes}}

    def outcome(self, value: Any) -> Any:
        """A class, or a number of a regression."""
        return self.known.get(value, value) if self.classes else value

    def wanted(self, value: Any, predicted: Any) -> Any:
        """A class, 'other', or the range of a regression; None of a row that is not known."""
        if not self.classes:
            return tuple(map(float, self.target))
        return "other" if value is None and predicted is not None else self.outcome(value)

    def reached(self, lines: _Lines) -> np.ndarray | None:
        """[q, k] the position of the class of each answer, where any but the row's own will do."""
        if not isinstance(self.target, str) or self.target != "other" or "other" in self.classes:
            return None
        whole, there = np.full(lines.shape, -1, dtype=np.intp), lines.place >= 0
        said = np.array(lines.columns["prediction"].to_pylist(), dtype=object)[there]
        each = [self.classes.index(self.outcome(value)) for value in said]
        whole[lines.row[there], lines.place[there]] = each
        return whole
