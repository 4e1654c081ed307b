"""Answers as sentences."""

from __future__ import annotations

from ifonly.render.view import AnswerView, Change, RowView, value_text


def sentence(answer: AnswerView) -> str:
    """One answer as a sentence.

    >>> from ifonly.render.view import Change
    >>> sentence(AnswerView((Change("age", 22, 34),), ">50K", 0.71, 1.2))
    'If only age were 34 (not 22): >50K (0.71).'
    >>> both = Change("job", "a", "b"), Change("pay", 1, 2, follows=True)
    >>> sentence(AnswerView(both, "x", 1.0, 1.0))
    'If only job were b (not a), so that pay would be 2 (not 1): x (1.00).'
    """
    follows = _listed("would be", answer.consequences)
    then = f", so that {follows}" if follows else ""
    return f"If only {_listed('were', answer.actions)}{then}: {outcome(answer)}."


def _listed(verb: str, changes: tuple[Change, ...]) -> str:
    """Changes with a verb that is said once: age were 34 (not 22) and education Doctorate (…)."""
    verbs = [f" {verb}", *[""] * len(changes)]
    parts = [
        f"{c.feature}{said} {value_text(c.after)} (not {value_text(c.before)})"
        for c, said in zip(changes, verbs, strict=False)
    ]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def sentences(row: RowView) -> list[str]:
    """All answers of a row as sentences, or one that says why there is none."""
    if not row.answers:
        return [without_answers(row)]
    return [sentence(answer) for answer in row.answers]


def without_answers(row: RowView) -> str:
    """Why a row has no answers."""
    reasons = {
        "already": f"The outcome is {value_text(row.wanted)} as it is.",
        "infeasible": f"No change can give {value_text(row.wanted)}.",
        "not_found": f"No change that gives {value_text(row.wanted)} was found.",
        "skipped": "This row was not searched.",
        "failed": "This row could not be answered.",
    }
    return " ".join(filter(None, [reasons.get(row.status, ""), row.note]))


def outcome(answer: AnswerView) -> str:
    """What the model says of an answer: a class with its score, or a number."""
    if answer.number:
        return f"{answer.score:,.4g}"
    return f"{value_text(answer.prediction)} ({answer.score:.2f})"
