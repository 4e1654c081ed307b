"""Where a row stands and what a score says, in the words that every rendering shares."""

from __future__ import annotations

from ifonly.render.text import Show
from ifonly.render.view import RowView, number_text, value_text

STATUS_WORDS = {
    "found": "every answer found",
    "partial": "fewer answers than asked for",
    "not_found": "no answer found",
    "infeasible": "no answer is possible",
    "skipped": "not searched",
    "failed": "stopped by an error",
    "already": "already as wanted",
}


def standing(row: RowView, show: Show = value_text) -> str:
    """What the model says of a row as it is, and what is wanted.

    >>> standing(RowView(0, 7, {"age": 22}, "no", 0.125, "yes", "found", "", ()))
    'The model says no; its score for yes is 0.12.'
    """
    if row.prediction is None:
        return "The model's prediction for this row is not known."
    if predicts_numbers(row):
        return f"The model says {score_text(row, row.score)}; wanted: {show(row.wanted)}."
    wanted = "another class" if row.others else show(row.wanted)
    return (
        f"The model says {show(row.prediction)}; "
        f"its score for {wanted} is {score_text(row, row.score)}."
    )


def score_text(row: RowView, score: float) -> str:
    """A score with two decimals, or a predicted number with four digits; a dash for none."""
    if score != score:
        return "—"
    return number_text(score) if predicts_numbers(row) else f"{score:.2f}"


def predicts_numbers(row: RowView) -> bool:
    """Whether the model is a regressor, so that a range of numbers is wanted."""
    return isinstance(row.wanted, tuple)
