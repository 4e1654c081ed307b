"""A letter: a template in Markdown or HTML in which `{{ name }}` stands for a field.

What comes from data or from the caller is escaped for the format of the template; the template
itself is taken as it is. A field that the template names and nobody gives is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from ifonly.errors import FileError, OptionError, listed, nearest
from ifonly.render.html import isolated
from ifonly.render.view import value_text, visible

BUILT_IN = {"markdown": "letter.md", "html": "letter.html", "credit": "credit.html"}
"""The templates that come with ifonly, by name."""
_FIELD = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_LINE = re.compile(r"^(\s*)(\d*[-+.)=:]|\d+[.)])", re.MULTILINE)


@dataclass(frozen=True)
class Format:
    """How text, data and lists stand in a kind of document."""

    show: Callable[..., str]
    """A value or a name that comes from data, with the thousands separator."""
    escape: Callable[[str], str]
    """Text that stands inside a line."""
    lines: Callable[[str], str]
    """Text that stands alone; its lines stay lines."""
    listed: Callable[[Iterable[str]], str]
    """Items that are escaped already, as a numbered list."""


def markdown(text: str) -> str:
    r"""Text inside a line that Markdown shows as it is.

    >>> print(markdown("*not* bold <b>"))
    \*not\* bold \<b\>
    """
    return _MARKS.sub(r"\\\1", visible(text))


def markdown_lines(text: str) -> str:
    r"""Text that Markdown shows as it is; a line stays a line.

    >>> print(markdown_lines("2. *not* a list <b>\n- nor this"))
    2\. \*not\* a list \<b\>\
    \- nor this
    """
    shown = _MARKS.sub(r"\\\1", visible(text, keep="\n"))
    shown = _LINE.sub(lambda one: f"{one[1]}{one[2][:-1]}\\{one[2][-1]}", shown)
    return shown.replace("\n", "\\\n")


def _html(text: str) -> str:
    return escape(visible(text, keep="\n")).replace("\n", "<br>\n")


def _items(items: Iterable[str]) -> str:
    return "<ol>\n" + "".join(f"<li>{item}</li>\n" for item in items) + "</ol>"


def _numbered(items: Iterable[str]) -> str:
    return "\n".join(f"{place}. {item}" for place, item in enumerate(items, 1))


def _in_markdown(value: Any, thousands: str = ",") -> str:
    shown = value_text(value, thousands)
    return markdown(shown) if isinstance(value, str) else shown


MARKDOWN = Format(_in_markdown, markdown, markdown_lines, _numbered)
HTML = Format(isolated, _html, _html, _items)


@dataclass(frozen=True)
class Template:
    """The text of a letter, and what kind of document it is."""

    text: str
    format: Format

    @classmethod
    def of(cls, given: Any) -> Template:
        """A template by its name, by the path of its file, or by its text, which has a field."""
        if isinstance(given, str) and "{{" in given:
            return cls(given, HTML if given.lstrip().startswith("<") else MARKDOWN)
        if not isinstance(given, str | PathLike):
            hint = "Give 'markdown', 'html', 'credit', a path, or a text with {{ fields }}."
            raise OptionError(f"The template is a {type(given).__name__}.", hint)
        path = Path(given)
        if str(given) in BUILT_IN:
            source: Any = files("ifonly.render").joinpath("letters", BUILT_IN[str(given)])
            path = Path(BUILT_IN[str(given)])
        else:
            source = path
        try:
            text = source.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8"
            raise FileError(
                f"The template {str(given)!r} cannot be read: {why}.",
                f"The built-in ones are {listed(BUILT_IN)}.",
            ) from None
        return cls(text, HTML if path.suffix.lower() in (".html", ".htm") else MARKDOWN)

    def filled(self, fields: Mapping[str, str], missing: Mapping[str, str]) -> str:
        """The letter with escaped fields; `missing` says what to do for some that are not there."""
        for name in dict.fromkeys(_FIELD.findall(self.text)):
            if name not in fields:
                known = sorted({*fields, *missing})
                hint = missing.get(name) or (
                    f"{nearest(name, known)} Give it as fields={{{name!r}: ...}}; "
                    f"known are {listed(known)}."
                )
                raise OptionError(f"The template needs the field {name!r}.", hint.strip())
        return _FIELD.sub(lambda one: fields[one[1]], self.text)


def given_fields(fields: Mapping[str, Any], form: Format) -> dict[str, str]:
    """The caller's own fields, escaped."""
    texts = {name: v if isinstance(v, str) else value_text(v) for name, v in fields.items()}
    return {name: form.lines(text) for name, text in texts.items()}
