"""The answers to a batch of rows: frozen, checked, and able to say what produced them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, overload

import numpy as np

from ifonly.answers.frontier import frontier
from ifonly.answers.pages import text_or_file
from ifonly.answers.plan import Plan, plan_of
from ifonly.answers.reasons.reasons import AnswerReasons
from ifonly.answers.regions.regions import AnswerRegions
from ifonly.answers.save import from_json, to_json, write_parquet
from ifonly.answers.why import Why, why_of


@dataclass(frozen=True, eq=False, repr=False)
class Answers(AnswerReasons, AnswerRegions):
    """k answers to each of q rows, with a status for each row: what `explain` returns.

    Rows are taken by position: `answers[3]` and `answers[:10]` are Answers too, and a loop over
    answers goes row by row. A score is the model's score of the wanted class or, for a regression,
    what it predicts. Frames are returned in the library of the user's rows.

    Parameters
    ----------
    status
        How the search for each row ended.
    notes
        A message about each row; often empty.
    predicted
        What the model predicts for each row.
    wanted
        The wanted class or range of each row.
    filled
        bool [q, k]: which answers there are.
    score
        [q, k] the score of each answer, NaN where there is none.
    row_score
        [q] the score of each row itself.
    x
        [q, d] the codes of the rows asked.
    points
        [q, k, d] the codes of the answers, nearest first; the row's own where none is filled.
    index
        The user's own index of the rows.
    library
        The library of the user's frame.
    space
        The features, their labels and what changing them costs.
    record
        What produced the answers: versions, seed, options, fingerprints, model rows and calls.
    extra
        bool [q, k]: the answers that resemble others or change more than needed, where the method
        avoids them: they fill the places of a row that has too few others.
    acted
        bool [q, k, d]: what an answer changes itself, where causes are known: the rest follows.
    bound
        [q] the proved lower bound of the price of every answer; infinite: there is none.
    seconds
        [q] how long the proof took.
    reached
        [q, k] the position of the class of each answer in `record["classes"]`, where a row wants
        any class but its own; -1 where there is no answer.
    usual
        [q, k] the share of the rows of the data that are less usual than each answer, where that
        was asked; NaN where there is no answer.
    odd
        bool [q, k, d] the value, or the two values together, that hardly any row of the data has,
        of answers that fewer than 1 % of the rows are as unusual as.
    agreeing
        [q, k] the share of the models of `robust` that give each answer the wanted outcome, where
        there are any; NaN where there is no answer.
    tolerated
        [q, k] where a `tolerance` was demanded: 1 where it is proved, else the share of the points
        within it that have the outcome, a lower bound with a confidence of 95 %.
    carried
        The columns of the rows that are no features, and that answers carry along.
    source
        What fresh answers ask the model with; saved ones have none.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})
    >>> model = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> answers = ifonly.explain(model, data[:2], data=data, k=1)
    >>> answers
    <Answers: 2 rows, k=1: 2 found>
    >>> for row in answers:
    ...     print(row.sentences()[0][0])
    If only income were 41 (not 10): yes (1.00).
    If only income were 41 (not 30): yes (1.00).
    """

    def __getitem__(self, rows: int | slice | Sequence[int]) -> Answers:
        """The answers of one row, of a slice, or of a list of positions or flags."""
        if isinstance(rows, int | np.integer):
            self._check_row(int(rows))
            rows = [int(rows)]
        elif not isinstance(rows, slice) and len(rows) == 0:
            rows = slice(0)
        return replace(self, **self.taken(np.arange(len(self))[rows]))

    def __iter__(self) -> Iterator[Answers]:
        return (self[row] for row in range(len(self)))

    def frontier(
        self, diversities: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)
    ) -> dict[float, Answers]:
        """The answers for several settings of `diversity`, from the candidates already found.

        Parameters
        ----------
        diversities
            The settings, from 0 to 1.

        Returns
        -------
        dict
            Answers per setting.

        Raises
        ------
        OptionError
            The answers were saved or are too many, or their method has no diversity.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> answers.frontier([0, 1])
        {0.0: <Answers: 1 rows, k=1: 1 found>, 1.0: <Answers: 1 rows, k=1: 1 found>}
        """
        chosen = frontier(self, diversities)
        return {one: replace(self, **fields) for one, fields in chosen.items()}

    def why(self, row: int) -> Why:
        """Why a row lacks answers: the rules that conflict, or what was tried and what rejected it.

        The rules that reject candidates need fresh answers; saved ones keep the note.

        Parameters
        ----------
        row
            The position of the row.

        Returns
        -------
        Why

        Raises
        ------
        OptionError
            There is no such row.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1, rules=["income fixed"])
        >>> answers.why(0).conflict
        ('income fixed',)
        """
        self._check_row(row)
        return why_of(self, row % len(self))

    def plan(self, row: int, answer: int = 0) -> Plan:
        """The changes of an answer in an order in which no rule is broken on the way.

        Parameters
        ----------
        row
            The position of the row.
        answer
            The position of the answer.

        Returns
        -------
        Plan

        Raises
        ------
        OptionError
            There is no such row or answer, or the answers were saved without their causes.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> print(answers.plan(0))
        1. income from 10 to 41
        """
        self._check_row(row)
        return plan_of(self, row % len(self), answer)

    def __repr__(self) -> str:
        counts = {status: self.status.count(status) for status in dict.fromkeys(self.status)}
        listed = ", ".join(f"{count} {status}" for status, count in counts.items())
        return f"<Answers: {len(self)} rows, k={self.k}{f': {listed}' if listed else ''}>"

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | PathLike[str]) -> None: ...
    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """The answers as JSON, without loss; `Answers.from_json` reads it.

        Parameters
        ----------
        path
            The file to write; without one, the JSON is returned as text.

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
        >>> ifonly.Answers.from_json(answers.to_json()).frame().equals(answers.frame())
        True
        """
        return text_or_file(to_json(self), path)

    @classmethod
    def from_json(cls, content: str) -> Answers:
        """The answers that `to_json` wrote.

        Parameters
        ----------
        content
            The JSON.

        Returns
        -------
        Answers

        Raises
        ------
        FileError
            The text is not the JSON of answers.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
        >>> ifonly.Answers.from_json(answers.to_json())
        <Answers: 1 rows, k=1: 1 found>
        """
        return cls(**from_json(content))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write `frame()` to a Parquet file, with the JSON of the answers in its metadata.

        Parameters
        ----------
        path
            The file to write.

        Raises
        ------
        OutputError
            The file cannot be written.
        MissingExtra
            pyarrow is not installed.
        DataError
            Parquet cannot hold the frame, such as levels of several types.
        """
        write_parquet(self.frame(), self.to_json(), path)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "source": None}
