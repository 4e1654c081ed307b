"""A notice of one row's outcome: reasons, ways, the plan, and until when they hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import partial
from os import PathLike
from typing import Any

from ifonly.answers.plan import Plan
from ifonly.answers.reasons.reason import Reason, Reasons
from ifonly.errors import OptionError
from ifonly.render import text
from ifonly.render.letter import HTML, Format, Template, given_fields
from ifonly.render.text import Show
from ifonly.render.view import RowView
from ifonly.render.wording import score_text, score_word, standing

FIXED = "A reason you cannot act on."
MISSING = {"valid_until": "Give valid_until=, the date until which the ways hold."}


def notice(
    view: RowView,
    reasons: Reasons,
    plan: Plan | None,
    record: Mapping[str, Any],
    template: str | PathLike[str],
    *,
    valid_until: date | str | None,
    fields: Mapping[str, Any],
) -> str:
    """The letter about one row."""
    letter = Template.of(template)
    form = letter.format
    show = partial(form.show, thousands=view.thousands)
    own = {
        "row": show(str(view.name)),
        "outcome": show(view.prediction),
        "wanted": show(view.wanted),
        "standing": standing(view, show),
        "threshold": _threshold(view, show),
        "model": show(str(record["model_fingerprint"])),
        "reasons": form.listed([_reason(one, form, show) for one in reasons])
        if len(reasons)
        else form.escape(reasons.note),
        "reasons_intro": _reasons_intro(reasons),
        "ways": form.listed([text.sentence(one, show) for one in view.answers])
        if view.answers
        else text.without_answers(view, show),
        "ways_intro": _ways_intro(view),
        "plan": form.listed([form.escape(str(step)) for step in plan.steps])
        if plan is not None
        else "There is nothing to put in order.",
        "validity": "",
    }
    if valid_until is not None:
        day = form.escape(_day(valid_until))
        own |= {"valid_until": day, "validity": f"This holds until {day}."}
    clash = sorted({*own, *MISSING} & set(fields))
    if clash:
        raise OptionError(
            f"The field {clash[0]!r} is filled by ifonly.", "Give fields of other names."
        )
    return letter.filled(own | given_fields(fields, form), MISSING)


def _reason(reason: Reason, form: Format, show: Show) -> str:
    """One reason as a line: its sentence, its code, and a mark where nobody can act on it."""
    said, mark = reason.told(show, form.escape), "" if reason.actionable else f" {FIXED}"
    code = f" ({show(reason.code)})" if reason.code else ""
    if form is HTML:
        code = f' <span class="code">{show(reason.code)}</span>' if code else ""
        mark = f' <span class="mark">{FIXED}</span>' if mark else ""
    return f"{said}{code}{mark}"


def _threshold(view: RowView, show: Show) -> str:
    """From where on the outcome is as wanted; nothing where there is no such line."""
    if view.threshold is None:
        return ""
    line = score_text(view, view.threshold)
    return f"From a {score_word(view)} of {line} on, it says {show(view.wanted)}."


def _reasons_intro(reasons: Reasons) -> str:
    if not len(reasons):
        return "No reason stands against the outcome."
    return "What the decision rested on, the most important first:"


def _ways_intro(view: RowView) -> str:
    if not view.answers:
        return "We looked for changes that would have given another outcome."
    count = len(view.answers)
    each = "This" if count == 1 else f"Each of these {count} ways, by itself,"
    return f"{each} would have given another outcome, with everything else as it is:"


def _day(until: Any) -> str:
    """The day until which something holds."""
    if isinstance(until, datetime):
        until = until.date()
    if not isinstance(until, date | str) or not str(until).strip():
        hint = "Give a date, or a text such as '31 May 2027'."
        raise OptionError(f"valid_until is {until!r}.", hint)
    return str(until)
