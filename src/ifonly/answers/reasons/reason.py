"""The principal reasons of one row's outcome, as a person can read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.answers.reasons.codes import ReasonCodes, filled
from ifonly.answers.reasons.measure import Measured, measured
from ifonly.answers.views import Shown, shown_features
from ifonly.render.text import Show
from ifonly.render.view import value_text
from ifonly.space import Continuous, Ordinal
from ifonly.space.table.unseen import is_unseen

WORDS = {
    "low": "{feature} is too low ({value}).",
    "high": "{feature} is too high ({value}).",
    "missing": "{feature} is missing.",
    "other": "{feature} is {value}.",
}
"""The sentence of each direction, where no table gives another."""


@dataclass(frozen=True)
class Reason:
    """One feature that the outcome rested on."""

    feature: str
    """Its name."""
    label: str
    """The user's label of it."""
    value: Any
    """What it is."""
    better: Any
    """The value of the data that would close most of the gap."""
    direction: str
    """What its value is, beside that: 'low', 'high', 'other', or 'missing'."""
    weight: float
    """The share of the gap to the threshold that changing it alone can close; may exceed 1."""
    suffices: bool
    """Whether changing it alone gives the wanted outcome."""
    needed: bool
    """Whether nothing was found that gives the wanted outcome and leaves it as it is."""
    actionable: bool
    """Whether the rules allow a value that closes a part of the gap."""
    code: str = ""
    """Its code in the table of reasons."""
    wording: str = ""
    """Its sentence in the table, with {feature}, {value} and {better} not yet filled."""
    thousands: str = ","

    @property
    def sentence(self) -> str:
        """The sentence, filled."""
        show = partial(value_text, thousands=self.thousands)
        return self.told(show, show)

    def told(self, show: Show, escape: Show) -> str:
        """The sentence with names and values as `show` has them, and the rest by `escape`."""
        own = {"feature": self.label, "value": self.value, "better": self.better}
        said = filled(self.wording, own, show, escape)
        return said[:1].upper() + said[1:]

    def __str__(self) -> str:
        code = f"[{value_text(self.code)}] " if self.code else ""
        fixed = "" if self.actionable else " A reason you cannot act on."
        return f"{code}{self.sentence}{fixed}"


@dataclass(frozen=True)
class Reasons:
    """Why a row got its outcome: at most four reasons, the greatest weight first.

    A loop goes over them, and `len` counts them.
    """

    predicted: Any
    """What the model predicts for the row."""
    wanted: Any
    """The outcome that it is compared with."""
    reasons: tuple[Reason, ...]
    together: tuple[str, ...]
    """Features that give the wanted outcome together; without any one of them they do not."""
    gap: float | None
    """How far the row is from the threshold, in units of `scale`; None: there is no gap."""
    scale: str
    """'log odds', 'score', or the 'number' that a regressor predicts."""
    note: str = ""
    """Why there are no reasons, where there are none."""

    def __iter__(self) -> Iterator[Reason]:
        return iter(self.reasons)

    def __len__(self) -> int:
        return len(self.reasons)

    def __str__(self) -> str:
        listed = (f"{place}. {reason}" for place, reason in enumerate(self.reasons, 1))
        return "\n".join(listed) or self.note


def reasons_of(
    answers: AnswerData, codes: ReasonCodes | None = None, found: Measured | None = None
) -> list[Reasons]:
    """The reasons of every row, of what was `found` or is measured now."""
    known = measured(answers) if found is None else found
    return [_reasons(answers, known, row, codes) for row in range(len(answers))]


def _reasons(answers: AnswerData, found: Measured, row: int, codes: ReasonCodes | None) -> Reasons:
    """The reasons of one row."""
    bare = shown_features(replace(answers.space, labels={}))
    each = list(zip(bare, shown_features(answers.space), strict=True))
    reasons = tuple(
        _reason(answers, found, row, int(place), each[place], codes)
        for place in found.order[row]
        if place >= 0
    )
    gap, predicted = float(found.gap[row]), answers.name(answers.predicted[row])
    return Reasons(
        predicted,
        answers.name(answers.wanted[row]),
        reasons,
        tuple(name for name, one in zip(found.features, found.together[row], strict=True) if one),
        None if np.isnan(gap) else gap,
        found.scale,
        "" if reasons else _note(answers, row, predicted),
    )


def _reason(
    answers: AnswerData,
    found: Measured,
    row: int,
    place: int,
    one: tuple[Shown, Shown],
    codes: ReasonCodes | None,
) -> Reason:
    """One reason, of a feature as it is and as its user calls it."""
    bare, named = one
    x, better = answers.x[row], found.better[row]
    direction = _direction(bare, x, better)
    code, wording = "", WORDS[direction]
    if codes is not None:
        level = None if isinstance(bare.features[0], Continuous) else bare.value(x)
        code, wording = codes.find(bare.name, level, direction)
    return Reason(
        feature=bare.name,
        label=str(named.name),
        value=named.value(x),
        better=named.value(better),
        direction=direction,
        weight=float(found.weight[row, place]),
        suffices=bool(found.suffices[row, place]),
        needed=bool(found.needed[row, place]),
        actionable=bool(found.actionable[row, place]),
        code=code,
        wording=wording,
        thousands=answers.space.thousands,
    )


def _direction(one: Shown, x: np.ndarray, better: np.ndarray) -> str:
    """What the value of a feature among x [d] is, beside the better one."""
    j, feature = one.columns[0], one.features[0]
    if one.group is not None or is_unseen(x[j : j + 1])[0]:
        return "other"
    if np.isnan(x[j]):
        return "missing"
    if np.isnan(better[j]) or not isinstance(feature, Continuous | Ordinal):
        return "other"
    return "low" if better[j] > x[j] else "high"


def _note(answers: AnswerData, row: int, predicted: Any) -> str:
    """Why a row has no reasons."""
    if answers.predicted[row] is None:
        return answers.notes[row] or "The model's prediction for this row is not known."
    number = "" if answers.regression else f" {value_text(predicted)},"
    return f"The outcome is{number} as wanted."
