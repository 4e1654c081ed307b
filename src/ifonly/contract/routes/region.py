"""The route `region`: where the outcomes of rows and of their answers hold."""

from __future__ import annotations

import numpy as np

from ifonly.answers.regions.region import Region
from ifonly.contract.context import Context
from ifonly.contract.question import Question, ask
from ifonly.contract.types import Reply, Strict
from ifonly.contract.values import finite


class RegionRequest(Question):
    """Where the outcomes of rows hold, and those of k answers to each."""


class Area(Strict):
    """Where an outcome holds, as `answers.region` has it."""

    rules: list[str]
    """The conditions; a feature that is not named may have any known value."""
    sentence: str
    coverage: float | None
    """The share of the rows of the data inside."""
    precision: float | None
    """The share of these that have the outcome; null where there are none."""
    proved: bool
    """Whether every point inside is proved to have the outcome; otherwise points were drawn."""
    share: float
    """1 where it is proved, else a lower bound of the share of points that have the outcome."""


class Areas(Strict):
    """The area of a row, and those of its answers."""

    row: Area | None
    """Null where the model fails for the row."""
    answers: list[Area]


class RegionReply(Reply):
    """Where outcomes hold, for every row."""

    rows: list[Areas]


def region(context: Context, request: RegionRequest) -> RegionReply:
    """Where the outcome of each row and of its answers holds."""
    answers = ask(context, request)
    known = answers.asked_further().batch.known
    return RegionReply(
        rows=[
            Areas(
                row=_area(answers.region(q)) if known[q] else None,
                answers=[
                    _area(answers.region(q, int(a))) for a in np.flatnonzero(answers.filled[q])
                ],
            )
            for q in range(len(answers))
        ]
    )


def _area(region: Region) -> Area:
    return Area(
        rules=list(region.rules),
        sentence=region.sentence,
        coverage=finite(region.coverage),
        precision=finite(region.precision),
        proved=region.proved,
        share=region.share,
    )
