"""A region in which an outcome holds: as rules that can be read back, and as a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.bounds.boxes import Boxes
from ifonly.rules import missing, none_of, one_of
from ifonly.rules.language.dates import limit_text
from ifonly.rules.language.names import name_text
from ifonly.space import Categorical, Space
from ifonly.space.table.values import value_of


@dataclass(frozen=True)
class Region:
    """Where an outcome holds, whatever else the features do inside: see `Answers.region`.

    Parameters
    ----------
    rules
        The conditions, in the language of rules; a feature that is not named may have any known
        value.
    sentence
        The same for people.
    coverage
        The share of the rows of `data` inside.
    precision
        The share of these that have the outcome; NaN where there are none.
    proved
        Whether it is proved that every point inside has the outcome; otherwise it is sampled.
    share
        1 where it is proved, else the share of the points inside that have the outcome: a lower
        bound with a confidence of 95 %, by points that were drawn for this alone.

    Examples
    --------
    >>> Region(("income at most 40",), "no as long as income is at most 40.", 0.6, 1.0, True, 1.0)
    Region(rules=('income at most 40',), ..., coverage=0.6, precision=1.0, proved=True, share=1.0)
    """

    rules: tuple[str, ...]
    sentence: str
    coverage: float
    precision: float
    proved: bool
    share: float

    def __str__(self) -> str:
        return self.sentence


def rule_lines(boxes: Boxes) -> tuple[str, ...]:
    """The rules that say what is in the first box, as far as it is not everything that is known."""
    space, lines = boxes.space, []
    for j, feature in enumerate(space.features):
        known, gap = has_known(boxes, j), bool(boxes.missing[0, j])
        if not known:
            lines.append(str(missing(feature.name)))
            continue
        if isinstance(feature, Categorical):
            inside = levels_of(boxes, j)
            if not inside.all():
                few = 2 * inside.sum() <= len(inside)
                named = [
                    one for one, there in zip(feature.levels, inside == few, strict=True) if there
                ]
                lines.append(str((one_of if few else none_of)(feature.name, named)))
        else:
            low, high = (limit_text(feature.column, end[0, j]) for end in (boxes.low, boxes.high))
            words = bounds_text(space, boxes, j, low, high)
            lines += [f"{name_text(feature.name)} {words}"] if words else []
        if feature.missing and not gap:
            lines.append(str(~missing(feature.name)))
    return tuple(lines)


def sentence_of(
    outcome: str,
    boxes: Boxes,
    share: float,
    *,
    name: Callable[[Any], Any],
    show: Callable[[Any], str],
) -> str:
    """What is in the first box, as a sentence; `name` labels features, `show` writes values."""
    space, parts = boxes.space, []
    for j, feature in enumerate(space.features):
        title = show(name(feature.name))
        gap = " or missing" if boxes.missing[0, j] else ""
        if not has_known(boxes, j):
            parts.append(f"{title} is missing")
            continue
        if isinstance(feature, Categorical):
            inside = levels_of(boxes, j)
            few = 2 * inside.sum() <= len(inside)
            levels = [
                show(space.labels.get((feature.name, one), one))
                for one, there in zip(feature.levels, inside == few, strict=True)
                if there
            ]
            verb = "is" if few else "is not"
            words = f"{verb} {' or '.join(levels)}" if not inside.all() else ""
        else:
            low, high = (show(value_of(feature, end[0, j])) for end in (boxes.low, boxes.high))
            bounds = bounds_text(space, boxes, j, low, high)
            words = f"is {bounds}" if bounds else ""
        if words:
            parts.append(f"{title} {words}{gap}")
        elif feature.missing and not gap:
            parts.append(f"{title} is not missing")
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
    where = f"as long as {listed}" if parts else "whatever the features are"
    sure = f"at least {math.floor(1000 * share) / 10:.1f} % of such rows, with 95 % confidence"
    return f"{outcome} {where}." + ("" if share == 1 else f" Sampled, not proved: {sure}.")


def bounds_text(space: Space, boxes: Boxes, j: int, low: str, high: str) -> str:
    """Between what a number of the first box lies; nothing where that is all of its range."""
    bottom, top = boxes.low[0, j] > space.low[j], boxes.high[0, j] < space.high[j]
    if (bottom and top) or (low == high and (bottom or top)):
        return f"between {low} and {high}"
    return f"at least {low}" if bottom else f"at most {high}" if top else ""


def has_known(boxes: Boxes, j: int) -> bool:
    """Whether the first box has a value of feature j that is not missing."""
    return bool(boxes.low[0, j] == boxes.low[0, j] or levels_of(boxes, j).any())


def levels_of(boxes: Boxes, j: int) -> np.ndarray:
    """bool [L] the levels of feature j in the first box."""
    space = boxes.space
    return np.asarray(boxes.levels[0, space.offsets[j] : space.offsets[j + 1]])
