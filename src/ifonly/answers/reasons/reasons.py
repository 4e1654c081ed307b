"""What answers are asked about the outcome itself: its reasons, and a notice that states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from os import PathLike
from typing import Any

import numpy as np

from ifonly.answers.pages import text_or_file
from ifonly.answers.plan import plan_of
from ifonly.answers.questions.questions import AnswerQuestions
from ifonly.answers.reasons.codes import Codes, ReasonCodes
from ifonly.answers.reasons.measure import measured
from ifonly.answers.reasons.notice import notice
from ifonly.answers.reasons.reason import Reasons, reasons_of
from ifonly.answers.views import row_views
from ifonly.space.table.frame import Frame


@dataclass(frozen=True, eq=False)
class AnswerReasons(AnswerQuestions):
    """The part of `Answers` that says why a row got its outcome, and not what to do about it."""

    def reasons(self, row: int, *, codes: Codes | None = None) -> Reasons:
        """Why a row got its outcome: at most four principal reasons, the greatest weight first.

        Reasons are no ways: rules and causes are left out. The weight of a feature is the share
        of the gap to the threshold that changing it alone, within the values of `data`, can close;
        more than 1 where that leads beyond it. A reason suffices where that gives the wanted
        outcome; it is needed where no values of the other features were found that do. The model
        itself says both. A reason that no rule lets anybody change is marked.

        Parameters
        ----------
        row
            The position of the row.
        codes
            A table of reason codes: the path of a CSV file, a DataFrame, or a list of
            dictionaries, with the columns feature, when, code and sentence; see
            `ifonly.datasets.reason_codes`.

        Returns
        -------
        Reasons
            Empty where the row has the wanted outcome.

        Raises
        ------
        OptionError
            There is no such row, the answers were saved, or the table lacks a feature.
        DataError
            The table cannot be used.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50, 20], "debt": [20, 10, 0, 30]})
        >>> odds = ifonly.as_model(lambda f: (f["income"] - f["debt"] + 50) / 100, classes=[0, 1])
        >>> answers = ifonly.explain(odds, data[:1], data=data, k=1, rules=["income fixed"])
        >>> print(answers.reasons(0))
        1. Income is too low (10). A reason you cannot act on.
        2. Debt is too high (20).
        >>> [(round(one.weight, 3), one.suffices, one.needed) for one in answers.reasons(0)]
        [(4.0, True, False), (2.0, True, False)]
        """
        return self._reasons(row, codes)

    def reason_weights(self, row: int | None = None) -> Frame:
        """One line per row and feature: its weight as a reason, and its place among the reasons.

        `rank` counts the reasons of a row from 1, and is 0 for other features; `weight` is missing
        where the row has the wanted outcome. The others are as in `reasons`; `actionable` is False
        also where no value of the feature helps, whatever the rules allow.

        Parameters
        ----------
        row
            The position of the row; None: all rows, for which the model is asked together.

        Returns
        -------
        Frame

        Raises
        ------
        OptionError
            There is no such row, or the answers were saved and cannot ask the model.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50, 70], "job": ["a", "b", "b", "a"]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> ifonly.explain(rich, data[:1], data=data, k=1).reason_weights(0)
           query feature  weight  rank  suffices  needed  actionable
        0      0  income     2.0     1      True    True        True
        1      0     job     0.0     0     False   False       False
        """
        part, first = self._part(row)
        found = measured(part)
        q, f = found.weight.shape
        rank = np.zeros((q, f + 1), dtype=np.intp)  # the last takes what is no reason
        places = np.broadcast_to(np.arange(1, found.order.shape[1] + 1), found.order.shape)
        np.put_along_axis(rank, found.order, places, axis=1)
        lines: dict[str, Any] = {
            "query": np.repeat(np.arange(q), f),
            "feature": list(found.features) * q,
            "weight": found.weight.ravel(),
            "rank": rank[:, :f].ravel(),
        }
        flags = ("suffices", "needed", "actionable")
        return self._lines(lines | {name: getattr(found, name).ravel() for name in flags}, first)

    def notice(
        self,
        row: int,
        template: str | PathLike[str] = "markdown",
        *,
        codes: Codes | None = None,
        valid_until: date | str | None = None,
        fields: Mapping[str, Any] | None = None,
        path: str | PathLike[str] | None = None,
    ) -> str | None:
        """A letter about one row: its outcome, the reasons, the ways, and the plan of the first.

        In a template `{{ name }}` stands for a field: outcome, wanted, standing, threshold,
        reasons, ways, plan, valid_until, model and row are filled here, others are the caller's.
        All of them are escaped; the template is not.

        Parameters
        ----------
        row
            The position of the row.
        template
            'markdown' or 'html', 'credit' (an HTML letter of a lender, whose fields are applicant,
            lender, date, reference, contact, legal_notice and record), the path of a file, .html
            or Markdown, or the text itself.
        codes
            As for `reasons`.
        valid_until
            The date until which the ways hold.
        fields
            The caller's own fields.
        path
            The file to write; without one, the letter is returned as text.

        Returns
        -------
        str or None

        Raises
        ------
        OptionError
            The template names a field that is not given, or as for `reasons`.
        FileError
            The template cannot be read.
        OutputError
            The file cannot be written.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> text = "{{ outcome }}: {{ reasons }}\\nUntil {{ valid_until }}: {{ ways }}"
        >>> print(answers.notice(0, text, valid_until="May"))
        no: 1. Income is too low (10).
        Until May: 1. If only income were 41 (not 10): yes (1.00).
        """
        found = self._reasons(row, codes)
        place = row % len(self)
        (view,) = row_views(self, [place])
        plan = plan_of(self, place, 0) if self.filled[place, 0] else None
        given = {} if fields is None else dict(fields)
        letter = notice(
            view, found, plan, self.record, template, valid_until=valid_until, fields=given
        )
        return text_or_file(letter, path)

    def _reasons(self, row: int, codes: Codes | None) -> Reasons:
        self._check_row(row)
        table = None if codes is None else ReasonCodes.of(codes)
        if table is not None:
            table.check(self.space, self.ignored)
        return reasons_of(self._part(row)[0], table)[0]
