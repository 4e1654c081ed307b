"""Answers as HTML: a page of its own, and a fragment for notebooks.

Neither loads anything: the style is inside. Every text that comes from data is escaped, and
isolated from the text around it: letters that run from right to left turn nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

from ifonly.render import text
from ifonly.render.style import FRAGMENT_STYLE, PAGE_STYLE
from ifonly.render.view import AnswerView, RowView, value_text
from ifonly.render.wording import (
    STATUS_WORDS,
    predicts_numbers,
    score_text,
    score_word,
    standing,
    unread,
)


def page(views: Sequence[RowView], record: Mapping[str, Any], ignored: Sequence[str] = ()) -> str:
    """A whole page: every row with its values and answers, then what produced them.

    `ignored` are the names of the features that the model does not read.
    """
    overview = _overview(views) if len(views) > 1 else ""
    rows = "\n".join(_section(view) for view in views)
    bar = "A bar is the model's score, the mark on it the score now."
    bar = bar if any(map(_has_meter, views)) else ""
    body = f"""<header>
<h1>If only …</h1>
<p>The changes that would have given another outcome, each checked with the model itself.
Only what changes is shown; everything else stays as it is. {bar}</p>
{_unread(ignored)}
</header>
{overview}
{rows}
{_provenance(record)}"""
    return document("If only: what would have changed the outcome", body)


def document(title: str, body: str, style: str = "", head: str = "") -> str:
    """A whole HTML document that fetches nothing; `head` is further HTML of its head."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{head}<title>{escape(title)}</title>
<style>{PAGE_STYLE}{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def fragment(views: Sequence[RowView], total: int, ignored: Sequence[str] = ()) -> str:
    """A compact view for notebooks: for each row one table with only what changes."""
    rows = "".join(_compact(view) for view in views)
    left = total - len(views)
    more = f"<p>… and {left} more row{'s' if left > 1 else ''}.</p>" if left > 0 else ""
    return (
        f'<div class="ifonly"><style>{FRAGMENT_STYLE}</style>{rows}{more}{_unread(ignored)}</div>'
    )


def isolated(value: Any, thousands: str = ",") -> str:
    """A value or a name that comes from data, as HTML.

    >>> isolated("a < b"), isolated(12000)
    ('<bdi>a &lt; b</bdi>', '12,000')
    """
    shown = escape(value_text(value, thousands))
    return f"<bdi>{shown}</bdi>" if isinstance(value, str) else shown


def _overview(views: Sequence[RowView]) -> str:
    titles = ("Row", "The model says", "Wanted", "Score", "Answers", "")
    head = "".join(f"<th>{title}</th>" for title in titles)
    lines = "".join(
        f'<tr><td><a href="#row-{view.query}">{isolated(str(view.name))}</a></td>'
        + _cells("td", [view.prediction, view.wanted], view)
        + f'<td class="number">{score_text(view, view.score)}</td>'
        + f'<td class="number">{len(view.answers)}</td><td>{_badge(view.status)}</td></tr>'
        for view in views
    )
    return (
        f'<section><table class="overview"><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></section>"
    )


def _section(view: RowView) -> str:
    show = _show(view)
    values = "".join(
        f"<div><dt>{isolated(name)}</dt><dd>{show(value)}</dd></div>"
        for name, value in view.values.items()
    )
    cards = "".join(_card(view, place, answer) for place, answer in enumerate(view.answers, 1))
    if not view.answers:
        cards = f'<p class="empty">{text.without_answers(view, show)}</p>'
    note = f'<p class="note">{isolated(view.note)}</p>' if view.note and view.answers else ""
    return f"""<section class="row" id="row-{view.query}">
<h2>Row {isolated(str(view.name))} {_badge(view.status)}</h2>
<p class="now">{standing(view, show)}</p>
{_meter(view, view.score)}
<dl>{values}</dl>
{note}<div class="cards">{cards}</div>
</section>"""


def _card(view: RowView, place: int, answer: AnswerView) -> str:
    show = _show(view)
    lines = "".join(
        f"<tr{' class=follows' if change.follows else ''}>"
        f'<th scope="row">{isolated(change.feature)}{" (follows)" if change.follows else ""}</th>'
        f'<td class="before">{show(change.before)}</td><td class="arrow">→</td>'
        f'<td class="after">{show(change.after)}</td></tr>'
        for change in answer.changes
    )
    return f"""<article>
<h3>{place}</h3>
<p class="sentence">{text.sentence(answer, show)}</p>
<table>{lines}</table>
{_meter(view, answer.score)}
<p class="facts"><span>prediction <b>{show(answer.prediction)}</b></span>
{_score(view, answer)}
<span>distance <b>{answer.distance:.2f}</b></span></p>
</article>
"""


def _show(view: RowView) -> text.Show:
    """How values of a row stand in its HTML."""
    return partial(isolated, thousands=view.thousands)


def _score(view: RowView, answer: AnswerView) -> str:
    """The score of an answer with what it is; nothing where it would repeat the prediction."""
    if view.scores == "label" or predicts_numbers(view):
        return ""
    return f"<span>{score_word(view)} <b>{score_text(view, answer.score)}</b></span>"


def _has_meter(view: RowView) -> bool:
    return view.scores == "probability" and not predicts_numbers(view)


def _meter(view: RowView, score: float) -> str:
    """A bar as long as the probability, with a mark at the row's own; nothing without one."""
    if not _has_meter(view) or view.score != view.score:
        return ""
    return (
        f'<div class="meter" aria-hidden="true"><i style="width:{_percent(score)}"></i>'
        f'<b style="left:{_percent(view.score)}"></b></div>'
    )


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.1f}%"


