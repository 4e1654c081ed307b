"""Answers as sentences, of plain text or, with another way to show data, of HTML."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ifonly.render.view import AnswerView, Change, RowView, rounded, value_text

Show = Callable[[Any], str]
"""How a value or a name that comes from data stands in a sentence."""
MOST = 6
"""The most changes that a sentence lists."""


def sentence(answer: AnswerView, show: Show = value_text) -> str:
    """One answer as a sentence.

    >>> from ifonly.render.view import Change
    >>> sentence(AnswerView((Change("age", 22, 34),), ">50K", 0.71, 1.2))
    'If only age were 34 (not 22): >50K (0.71).'
    >>> both = Change("job", "a", "b"), Change("pay", 1, 2, follows=True)
    >>> sentence(AnswerView(both, "x", 1.0, 1.0))
    'If only job were b (not a), so that pay would be 2 (not 1): x (1.00).'
    """
    room = MOST - min(MOST, len(answer.actions))
    follows = _listed("would be", answer.consequences, show, room)
    then = f", so that {follows}" if follows else ""
    marked = "resembles another answer" if answer.resembles else "changes more than needed"
    extra = f" It {marked}." if answer.extra else ""
    rare = " with ".join(f"{show(name)} {show(value)}" for name, value in answer.odd_by)
    why = f": {rare} is rare" if rare else ""
    odd = f" Fewer than 1 % of real rows are as unusual{why}." if answer.odd else ""
    agree = f" {agreement(answer.agreeing)}" if answer.agreeing is not None else ""
    changes = _listed("were", answer.actions, show, MOST)
    said = f"{outcome(answer, show)}.{_holds(answer)}{extra}{odd}{agree}"
    return f"If only {changes}{then}: {said}"


def _holds(answer: AnswerView) -> str:
    """How sure it is that the outcome stays within the tolerance, where one was demanded.

    >>> _holds(AnswerView((), "yes", 1.0, 1.0, tolerated=0.99003))
    ' It stays in at least 99.0 % of the tolerance, by a sample with 95 % confidence.'
    """
    if answer.tolerated is None:
        return ""
    if answer.tolerated == 1:
        return " It stays everywhere within the tolerance, proved."
    share = math.floor(1000 * answer.tolerated) / 10
    return (
        f" It stays in at least {share:.1f} % of the tolerance, by a sample with 95 % confidence."
    )


def agreement(share: float) -> str:
    """How many other models agree with an answer.

    >>> agreement(1.0), agreement(0.889)
    ('All other models agree.', '89 % of the other models agree.')
    """
    some = "All" if share == 1 else f"{100 * share:.0f} % of the"
    return f"{some} other models agree."


def _listed(verb: str, changes: tuple[Change, ...], show: Show, most: int) -> str:
    """Changes with a verb that is said once: age were 34 (not 22) and education Doctorate (…)."""
    if changes and not most:
        return f"{len(changes)} more would change"
    verbs = [f" {verb}", *[""] * len(changes)]
    parts = [
        f"{show(c.feature)}{said} {show(c.after)} (not {show(c.before)})"
        for c, said in zip(changes[:most], verbs, strict=False)
    ]
    if len(changes) > most:
        parts.append(f"{len(changes) - most} more")
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def sentences(row: RowView) -> list[str]:
    """All answers of a row as sentences, or one that says why there is none."""
    if not row.answers:
        return [without_answers(row)]
    return [sentence(answer, row.show) for answer in row.answers]


def without_answers(row: RowView, show: Show | None = None) -> str:
    """Why a row has no answers."""
    show = show or row.show
    wanted = "another class" if row.others else show(row.wanted)
    reasons = {
        "already": f"The outcome is already {wanted}.",
        "infeasible": f"No change can give {wanted}.",
        "not_found": f"No change that gives {wanted} was found.",
        "skipped": "This row was not searched.",
        "failed": "This row could not be answered.",
    }
    note = show(row.note) if row.note else ""
    return " ".join(filter(None, [reasons.get(row.status, ""), note]))


def outcome(answer: AnswerView, show: Show = value_text) -> str:
    """What the model says of an answer: a class with its score, or a number."""
    said = show(answer.prediction)
    return {
        "number": show(rounded(answer.score)),
        "margin": f"{said} (margin {show(rounded(answer.score))})",
        "label": said,
    }.get(answer.scores, f"{said} ({answer.score:.2f})")
