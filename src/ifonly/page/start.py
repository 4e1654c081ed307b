"""What a page starts with: rows to choose from, the question as it is first asked, and a title."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ifonly.answers import Answers
from ifonly.client.request import request_of
from ifonly.errors import OptionError
from ifonly.space import Space
from ifonly.space.table.frame import Frame

LANGUAGES = ("", "en", "de")
KEPT = ("k", "seed", "threshold", "plausible", "margin")
"""The options of a recorded question that the page asks with again; the rest is in the setting."""


def start_of(
    space: Space,
    rows: Any = None,
    *,
    row: int | None = None,
    title: str = "",
    language: str = "",
    **options: Any,
) -> dict[str, Any]:
    """The start object of a page: all that it does not ask the contract for.

    Parameters
    ----------
    space
        The features of the rows.
    rows
        A frame, or one row of a pandas frame; None: the page offers a form.
    row
        The position of the row that is shown first; None: the list, or the only row.
    title
        What stands at the top.
    language
        'en' or 'de'; empty: that of the reader's browser.
    **options
        Options of `Explainer.explain`, as the page asks first.

    Returns
    -------
    dict

    Raises
    ------
    IfonlyError
        The rows or the options cannot be used.

    Examples
    --------
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> start_of(Space.infer(data), data[:1], title="Loans", k=2)["options"]["k"]
    2
    """
    if language not in LANGUAGES:
        raise OptionError(f"language={language!r} is not known.", "Use 'en', 'de' or ''.")
    request = request_of(space, _frame(space, rows), **options)
    found = request.pop("rows")
    if row is None and len(found) == 1:
        row = 0
    if row is not None and not 0 <= row < len(found):
        raise OptionError(f"row={row!r} is not one of {len(found)} rows.", "Count from 0.")
    return {"rows": found, "row": row, "options": request, "title": title, "language": language}


def start_of_answers(answers: Answers, **shown: Any) -> dict[str, Any]:
    """The start object of a page about the rows of answers; the question is theirs."""
    record = answers.record
    options = {name: record[name] for name in KEPT}
    if not isinstance(record["target"], list):
        options["target"] = record["target"]
    rows: Any = answers.space.rows(answers.x, "pandas")
    if answers.carried is not None:
        frame = answers.carried.frame
        rows = rows.assign(**{n: frame[n].to_list() for n in frame.columns})
    return start_of(answers.space, rows, **options, **shown)


def _frame(space: Space, rows: Any) -> Frame:
    """Rows as a frame: none, one of a pandas frame, or a frame as it is."""
    if rows is None:
        return space.rows(np.empty((0, len(space))), "pandas")
    return rows.to_frame().T.infer_objects() if isinstance(rows, pd.Series) else rows
