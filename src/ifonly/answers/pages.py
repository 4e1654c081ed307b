"""Answers for people to read: sentences, figures and a page."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any, overload

from ifonly.answers.certificates import AnswerProofs
from ifonly.answers.views import row_views
from ifonly.errors import OptionError
from ifonly.metrics import importance
from ifonly.render import html, plot, plot_importance, text
from ifonly.render.destination import write_file
from ifonly.render.view import RowView
from ifonly.solve.question import check_whole


@dataclass(frozen=True, eq=False)
class AnswerPages(AnswerProofs):
    """The part of `Answers` that returns sentences, figures and pages."""

    def sentences(self) -> list[list[str]]:
        """The answers of each row as sentences, or one sentence that says why there is none.

        Control characters of names and levels are escaped.

        Returns
        -------
        list of lists of str

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.sentences()
        [['If only income were 41 (not 10): yes (1.00).']]
        """
        return [text.sentences(row) for row in self.views()]

    def views(self, *, named: bool = True) -> list[RowView]:
        """What there is to show of each row: its values, its answers and their changes.

        Parameters
        ----------
        named
            Use the user's labels for features and classes.

        Returns
        -------
        list of RowView

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.views()[0].answers[0].changes[0].after
        41
        """
        return row_views(self, range(len(self)), named=named)

    def page(self, **shown: Any) -> Any:
        """The page about these rows in a notebook, without a port (extra 'page').

        Rules and demands of the question hold on the page, too.

        Parameters
        ----------
        **shown
            `row`, the position of the row that is shown first; `title`; `language`, 'en' or 'de'.

        Returns
        -------
        ifonly.page.widget.PageWidget
            A widget for Jupyter, JupyterLab, VS Code and marimo.

        Raises
        ------
        IfonlyError
            The answers were loaded from a file, or anywidget is not installed.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:2], data=data, k=1)
        >>> answers.page(row=1).start["rows"]
        [{'income': 10}, {'income': 30}]
        """
        # The page is a room above this one: it is looked up when somebody asks for it.
        return import_module("ifonly.page.widget").page_of_answers(self, **shown)

    def plot(self, row: int = 0) -> Any:
        """A figure: what changes, by how much, and the model's score (extra 'plot').

        Parameters
        ----------
        row
            The position of the row.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        OptionError
            There is no such row.
        MissingExtra
            matplotlib is not installed.
        """
        self._check_row(row)
        return plot.figure(row_views(self, [row % len(self)])[0])

    def plot_importance(self, top: int | None = 20) -> Any:
        """A figure of `importance()`, the most often changed feature on top (extra 'plot').

        Parameters
        ----------
        top
            How many features to show; None shows all.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        OptionError
            `top` is not a whole number of 1 or more.
        MissingExtra
            matplotlib is not installed.
        """
        if top is not None:
            check_whole(top, "top", least=1)
        lines = importance.lines(self._shares(), self.space.names, by_row=False)
        names = [str(self.name(name)) for name in lines["feature"][:top]]
        count, every = len(names), len(self.space)
        most = f"{count} of {every} features, " if count < every else ""
        title = f"What answers change ({most}{len(self)} row{'s' if len(self) > 1 else ''})"
        changed, alone = lines["changed"][:top], lines.get("sufficient")
        return plot_importance.bars(names, changed, None if alone is None else alone[:top], title)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | PathLike[str]) -> None: ...
    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """A page of its own that shows every row and its answers.

        Parameters
        ----------
        path
            The file to write; without one, the page is returned as text.

        Returns
        -------
        str or None

        Raises
        ------
        OutputError
            The file cannot be written.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.to_html().startswith("<!doctype html>")
        True
        """
        return text_or_file(html.page(self.views(), self.record, self._unread()), path)

    def _repr_html_(self) -> str:
        return html.fragment(self.views()[:20], len(self), self._unread())

    def _unread(self) -> list[str]:
        """The user's names of the features that the model does not read."""
        return [str(self.name(name)) for name in self.ignored]

    def _check_row(self, row: int) -> None:
        if not -len(self) <= row < len(self):
            hint = f"Give its position, from 0 to {len(self) - 1}." if len(self) else ""
            raise OptionError(f"There is no row {row}.", hint or "No rows were asked.")


def text_or_file(content: str, path: str | PathLike[str] | None) -> str | None:
    """The content where there is no path; otherwise None, and the file is written."""
    if path is None:
        return content
    write_file(path, content)
    return None
