"""Suggested rules as a user gets them: texts to accept, each with its rows and its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from ifonly.rules.suggested.find import find_rules
from ifonly.rules.suggested.table import Suggestion
from ifonly.space import Space

WORD = "suggested"
"""What stands for the suggested rules among others."""
MOST = 20
"""How many rules are suggested unless the user says otherwise."""


@dataclass(frozen=True, repr=False)
class Suggestions(Sequence[str]):
    """Rules that hold in every row of some data: a sequence of their texts.

    Parameters
    ----------
    found
        The suggestions, the most useful first: each has its `rule`, the number of `rows` that
        show it, and its `meaning` in plain English.
    of
        The number of rows of the data.

    Examples
    --------
    >>> import numpy as np, pandas as pd, ifonly
    >>> part = np.arange(100) * 7 % 30
    >>> rules = ifonly.suggest_rules(pd.DataFrame({"part": part, "total": part + range(100),
    ...                                            "rest": range(100)}))
    >>> list(rules)
    ['total = part + rest']
    >>> print(rules)
    rule                 rows  meaning
    total = part + rest   100  total equals part + rest.
    """

    found: tuple[Suggestion, ...]
    of: int

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Suggestions: ...
    def __getitem__(self, place: int | slice) -> str | Suggestions:
        """The text of one rule, or some of the suggestions."""
        if isinstance(place, slice):
            return replace(self, found=self.found[place])
        return str(self.found[place].rule)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        if not self.found:
            return f"No rule is suggested by {self.of} rows."
        wide = max(4, *(len(text) for text in self))
        lines = [f"{'rule':{wide}}  rows  meaning"]
        for text, one in zip(self, self.found, strict=True):
            lines.append(f"{text:{wide}}  {one.rows:>4}  {one.meaning}")
        return "\n".join(lines)


def suggested(space: Space, codes: np.ndarray, most: int = MOST) -> Suggestions:
    """What codes [n, d] of a space suggest."""
    return Suggestions(find_rules(space, codes, most), len(codes))