def _provenance(record: Mapping[str, Any]) -> str:
    lines = "".join(
        f'<tr><th scope="row">{isolated(str(name))}</th><td>{isolated(_plain(value))}</td></tr>'
        for name, value in record.items()
    )
    return (
        '<details class="record"><summary>What produced these answers</summary>'
        f"<table>{lines}</table></details>"
    )


def _plain(value: Any) -> str:
    """A value of the record as text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plain(one)}" for key, one in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(_plain(one) for one in value) or "none"
    return "none" if value is None else str(value)


def _compact(view: RowView) -> str:
    caption = f"<p><b>Row {isolated(str(view.name))}</b> {standing(view, _show(view))}</p>"
    if not view.answers:
        return f"{caption}<p>{text.without_answers(view, _show(view))}</p>"
    changed = {change.feature for answer in view.answers for change in answer.changes}
    names = [name for name in view.values if name in changed]
    titles = f"<th>prediction</th><th>{score_word(view)}</th><th>distance</th>"
    head = f"<th></th>{_cells('th', names, view)}{titles}"
    now = _cells("td", [*(view.values[name] for name in names), view.prediction], view)
    score = score_text(view, view.score)
    lines = [f'<tr class="now"><th>now</th>{now}<td>{score}</td><td>—</td></tr>']
    for place, answer in enumerate(view.answers, 1):
        after = {change.feature: change.after for change in answer.changes}
        same = '<td class="same">—</td>'
        cells = [_cells("td", [after[name]], view) if name in after else same for name in names]
        cells.append(_cells("td", [answer.prediction], view))
        cells.append(f"<td>{score_text(view, answer.score)}</td>")
        lines.append(f"<tr><th>{place}</th>{''.join(cells)}<td>{answer.distance:.2f}</td></tr>")
    return f"{caption}<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _cells(tag: str, values: Iterable[Any], view: RowView) -> str:
    return "".join(f"<{tag}>{_show(view)(value)}</{tag}>" for value in values)


def _badge(status: str) -> str:
    return f'<span class="badge {escape(status)}">{STATUS_WORDS.get(status, escape(status))}</span>'


def _unread(ignored: Sequence[str]) -> str:
    return f"<p>{unread(ignored, isolated)}</p>" if ignored else ""
