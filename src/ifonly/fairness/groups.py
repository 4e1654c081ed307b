"""The groups that an audit compares: columns of the rows, or a Series or frame beside them.

Protected attributes are often no inputs of the model, so they need not be columns of its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, OptionError, close, listed
from ifonly.space.table.frame import Frame, as_frame, free_name, levels_and_positions, numbers

MOST_LEVELS = 50
"""An attribute of more groups is refused: hardly any would have enough rows."""
FEW_NUMBERS = 10
"""Up to so many different numbers are taken for names of groups, such as 0 and 1."""
MISSING = "missing"
"""The name of the group of rows without a value."""
Cuts = Mapping[str, Sequence[float]]


def read_groups(groups: Any, rows: Frame, cuts: Cuts | None = None) -> pd.DataFrame:
    """[q] a column of categories, as text, per attribute; aligned with the rows."""
    frame = as_frame(rows, empty=True)
    columns = _columns(groups, rows, frame)
    if not columns:
        raise OptionError(
            "`groups` is empty.", "Name at least one column of `rows`, such as groups=['sex']."
        )
    unused = [name for name in cuts or {} if name not in columns]
    if unused:
        raise OptionError(
            f"`cuts` has {unused[0]!r}, which is no attribute of `groups`.",
            close(unused[0], columns) or f"The attributes are {listed(columns)}.",
        )
    return pd.DataFrame(
        {
            name: _categories(name, series, (cuts or {}).get(name))
            for name, series in columns.items()
        }
    )


def names_in_rows(groups: Any) -> list[str]:
    """The columns of `rows` that `groups` names."""
    if isinstance(groups, str):
        return [groups]
    named = isinstance(groups, Sequence) and all(isinstance(one, str) for one in groups)
    return list(groups) if named else []


def _columns(groups: Any, rows: Frame, frame: nw.DataFrame[Any]) -> dict[str, nw.Series[Any]]:
    """The series of each attribute."""
    if isinstance(groups, str) or (isinstance(groups, Sequence) and names_in_rows(groups)):
        return {name: _named(name, frame) for name in names_in_rows(groups)}
    if isinstance(groups, Sequence) and not len(groups):
        return {}
    try:
        beside = nw.from_native(groups, eager_only=True, allow_series=True)
    except (TypeError, nw.exceptions.DuplicateError):
        raise DataError(
            f"`groups` is of type {type(groups).__name__}.",
            "Give names of columns of `rows`, or a Series or DataFrame with a line for each row.",
        ) from None
    if len(beside) != len(frame):
        raise DataError(
            f"`groups` has {len(beside)} lines, and `rows` has {len(frame)}.",
            "Give a line for each row, in the order of `rows`.",
        )
    index, own = getattr(groups, "index", None), getattr(rows, "index", None)
    if isinstance(index, pd.Index) and isinstance(own, pd.Index) and not index.equals(own):
        raise DataError(
            "`groups` has another index than `rows`, so that their lines do not belong together.",
            "Align them first: groups.loc[rows.index]; or give groups.reset_index(drop=True) "
            "and rows.reset_index(drop=True), where the order is the same.",
        )
    if isinstance(beside, nw.Series):
        return {str(beside.name or "group"): beside}
    beside = as_frame(groups, "groups", empty=True)
    return {name: beside[name] for name in beside.columns}


def _named(name: str, frame: nw.DataFrame[Any]) -> nw.Series[Any]:
    if name not in frame.columns:
        raise DataError(
            f"`groups` names {name!r}, which is not a column of `rows`.",
            f"{close(name, frame.columns)} An attribute that is no column can be given as a "
            "Series or DataFrame aligned with `rows`.".strip(),
        )
    return frame[name]


def _categories(name: str, series: nw.Series[Any], cuts: Sequence[float] | None) -> Any:
    """The groups of an attribute as a pandas categorical of text."""
    if cuts is not None:
        levels, places = _cut(name, series, cuts)
    else:
        levels, places = _levels(name, series)
    present = np.unique(places[places >= 0])
    labels = [levels[place] for place in present]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise DataError(
            f"The attribute {name!r} has two different values that both read {twice!r}.",
            "Turn its values into text of one form.",
        )
    codes = np.searchsorted(present, places).astype(np.intp)
    if (places < 0).any():
        codes[places < 0] = len(labels)
        labels = [*labels, free_name(MISSING, labels)]
    if len(labels) < 2:
        found = f"only {labels[0]!r}" if labels else "no value"
        raise DataError(
            f"The attribute {name!r} of `groups` has {found}: there is nothing to compare.",
            "Leave it out, or give rows of more than one group.",
        )
    return pd.Categorical.from_codes(codes.tolist(), categories=pd.Index(labels))


def _levels(name: str, series: nw.Series[Any]) -> tuple[list[str], np.ndarray]:
    """The texts of the values of an attribute, in their order, and the place of each row's own."""
    levels, places = levels_and_positions(series, "groups")
    if series.dtype.is_numeric() and len(levels) > FEW_NUMBERS:
        values = sorted(levels)
        thirds = [values[len(values) // 3], values[2 * len(values) // 3]]
        raise DataError(
            f"The attribute {name!r} of `groups` has {len(levels):,} different numbers, from "
            f"{values[0]:g} to {values[-1]:g}, and no cuts.",
            f"State where its groups begin, such as cuts={{{name!r}: {thirds}}}.",
        )
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"The attribute {name!r} of `groups` has {len(levels):,} groups; an audit compares at "
            f"most {MOST_LEVELS}.",
            "Join groups into fewer ones. An identifier is no attribute.",
        )
    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
        known = {level: place for place, level in enumerate(native.cat.categories.tolist())}
        order = sorted(range(len(levels)), key=lambda i: known[levels[i]])
    else:
        order = sorted(range(len(levels)), key=lambda i: _sorting(levels[i]))
    rank = np.empty(len(order) + 1, dtype=np.intp)
    rank[order], rank[-1] = np.arange(len(order)), -1
    return [_text(levels[i]) for i in order], rank[places]


def _cut(name: str, series: nw.Series[Any], cuts: Sequence[float]) -> tuple[list[str], np.ndarray]:
    """The ranges between cuts as text, and the place of each row's own."""
    try:
        edges = np.asarray(cuts, dtype=np.float64)
    except (TypeError, ValueError):
        edges = np.empty(0)
    if edges.ndim != 1 or not len(edges) or not (np.diff(edges, prepend=-np.inf) > 0).all():
        raise OptionError(
            f"cuts[{name!r}] is {cuts!r}.", "Give numbers that increase, such as [25, 45, 65]."
        )
    values = numbers(series, "groups")
    places = np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="right"))
    inner = [f"{low:g} to under {high:g}" for low, high in pairwise(edges)]
    return [f"under {edges[0]:g}", *inner, f"{edges[-1]:g} or more"], places.astype(np.intp)


def _sorting(level: Any) -> tuple[int, Any]:
    """Numbers before text, each in its own order."""
    return (0, float(level)) if isinstance(level, bool | int | float) else (1, str(level))


def _text(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)
