"""The rows that are asked, some of which may have values that the data do not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ifonly.models.adapters.table import TableModel
from ifonly.models.decision import Labels
from ifonly.solve.prepare import Setting
from ifonly.space import Metric
from ifonly.space.table.carry import Carried
from ifonly.space.table.coded import Coded
from ifonly.space.table.codes import read_rows
from ifonly.space.table.frame import Frame, as_frame
from ifonly.space.table.unseen import own_notes
from ifonly.status import Status

KEPT = "Answers keep such a value or change it to a known one."
SLOW = "The model is slow: a surrogate proposed, and the model judged."
ANSWERED = (Status.FOUND, Status.PARTIAL, Status.NOT_FOUND)
UNPROVED = "Nothing is proved of such a row."


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows x [q, d], and what is odd about some of them."""

    x: np.ndarray
    setting: Setting
    """In which rows with such values are asked: the model itself, by no route and no reading."""
    carried: Carried | None = None
    """The columns of the rows that are no features."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """What is odd about a row, by position."""

    @classmethod
    def read(cls, setting: Setting, rows: Frame | Coded, carried: Carried | None) -> Asked:
        """The rows of a frame; a column that cannot be read at all raises its error."""
        if isinstance(rows, Coded):
            return cls(rows.checked(setting.space), setting)
        known, carry = setting.space.features, setting.space.carry
        features, x = read_rows(known, as_frame(rows, "rows", empty=True), "rows", carry)
        if features == known:
            return cls(x, setting, carried)
        space, model = replace(setting.space, features=features), setting.model
        model = model.over(space) if isinstance(model, TableModel) else model
        other = replace(
            setting,
            space=space,
            model=model,
            route=Labels(model) if isinstance(setting.route, Labels) else model,
            metric=Metric.of(space),
            reading=None,
            demands=tuple(demand.over(space) for demand in setting.demands),
        )
        return cls(x, other, carried, own_notes(features, known, x))

    @property
    def places(self) -> np.ndarray | None:
        """[q] where each row's carried columns are, if the model takes any."""
        takes = getattr(self.setting.model, "carried", None) is not None
        return np.arange(len(self.x)) if takes else None

    @property
    def odd(self) -> np.ndarray:
        """bool [q]: the rows with values that the data do not have."""
        odd = np.zeros(len(self.x), dtype=bool)
        odd[list(self.notes)] = True
        return odd

    def noted(
        self, notes: Sequence[str], status: Sequence[Status], *, proving: bool
    ) -> tuple[str, ...]:
        """The notes of all rows, with what is odd about some."""
        slow = self.setting.slow
        whole = [
            f"{SLOW} {note}".strip() if slow and s in ANSWERED else note
            for s, note in zip(status, notes, strict=True)
        ]
        for row, note in self.notes.items():
            rest = "" if status[row] is Status.FAILED else f"{KEPT} {UNPROVED * proving}".strip()
            whole[row] = " ".join(filter(None, (note, rest, whole[row])))
        return tuple(whole)
