"""What an audit consists of: its tables, notes and record, and the tables by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ifonly.answers import Answers
from ifonly.fairness.compared import OVERALL
from ifonly.fairness.further import Further
from ifonly.fairness.one_pass import Pass


@dataclass(frozen=True, eq=False)
class AuditData:
    """The fields of `Audit`, which documents them."""

    sizes: pd.DataFrame
    measures: pd.DataFrame
    differences: pd.DataFrame
    curves: pd.DataFrame
    features: pd.DataFrame
    tests: pd.DataFrame
    notes: tuple[str, ...]
    record: Mapping[str, Any]
    further: Further = field(default_factory=Further)
    source: Pass | None = None

    @property
    def answers(self) -> Answers:
        """The answers of the refused rows, which all of it is computed from."""
        assert self.source is not None
        assert self.source.answers is not None, "a pass that was made by hand has no answers"
        return self.source.answers

    @property
    def by_group(self) -> pd.DataFrame:
        """One line per attribute and group: its sizes, and a column per measure."""
        keys, own = ["attribute", "group"], self.measures[self.measures["attribute"] != OVERALL]
        order = list(dict.fromkeys(own["measure"]))
        wide = own.pivot(index=keys, columns="measure", values="value")[order]
        sizes = self.sizes[self.sizes["attribute"] != OVERALL].set_index(keys)
        return sizes.join(wide).rename_axis(columns=None)

    @property
    def overall(self) -> pd.Series[Any]:
        """The measures of all rows together."""
        own = self.measures[self.measures["attribute"] == OVERALL]
        return own.set_index("measure")["value"].rename(None)
