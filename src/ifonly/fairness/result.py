"""The result of an audit: tables by group, their differences, and what was left out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, overload

import numpy as np
import pandas as pd

from ifonly.answers.pages import text_or_file
from ifonly.errors import OptionError
from ifonly.fairness.bootstrap import difference, ratio
from ifonly.fairness.compared import OVERALL
from ifonly.fairness.data import AuditData
from ifonly.fairness.report.page import page
from ifonly.render import plot_curves

VERSION = 1
"""The version of the JSON of an audit."""
Method = Literal["between_groups", "to_overall"]


@dataclass(frozen=True, eq=False, repr=False)
class Audit(AuditData):
    """Recourse by group: what `ifonly.audit` returns.

    Tables are pandas DataFrames. A measure that no row counts for is NaN; a cost is infinite where
    nobody, or not enough of a group, is reached: the worst, never the best.

    Parameters
    ----------
    sizes
        One line per attribute and group: its rows, and the refused ones that were searched.
    measures
        One line per attribute, group and measure: value, and the ends of its interval. The
        attribute and the group 'all' are all rows.
    differences
        One line per attribute and measure: the largest difference between groups and their ratio,
        with intervals.
    curves
        One line per attribute, group and budget: the share of refused rows with an answer within
        it.
    features
        One line per attribute, group and feature: how often nearest answers change it, its
        responsiveness, and how often it is a principal reason of the refusal.
    tests
        One line per group: the largest difference of its curve to that of all others, the budget
        at which that is, its p-value and that after Holm's correction. Above 0, the group is
        worse off.
    notes
        What was left out, drawn or not measured, in sentences.
    record
        What produced the audit: options, versions, fingerprints, rules.
    further
        The worst subgroups, by attribute, and few actions for everybody.
    source
        The pass of answers that all is computed from; nothing where it was not kept.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> rows = pd.DataFrame({"income": range(10, 50), "sex": ["f", "m"] * 20})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> data = rows[["income"]]
    >>> result = ifonly.audit(rich, rows, data=data, target="yes", groups=["sex"], least=5)
    >>> result
    <Audit: 40 rows, 31 refused, groups by sex>
    """

    def difference(self, method: Method = "between_groups") -> pd.DataFrame:
        """The largest difference of each measure, by attribute.

        Parameters
        ----------
        method
            'between_groups': the largest value less the least; or 'to_overall': the largest
            distance of a group from all rows together.

        Returns
        -------
        pd.DataFrame
            One line per attribute, one column per measure.

        Raises
        ------
        OptionError
            There is no such method.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> rows = pd.DataFrame({"income": range(10, 50), "sex": ["f", "m"] * 20})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> data, ask = rows[["income"]], {"target": "yes", "groups": ["sex"], "least": 5}
        >>> ifonly.audit(rich, rows, data=data, **ask).difference()[["selection_rate"]]
        measure    selection_rate
        attribute
        sex                  0.05
        """
        return self._apart(method, "difference")

    def ratio(self, method: Method = "between_groups") -> pd.DataFrame:
        """The least of each measure as a share of the largest, by attribute.

        Parameters
        ----------
        method
            As of `difference`; 'to_overall': the least ratio of a group and all rows together,
            whichever is larger.

        Returns
        -------
        pd.DataFrame
            One line per attribute, one column per measure.

        Raises
        ------
        OptionError
            There is no such method.

        Examples
        --------
        >>> import pandas as pd, ifonly
        >>> rows = pd.DataFrame({"income": range(10, 50), "sex": ["f", "m"] * 20})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> data, ask = rows[["income"]], {"target": "yes", "groups": ["sex"], "least": 5}
        >>> ifonly.audit(rich, rows, data=data, **ask).ratio()[["selection_rate"]]
        measure    selection_rate
        attribute
        sex                   0.8
        """
        return self._apart(method, "ratio")

    def plot(self, attribute: str | None = None) -> Any:
        """A figure of the curves F_g of an attribute's groups, with intervals (extra 'plot').

        Parameters
        ----------
        attribute
            The attribute; by default the first.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        OptionError
            There is no such attribute.
        MissingExtra
            matplotlib is not installed.
        """
        known = list(self.record["groups"])
        attribute = known[0] if attribute is None else attribute
        if attribute not in known:
            raise OptionError(f"There is no attribute {attribute!r}.", f"Known: {known}.")
        own = self.curves[self.curves["attribute"] == attribute]
        return plot_curves.figure(own, attribute)

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | PathLike[str]) -> None: ...
    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """The audit as JSON: every table as a list of lines; infinity is the text 'inf'.

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
        >>> import json, pandas as pd, ifonly
        >>> rows = pd.DataFrame({"income": range(10, 50), "sex": ["f", "m"] * 20})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> data, ask = rows[["income"]], {"target": "yes", "groups": ["sex"], "least": 5}
        >>> json.loads(ifonly.audit(rich, rows, data=data, **ask).to_json())["sizes"][1]
        {'attribute': 'sex', 'group': 'f', 'rows': 20, 'refused': 16}
        """
        tables = ("sizes", "measures", "differences", "curves", "features", "tests")
        content = {
            "audit": VERSION,
            "record": dict(self.record),
            "notes": list(self.notes),
            **{name: lines_of(getattr(self, name)) for name in tables},
            **{name: lines_of(table) for name, table in self.further.tables().items()},
        }
        return text_or_file(json.dumps(content, indent=1, default=str) + "\n", path)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | PathLike[str]) -> None: ...
    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """One page that opens offline: the validator's report.

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
        >>> rows = pd.DataFrame({"income": range(10, 50), "sex": ["f", "m"] * 20})
        >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> data, ask = rows[["income"]], {"target": "yes", "groups": ["sex"], "least": 5}
        >>> ifonly.audit(rich, rows, data=data, **ask).to_html().startswith("<!doctype html>")
        True
        """
        return text_or_file(page(self), path)

    def __repr__(self) -> str:
        rows, refused = self.sizes.loc[0, ["rows", "refused"]]
        names = ", ".join(self.record["groups"])
        return f"<Audit: {rows:,} rows, {refused:,} refused, groups by {names}>"

    def _apart(self, method: str, kind: str) -> pd.DataFrame:
        if method not in ("between_groups", "to_overall"):
            raise OptionError(f"method is {method!r}.", "It is 'between_groups' or 'to_overall'.")
        table = self.differences
        if method == "to_overall":
            own = self.measures[self.measures["attribute"] != OVERALL]
            pairs = np.stack([own["value"], own["measure"].map(self.overall)], axis=-1)
            each = difference(pairs) if kind == "difference" else ratio(pairs)
            worst = own.assign(**{kind: each}).groupby(["attribute", "measure"], sort=False)[kind]
            table = (worst.max() if kind == "difference" else worst.min()).reset_index()
        order = list(dict.fromkeys(table["measure"]))
        wide = table.pivot(index="attribute", columns="measure", values=kind)[order]
        return wide.loc[[name for name in self.record["groups"] if name in wide.index]]


def lines_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a table as JSON holds them: nothing for NaN, 'inf' for infinity."""
    lines = table.to_dict("records")
    return [{str(name): _plain(one) for name, one in line.items()} for line in lines]


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else "inf" if value > 0 else "-inf"
    return value
