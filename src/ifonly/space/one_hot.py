"""Columns that are one category in 0 and 1: each row sets exactly one of them, or at most one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, OptionError, nearest
from ifonly.space.feature import Categorical, Feature

EXPECTED = 10.0
"""Columns of which no row sets two are a group if, by chance, as many rows would."""
_ENDS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class OneHot:
    """Columns of which a row sets exactly one or, with `optional`, at most one.

    Parameters
    ----------
    columns
        The columns.
    optional
        Whether a row may set none: one level has no column.

    Examples
    --------
    >>> group = OneHot(("job_clerk", "job_none"))
    >>> group.name, group.level("job_clerk")
    ('job', 'clerk')
    """

    columns: tuple[str, ...]
    optional: bool = False

    @property
    def name(self) -> str:
        """What the names of the columns share, or all of them."""
        shared = _shared(self.columns)
        return shared[: -len(_ENDS.findall(shared)[-1])] if shared else "/".join(self.columns)

    def level(self, column: str) -> str:
        """The level that a column stands for."""
        return column[len(_shared(self.columns)) :]


def find_groups(frame: nw.DataFrame[Any], others: Collection[str]) -> tuple[OneHot, ...]:
    """The groups in a frame: names share a start, and every row agrees; `others` are left out.

    The shortest start counts, so that a group has all its columns.
    """
    columns = {name: _flags(frame[name]) for name in frame.columns if name not in others}
    left = {name: flags for name, flags in columns.items() if flags is not None}
    starts = {name[: end.end()] for name in left for end in _ENDS.finditer(name) if end.start()}
    groups = []
    for start in sorted(starts, key=len):
        names = [name for name in left if name.startswith(start) and len(name) > len(start)]
        group = _group(names, left) if len(names) > 1 else None
        if group is not None:
            groups.append(group)
            for name in names:
                del left[name]
    order = {name: place for place, name in enumerate(frame.columns)}
    return tuple(sorted(groups, key=lambda group: order[group.columns[0]]))


def stated_groups(frame: nw.DataFrame[Any], stated: Iterable[Sequence[str]]) -> tuple[OneHot, ...]:
    """The groups that a user states, checked against a frame."""
    groups = []
    for names in stated:
        if isinstance(names, str) or len(names) < 2:
            raise OptionError(
                f"one_hot has {names!r}.", "Give lists of columns: one_hot=[['job_a', 'job_b']]."
            )
        flags = {name: _stated(frame, name) for name in names}
        count = np.sum(list(flags.values()), axis=0)
        if (count > 1).any():
            raise OptionError(
                f"one_hot has {', '.join(names)}, and row {int(np.argmax(count > 1))} of `data` "
                "sets two of them.",
                "A group has at most one column set in every row.",
            )
        groups.append(OneHot(tuple(names), bool((count == 0).any())))
    twice = [name for group in groups for name in group.columns]
    for name in twice:
        if twice.count(name) > 1:
            raise OptionError(f"one_hot has {name!r} in two groups.", "A column is in one group.")
    return tuple(groups)


def groups_of(plain: Any) -> tuple[OneHot, ...]:
    """The groups as JSON holds them: lists of columns, each with whether a row may set none."""
    try:
        return tuple(OneHot(tuple(names), optional is True) for names, optional in plain)
    except (TypeError, ValueError):
        raise DataError("These are not groups of columns.", "Write one by to_json().") from None


def check_groups(features: Iterable[Feature], groups: Iterable[OneHot]) -> None:
    """Refuse a group of other columns than those with two levels."""
    flags = {one.name for one in features if isinstance(one, Categorical) and len(one.levels) == 2}
    for group in groups:
        for name in group.columns:
            if name not in flags:
                raise OptionError(
                    f"one_hot has {name!r:.60}, which is not a feature with two levels.",
                    "State columns of 0 and 1, or of False and True.",
                )


def _stated(frame: nw.DataFrame[Any], name: str) -> np.ndarray:
    if name not in frame.columns:
        raise OptionError(f"`data` has no column {name!r}.", nearest(name, frame.columns))
    flags = _flags(frame[name])
    if flags is None:
        raise OptionError(
            f"one_hot has {name!r}, which is not a column of zeros and ones.",
            "State columns of 0 and 1, or of False and True, without missing values.",
        )
    return flags


def _group(names: Sequence[str], flags: Mapping[str, np.ndarray]) -> OneHot | None:
    """The columns as a group, if every row agrees and not by chance."""
    table = np.stack([flags[name] for name in names])
    count = table.sum(axis=0)
    if (count > 1).any():
        return None
    share = table.mean(axis=1)
    by_chance = (share.sum() ** 2 - (share**2).sum()) / 2 * table.shape[1]
    optional = bool((count == 0).any())
    return None if optional and by_chance < EXPECTED else OneHot(tuple(names), optional)


def _flags(series: nw.Series[Any]) -> np.ndarray | None:
    """bool [n] a column of zeros and ones of which it has both, or nothing."""
    native = series.to_native()
    values: np.ndarray | None
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.SparseDtype):
        values = np.asarray(native.to_numpy())
    elif series.dtype.is_float() or series.dtype.is_integer() or series.dtype == nw.Boolean:
        wide = series.dtype in (nw.Int128, nw.UInt128)  # NumPy has no such dtype
        values = None if series.is_null().any() or wide else series.to_numpy()
    else:
        values = None
    if values is None:
        return None
    one = values == 1
    return np.asarray(one) if one.any() and (one | (values == 0)).all() and not one.all() else None


def _shared(columns: Sequence[str]) -> str:
    """The start that names share, up to the end of a word; none, where one has nothing more."""
    first, last = min(columns), max(columns)
    same = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first)
    )
    ends = [found.end() for found in _ENDS.finditer(first[:same])]
    shared = first[: ends[-1]] if ends else ""
    return shared if all(len(name) > len(shared) for name in columns) else ""
