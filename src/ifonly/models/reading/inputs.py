"""What the last step of a model sees: columns of numbers, each of which comes from one feature.

The columns are the pipeline's own: codes are made into rows and its steps transform them. No
formula of any scaler or encoder is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import ModelError, ReadingError
from ifonly.models.reading.witness import ENCODED, Witness
from ifonly.space import Space

BLOCK = 20_000
"""Points that are transformed at a time."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """The columns of codes: `see` gives [n, p] of codes [n, d], NaN where a value is missing."""

    witness: Witness
    """The rows and values at which columns are looked at."""
    see: Callable[[np.ndarray], np.ndarray]
    count: int = ENCODED
    """How many values of a number are looked at beside those of the data."""

    @property
    def space(self) -> Space:
        return self.witness.space

    @cached_property
    def base(self) -> np.ndarray:
        """[d] the point that is varied, a feature at a time."""
        return np.where(self.space.continuous, self.space.low, 0.0)

    def alone(self, j: int, codes: np.ndarray) -> np.ndarray:
        """[n, p] the columns where feature j has codes [n] and all others those of the base."""
        points = np.tile(self.base, (len(codes), 1))
        points[:, j] = codes
        return self.see(points)

    def each(self, codes: Sequence[np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
        """For each feature and its codes [n], in parts, (feature, [n, p]) its columns alone.

        Several features are transformed at a time: a pipeline's call costs more than its rows.
        """
        parts = [(j, part) for j, one in enumerate(codes) for part in blocks(one)]
        start = 0
        while start < len(parts):
            sizes = np.cumsum([len(part) for _, part in parts[start:]])
            stop = start + max(1, int(np.searchsorted(sizes, BLOCK, side="right")))
            feature = np.concatenate([np.full(len(part), j) for j, part in parts[start:stop]])
            points = np.tile(self.base, (len(feature), 1))
            points[np.arange(len(feature)), feature] = np.concatenate(
                [part for _, part in parts[start:stop]]
            )
            seen = np.split(self.see(points), sizes[: stop - start - 1])
            yield from zip((j for j, _ in parts[start:stop]), seen, strict=True)
            start = stop

    def values(self, j: int) -> np.ndarray:
        """Sorted codes of feature j, all that are looked at; no missing one."""
        return self.witness.values(j, self.count)

    def owners(self, probe: np.ndarray) -> np.ndarray:
        """int [p] the feature that each column comes from, -1 for a constant one.

        A column that comes from two is refused; `probe` [n, d] are points to see that on, beside
        the rows of the data.
        """
        start = self.see(self.base[None])
        none = [np.full(int(feature.missing), np.nan) for feature in self.space.features]
        table = np.zeros((len(none), start.shape[1]), dtype=bool)
        for j, seen in self.each([np.append(self.values(j), gap) for j, gap in enumerate(none)]):
            table[j] |= ~same(seen, start).all(axis=0)
        shared = np.flatnonzero(table.sum(axis=0) > 1)
        if len(shared):
            self._refuse_mixture(np.flatnonzero(table[:, shared[0]]))
        owner = np.where(table.any(axis=0), table.argmax(axis=0), -1)
        for part in blocks(np.concatenate([probe, self.witness.rows])):
            self._check_alone(owner, start, part)
        return owner

    def _check_alone(self, owner: np.ndarray, start: np.ndarray, probe: np.ndarray) -> None:
        """Refuse columns that another feature than their own moves, away from the base."""
        wanted = self.see(probe)
        if not same(start[:, owner < 0], wanted[:, owner < 0]).all():
            self._refuse_mixture(np.empty(0, dtype=np.intp))
        found = [np.unique(column, return_inverse=True) for column in probe.T]
        for j, given in self.each([codes for codes, _ in found]):
            own = owner == j
            if not same(given[:, own][found[j][1].ravel()], wanted[:, own]).all():
                self._refuse_mixture(np.array([j]))

    def _refuse_mixture(self, features: np.ndarray) -> None:
        names = [repr(self.space.names[j]) for j in features[:2]]
        names += ["others"] if len(names) < 2 else []
        raise ReadingError(
            f"The pipeline mixes features: {' and '.join(names)} share a column.",
            "Trees are read where each column comes from one feature, as scalers and encoders "
            "make them. Use method='auto', which works for any model.",
        )


def blocks(points: np.ndarray) -> list[np.ndarray]:
    """Points, or codes, in parts that are transformed at a time."""
    return [points[start : start + BLOCK] for start in range(0, len(points), BLOCK)]


def same(given: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """bool [n, p] where two arrays of columns have the same numbers, or both none."""
    return np.asarray((given == wanted) | (np.isnan(given) & np.isnan(wanted)))


def numbers(seen: Any, categories: Sequence[Sequence[Any] | None] | None = None) -> np.ndarray:
    """float64 [n, p] of whatever a step was given: a frame, an array, a sparse matrix.

    With `categories`, a library's own list for each column or None, text becomes the place in it.
    """
    try:
        if isinstance(seen, pd.DataFrame):
            return _frame_numbers(seen, categories)
        return np.asarray(seen.toarray() if hasattr(seen, "toarray") else seen, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(
            "The model's last step is given columns that are not numbers.",
            "Put an encoder before it, or use method='auto', which works for any model.",
        ) from None


def is_single(seen: Any) -> bool:
    """Whether a step is given single precision, in which it then computes."""
    dtypes = seen.dtypes if isinstance(seen, pd.DataFrame) else [getattr(seen, "dtype", None)]
    return all(dtype == np.float32 for dtype in dtypes)


def _frame_numbers(
    seen: pd.DataFrame, categories: Sequence[Sequence[Any] | None] | None
) -> np.ndarray:
    columns = []
    for place, (_, series) in enumerate(seen.items()):
        if categories is not None and isinstance(series.dtype, pd.CategoricalDtype):
            known = categories[place]
            coded = series if known is None else series.cat.set_categories(list(known))
            codes = coded.cat.codes.to_numpy(dtype=np.float64)
            columns.append(np.where(codes < 0, np.nan, codes))
        else:
            columns.append(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.stack(columns, axis=1)
