"""The one pass of answers that everything in an audit is computed from.

Every row is asked once. What follows is arrays: q rows that the model decides about, r of them
refused, k answers to each of these, d features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ifonly.answers import Answers
from ifonly.errors import DataError
from ifonly.models import Counted
from ifonly.solve.source import MOST_ASKED
from ifonly.space import Metric, Space
from ifonly.space.distance import differs
from ifonly.space.table.frame import Frame, as_frame, levels_and_positions
from ifonly.space.table.index import index_of
from ifonly.status import Status

DIGITS = 12
"""The decimals of a cost."""
UNSEARCHED = (Status.SKIPPED, Status.FAILED)
"""What a refused row is whose recourse is not known."""


@dataclass(frozen=True, eq=False)
class Pass:
    """The rows of an audit with their outcomes, and the answers of those that were refused."""

    space: Space
    x: np.ndarray
    """[q, d] the codes of all rows that the model gave an outcome."""
    places: np.ndarray
    """[q] their positions in the user's rows."""
    accepted: np.ndarray
    """bool [q] which of them have the wanted outcome."""
    refused: np.ndarray
    """[r] the positions in x of the refused rows that were searched."""
    points: np.ndarray
    """[r, k, d] the codes of their answers, nearest first; the row's own where none is filled."""
    filled: np.ndarray
    """bool [r, k] which answers there are."""
    status: tuple[Status, ...]
    """[r]"""
    groups: pd.DataFrame
    """[q] a column of categories, as text, per attribute that groups are compared by."""
    acted: np.ndarray | None = None
    """bool [r, k, d] what an answer changes itself, where causes are known: the rest follows."""
    bound: np.ndarray | None = None
    """[r] the proved lower bound of the price of every answer, where proofs were asked for."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many rows are not measured, by the reason."""
    answers: Answers | None = None
    """The answers of the refused rows [r], which can ask the model again."""

    @classmethod
    def of(cls, answers: Answers, groups: pd.DataFrame) -> Pass:
        """The pass of answers to all rows, and of groups aligned with the rows."""
        status = np.array([str(one) for one in answers.status], dtype=object)
        batch = answers.asked_further().batch
        known, met = batch.known, batch.met
        searched = known & ~met & ~np.isin(status, [str(one) for one in UNSEARCHED])
        lost = known & ~met & ~searched
        left_out = {
            "The model failed, so that the outcome is not known": int((~known).sum()),
            "Refused, and the search failed": int((lost & (status == Status.FAILED)).sum()),
            "Refused, and not searched within the budget": int(
                (lost & (status == Status.SKIPPED)).sum()
            ),
        }
        places = np.flatnonzero(known)
        part = answers[np.flatnonzero(searched).tolist()]
        return cls(
            space=answers.space,
            x=answers.x[places],
            places=places,
            accepted=met[places],
            refused=np.flatnonzero(searched[places]),
            points=part.points,
            filled=part.filled,
            status=part.status,
            groups=groups.iloc[places].reset_index(drop=True),
            acted=part.acted,
            bound=part.bound,
            left_out={reason: count for reason, count in left_out.items() if count},
            answers=part,
        )

    @property
    def metric(self) -> Metric:
        """The distance and the price that answers were chosen by."""
        return Metric.of(self.space)

    @cached_property
    def rows(self) -> np.ndarray:
        """[r, d] the codes of the refused rows."""
        return np.asarray(self.x[self.refused])

    @cached_property
    def actions(self) -> np.ndarray:
        """[r, k, d] the answers without what follows from them."""
        acted = self.changed if self.acted is None else self.acted
        return np.where(acted, self.points, self.rows[:, None])

    @cached_property
    def changed(self) -> np.ndarray:
        """bool [r, k, d]: which features answers change."""
        return differs(self.points, self.rows[:, None])

    @cached_property
    def nearest(self) -> np.ndarray:
        """[r] the place of each row's nearest answer, of the least price; -1 without one."""
        if not self.filled.size:
            return np.full(len(self.filled), -1)
        price = self.metric.price(self.actions, self.rows[:, None])
        place = np.where(self.filled, price, np.inf).argmin(axis=1)
        return np.where(self.filled.any(axis=1), place, -1)

    @cached_property
    def cost(self) -> np.ndarray:
        """[r] c(x), the distance of each row's nearest answer; infinite without one.

        It is rounded: costs that are equal stay equal, whatever they were summed from.
        """
        distance = np.asarray(self.metric.cost(self.actions, self.rows[:, None]))
        place = self.nearest
        own = distance[np.arange(len(place)), place].round(DIGITS)
        return np.where(place < 0, np.inf, own)

    @property
    def proved_none(self) -> np.ndarray:
        """bool [r]: the rows that are proved to have no answer."""
        infeasible = np.array([one is Status.INFEASIBLE for one in self.status], dtype=bool)
        return infeasible if self.bound is None else infeasible | np.isposinf(self.bound)

    def groups_of(self, attribute: str) -> tuple[list[str], np.ndarray]:
        """The groups of an attribute, and the position [q] of each row's own."""
        column: Any = self.groups[attribute].cat
        return [str(one) for one in column.categories], column.codes.to_numpy().astype(np.intp)

    def works(self, actions: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """bool [n, m]: which actions [n, m, d] of refused rows [n] are answers to them.

        The rules allow the action, and the user's own model gives the wanted outcome to what
        follows from it: what a judge of answers asks. By default, the rows are all r.
        """
        assert self.answers is not None, "a pass that was made by hand has no model"
        source = self.answers.asked_further()
        rows = np.arange(len(self.refused)) if rows is None else rows
        model = Counted(source.setting.model, source.setting.model)
        size, done = max(1, MOST_ASKED // max(1, actions.shape[1])), []
        for start in range(0, len(rows), size):
            problem = source.batch.pose(source.setting, model, rows[start : start + size])
            done.append(problem.accepts(actions[start : start + size]))
        return np.concatenate([*done, np.zeros((0, actions.shape[1]), dtype=bool)])


def asked_once(rows: Frame, ask: Callable[[Frame], Answers]) -> Answers:
    """The answers to all rows; of those that are equal one is asked, as they have equal answers."""
    frame = as_frame(rows, empty=True)
    try:
        columns = [levels_and_positions(frame[name], "rows")[1] for name in frame.columns]
    except DataError:  # what cannot be compared is asked as it is
        return ask(rows)
    table = np.stack(columns, axis=1) if columns else np.empty((len(frame), 0))
    found = np.unique(table, axis=0, return_index=True, return_inverse=True)
    first, own = found[1], found[2].ravel()
    if len(first) == len(frame):
        return ask(rows)
    order = np.argsort(first)
    place = np.argsort(order)[own]  # of each row, that of the first like it
    answers = ask(frame[first[order].tolist()].to_native())[place.tolist()]
    return replace(answers, index=index_of(rows, len(frame)))
