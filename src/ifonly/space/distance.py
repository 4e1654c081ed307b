"""The distance between points, in one place.

dist = dist_cont + dist_cat (the paper, section 'Choice of distance function'): the mean over
continuous features of |a - b| / MAD, plus the share of categorical features that differ, each part
only where the space has such features. A weight multiplies its feature. A missing value against a
value counts as one MAD, or as a changed category. In units, half the l1 distance over a feature's
one-hot columns is the same number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from ifonly.errors import OptionError, nearest
from ifonly.space.feature import Continuous
from ifonly.space.space import Space


@dataclass(frozen=True)
class Metric:
    """The weight of each feature in the distance: `scale` [d], and the unit of its gaps."""

    scale: np.ndarray
    """[d] what a gap of one unit adds to the distance."""
    mad: np.ndarray
    """[d] the unit of a continuous gap; 1 for a category."""
    continuous: np.ndarray
    """[d] bool"""
    missing: bool
    """Whether any feature may be missing."""

    @classmethod
    def of(cls, space: Space, weights: Mapping[str, float] | None = None) -> Metric:
        """The design's distance over a space, features multiplied by `weights` where given."""
        continuous = np.asarray(space.continuous)
        counts = np.where(continuous, continuous.sum(), (~continuous).sum())
        mad = np.array([f.mad if isinstance(f, Continuous) else 1.0 for f in space.features])
        scale = weight_vector(space, weights) / counts
        return cls(scale, mad, continuous, any(f.missing for f in space.features))

    def gaps(self, a: Any, b: Any) -> Any:
        """[..., d] how far a and b are apart in each feature: MADs, or 1 for another level."""
        xp = array_namespace(a)
        mad = xp.asarray(self.mad, dtype=a.dtype, device=device(a))
        continuous = xp.asarray(self.continuous, device=device(a))
        differs = xp.astype(a != b, a.dtype)
        gaps = xp.where(continuous, xp.abs(a - b) / mad, differs)
        if self.missing:
            both = xp.isnan(a) & xp.isnan(b)
            one = xp.isnan(a) != xp.isnan(b)
            gaps = xp.where(one, xp.ones_like(gaps), xp.where(both, xp.zeros_like(gaps), gaps))
        return gaps

    def distance(self, a: Any, b: Any) -> Any:
        """[...] the distance between a and b [..., d]."""
        xp = array_namespace(a)
        gaps = self.gaps(a, b)
        scale = xp.asarray(self.scale, dtype=gaps.dtype, device=device(gaps))
        # A matrix product would round a point otherwise in another place of the batch.
        return xp.einsum("...d,d->...", gaps, scale)

    def pairwise(self, points: Any) -> Any:
        """[..., m, m] the distances among points [..., m, d]."""
        return self.distance(points[..., :, None, :], points[..., None, :, :])


def weight_vector(space: Space, weights: Mapping[str, float] | None) -> np.ndarray:
    """[d] the weight of each feature: 1 unless the user says otherwise."""
    weights = weights or {}
    for name, weight in weights.items():
        if name not in space.names:
            raise OptionError(
                f"There is no feature {name!r} to weight.", nearest(name, space.names)
            )
        if not (np.isfinite(weight) and weight > 0):
            raise OptionError(
                f"The weight of {name!r} is {weight!r}.",
                "A weight is a positive number; to keep a feature as it is, use ifonly.fixed.",
            )
    return np.array([float(weights.get(name, 1.0)) for name in space.names])
