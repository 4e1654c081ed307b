"""The parts of an HTML page: sections, tables, pictures. Nothing is fetched from anywhere."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd

from ifonly.render.html import document, isolated

STYLE = """
main { max-width: 84rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 0 0 2rem; }
section { border-top: 1px solid var(--line); padding-top: 1.5rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
.scroll table { font-size: .85rem; min-width: 40rem; }
.scroll th, .scroll td { padding: .3rem .9rem .3rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); }
.scroll td.number { white-space: nowrap; text-align: right; }
.scroll caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
.claims td { min-width: 9rem; }
.claims td:nth-child(2) { min-width: 18rem; }
figure { margin: 1.2rem 0; background: #fff; border: 1px solid var(--line); border-radius: .6rem;
  padding: .8rem; }
figure img { display: block; width: 100%; height: auto; }
figcaption { color: #626a73; font-size: .9rem; margin-top: .5rem; }
.badge.holds { color: var(--good); }
.badge.differs { color: var(--bad); }
.badge.cannot { color: var(--soft); }
.note { color: var(--soft); max-width: 60rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class Section:
    """A titled part of the page: its name in links, its title, and HTML in order."""

    name: str
    title: str
    parts: list[str] = field(default_factory=list)

    def html(self) -> str:
        """The section as HTML."""
        inside = "\n".join(part for part in self.parts if part)
        return f'<section id="{self.name}">\n<h2>{escape(self.title)}</h2>\n{inside}\n</section>'


def page(title: str, lead: str, sections: Iterable[Section]) -> str:
    """A whole page with links to its sections; `lead` is HTML."""
    shown = list(sections)
    links = "".join(f'<a href="#{one.name}">{escape(one.title)}</a>' for one in shown)
    body = "\n".join(one.html() for one in shown)
    head = f"<header><h1>{escape(title)}</h1>\n{lead}</header>\n<nav>{links}</nav>"
    # Without an icon of its own, a browser asks for one.
    return document(title, f"{head}\n{body}", STYLE, '<link rel="icon" href="data:,">\n')


def text(words: str) -> str:
    """A paragraph."""
    return f'<p class="note">{escape(words)}</p>' if words else ""


def listed(lines: Iterable[str]) -> str:
    """A list of sentences."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="note">{items}</ul>' if items else ""


def not_run(what: str, why: str = "") -> str:
    """What stands in the place of something that was not run."""
    return f'<p class="note"><b>not run</b>: {escape(what)} {escape(why)}</p>'


def badge(word: str) -> str:
    """'holds', 'differs' or 'cannot be checked', in its colour."""
    return f'<span class="badge {word.split()[0]}">{escape(word)}</span>'


def picture(svg: bytes, name: str, caption: str) -> str:
    """A chart, inside the page."""
    data = base64.b64encode(svg).decode()
    return (
        f'<figure id="figure-{name}"><img alt="{escape(caption)}" '
        f'src="data:image/svg+xml;base64,{data}"><figcaption>{escape(caption)}</figcaption>'
        "</figure>"
    )


def table(frame: pd.DataFrame, caption: str = "", kind: str = "") -> str:
    """A DataFrame as a table; a column named 'verdict' holds words that get a badge."""
    if frame.empty:
        return ""
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in frame.columns)
    lines = "".join(
        "<tr>"
        + "".join(_cell(str(name), one) for name, one in zip(frame.columns, line, strict=True))
        + "</tr>"
        for line in frame.itertuples(index=False)
    )
    summary = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll {kind}"><table>{summary}<thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(column: str, value: Any) -> str:
    if column == "verdict":
        return f"<td>{badge(str(value))}</td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, float):
        shown = (
            "—" if math.isnan(value) else f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
        )
        return f'<td class="number">{shown}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{'—' if value is None else isolated(str(value))}</td>"
