"""Where a row stands and what a score says, in the words that every rendering shares."""

from __future__ import annotations

from collections.abc import Sequence

from ifonly.render.text import Show
from ifonly.render.view import RowView, rounded, value_text

NAMED = 10
"""The most features that a sentence lists by name."""

STATUS_WORDS = {
    "found": "every answer found",
    "partial": "fewer answers than asked for",
    "not_found": "no answer found",
    "infeasible": "no answer is possible",
    "skipped": "not searched",
    "failed": "stopped by an error",
    "already": "already as wanted",
}


SCORE_WORDS = {"number": "prediction", "margin": "margin"}
"""What a score is called, where it is not a score."""


def standing(row: RowView, show: Show | None = None) -> str:
    """What the model says of a row as it is, and what is wanted.

    >>> standing(RowView(0, 7, {"age": 22}, "no", 0.125, "yes", "found", "", ()))
    'The model says no; its score for yes is 0.12.'
    """
    show = show or row.show
    if row.prediction is None:
        return "The model's prediction for this row is not known."
    if predicts_numbers(row):
        return f"The model says {score_text(row, row.score)}; wanted: {show(row.wanted)}."
    wanted = "another class" if row.others else show(row.wanted)
    if row.scores == "label":
        return f"The model says {show(row.prediction)}; wanted: {wanted}."
    return (
        f"The model says {show(row.prediction)}; "
        f"its {score_word(row)} for {wanted} is {score_text(row, row.score)}."
    )


def unread(names: Sequence[str], show: Show = value_text) -> str:
    """That the model does not read some features; nothing where there are none.

    >>> unread(["price", "zip"])
    'The model does not read price and zip; only rules and causes can require such a change.'
    """
    if not names:
        return ""
    listed = [show(name) for name in names[:NAMED]]
    if len(names) > NAMED:
        listed.append(f"{len(names) - NAMED} more")
    text = f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else listed[0]
    return f"The model does not read {text}; only rules and causes can require such a change."


def score_text(row: RowView, score: float) -> str:
    """A probability with two decimals, any other number with four digits; a dash for none."""
    if score != score or row.scores == "label":
        return "—"
    probable = row.scores == "probability" and not predicts_numbers(row)
    return f"{score:.2f}" if probable else row.show(rounded(score))


def score_word(row: RowView) -> str:
    """What the scores of a row are called."""
    return SCORE_WORDS.get("number" if predicts_numbers(row) else row.scores, "score")


def predicts_numbers(row: RowView) -> bool:
    """Whether the model is a regressor, so that a range of numbers is wanted."""
    return isinstance(row.wanted, tuple)
