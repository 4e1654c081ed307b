"""What answers are asked further, with the model: real rows, contributions, responsiveness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ifonly.answers.pages import AnswerPages
from ifonly.answers.questions.contributions import contributions
from ifonly.answers.questions.examples import examples
from ifonly.answers.questions.responsiveness import responsiveness
from ifonly.errors import OptionError, check_flag
from ifonly.solve.question import check_whole
from ifonly.space.table.frame import Frame


@dataclass(frozen=True, eq=False)
class AnswerQuestions(AnswerPages):
    """The part of `Answers` that asks about real rows, single changes and single features."""

    def examples(self, row: int | None = None, n: int = 3, *, rules: bool = True) -> Self:
        """The nearest real rows of `data` that have the wanted outcome, as answers.

        The user's own model decides, and the nearest has the least price. Equal rows count once.
        `frame()` has the rows, `changes()` and `sentences()` what differs, and
        `record["examples"]` their positions in `data`. Causes are not followed: a real row is
        compared as it is.

        Parameters
        ----------
        row
            The position of the row; None: all rows.
        n
            How many real rows.
        rules
            Only rows that the row could become under its rules and demands; False: any row.

        Returns
        -------
        Answers
            Those of `answers[row]`, with real rows in place of answers.

        Raises
        ------
        OptionError
            There is no such row, the answers were saved, or the data are private or not given.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50, 70], "job": ["a", "b", "b", "a"]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> real = answers.examples(0, n=2)
        >>> print(*real.sentences()[0], sep="\\n")
        If only income were 70 (not 10): yes (1.00).
        If only income were 50 (not 10) and job b (not a): yes (1.00).
        >>> real.record["examples"]
        [[3, 2]]
        """
        check_whole(n, "n", least=1)
        check_flag(rules, "rules")
        part, _ = self._part(row)
        return replace(part, **examples(part, n, rules=rules))

    def contributions(self, row: int | None = None, answer: int | None = None) -> Frame:
        """One line per change of an answer: how much it contributes to the score.

        These are the exact Shapley values over the changes of each answer: what a change adds to
        the score, over all orders in which the changes can be made. They sum to the answer's score
        less the row's own. Columns that are one category are one change; where causes are known,
        actions are, each with what follows from it. Beyond 12 changes, 256 orders are drawn, and
        `exact` is False.

        Parameters
        ----------
        row
            The position of the row; None: all rows.
        answer
            The position of the answer; None: all answers.

        Returns
        -------
        Frame

        Raises
        ------
        OptionError
            There is no such row or answer, or the answers were saved and cannot ask the model.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50], "debt": [20, 10, 0]})
        >>> odds = ifonly.as_model(lambda f: (f["income"] - f["debt"]) / 50, classes=["no", "yes"])
        >>> rules = ["income <= 34", "debt >= 8"]
        >>> answers = ifonly.explain(odds, data[1:2], data=data, k=1, rules=rules)
        >>> answers.contributions(0)
           query  answer feature  before  after  contribution  exact
        1      0       0  income      30     34          0.08   True
        1      0       0    debt      10      8          0.04   True
        """
        part, first = self._part(row)
        there = answer is None or (0 <= answer < self.k and (row is None or part.filled[0, answer]))
        if not there:
            whose = "No row" if row is None else f"Row {row}"
            raise OptionError(
                f"{whose} has {'an' if row is None else 'no'} answer {answer}.",
                "Answers are counted from 0; answers.frame() lists them.",
            )
        return self._lines(contributions(part, answer), first)

    def responsiveness(self, row: int | None = None) -> Frame:
        """One line per row and feature: the share of its values that give the wanted outcome.

        Each value is tried alone, the other features kept (where causes are known, they follow);
        where more is demanded of answers, it must be met, too.
        `values` counts what the rules allow: levels, or the numbers that the rows of `data` have,
        at most 1,000 of them; the row's own value is none of these. `share` is missing where
        there is no other value. Columns that are one category are one feature.

        Parameters
        ----------
        row
            The position of the row; None: all rows.

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
        >>> ifonly.explain(rich, data[:1], data=data, k=1).responsiveness(0)
           query feature  values     share
        0      0  income       3  0.666667
        1      0     job       1  0.000000
        """
        part, first = self._part(row)
        return self._lines(responsiveness(part), first)

    def _part(self, row: int | None) -> tuple[Self, int]:
        """The answers of one row, or all; and the position of the first of them."""
        if row is None:
            return self, 0
        self._check_row(row)
        place = row % len(self)
        return replace(self, **self.taken(np.array([place]))), place

    def _lines(self, lines: dict[str, Any], first: int) -> Frame:
        """A table of lines about features, of the rows from the first on."""
        rows = np.asarray(lines["query"], dtype=np.intp) + first
        return self._table(self._labelled({**lines, "query": rows}), rows)
