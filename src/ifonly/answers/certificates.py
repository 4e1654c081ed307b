"""What is proved of each row's nearest answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.errors import OptionError
from ifonly.solve.asked import UNPROVED
from ifonly.status import Status

PROVED = 1e-6
"""The share of the bound within which an answer counts as the nearest."""


def lines(answers: AnswerData) -> dict[str, Any]:
    """One line per row: the nearest answer's price, its bound, the gap, and whether it is proved.

    The gap is the difference between price and bound, as a share of the bound. An infinite bound
    proves that there is no answer. A proof assumes that the reading agrees with the model:
    `checked_rows`, `checked_values` and `checked_points` count where this was checked. If a check
    fails, or a row has values that the data do not have, nothing is proved, and `reason` says why.
    """
    if answers.bound is None:
        raise OptionError(
            "These answers have no certificates.",
            "Ask with certify=True, or with method='exact'.",
        )
    prices = np.where(answers.filled, answers.price(), np.inf)
    price, nearest = prices.min(axis=1), prices.argmin(axis=1)
    distance = np.where(np.isinf(price), np.nan, answers.distance()[np.arange(len(price)), nearest])
    already = [status is Status.ALREADY for status in answers.status]
    price[already] = distance[already] = 0.0
    bound = np.minimum(answers.bound, price)
    bound = np.where(np.isinf(answers.bound) & ~np.isfinite(price), answers.bound, bound)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(price == bound, 0.0, (price - bound) / np.maximum(bound, 0.0))
    gap = np.where(np.isnan(gap), np.inf, gap)
    checked = answers.record.get("checked", {})
    return {
        "query": np.arange(len(price)),
        "status": [str(status) for status in answers.status],
        "distance": distance,
        "sparsity": np.full(len(price), answers.space.sparsity),
        "price": np.where(np.isinf(price), np.nan, price),
        "bound": np.maximum(bound, 0.0),
        "gap": gap,
        "proved": gap <= PROVED,
        "seconds": answers.seconds,
        "tolerance": np.full(len(price), answers.record.get("tolerance", np.nan)),
        **{
            f"checked_{what}": np.full(len(price), checked.get(what, 0))
            for what in ("rows", "values", "points")
        },
        "reason": [
            "" if proved else answers.record.get("unread") or (note if UNPROVED in note else "")
            for proved, note in zip(gap <= PROVED, answers.notes, strict=True)
        ],
    }
