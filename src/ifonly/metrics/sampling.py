"""Points around rows, to see how well the neighbourhood of a row is understood.

The paper (section 'Approximating the local decision boundary') draws continuous features uniformly
from a hypersphere around the row, its radius counted in median absolute deviations, and categories
uniformly from all their levels. Its authors' code draws each continuous feature from an interval of
its own, which makes a box of the sphere. Every row has a random stream of its own.
"""

from __future__ import annotations

import numpy as np

from ifonly.arrays.keys import row_streams, uniforms
from ifonly.errors import OptionError, nearest
from ifonly.space import Space
from ifonly.space.feature import Continuous

SHAPES = ("sphere", "box")


def around(
    space: Space,
    x: np.ndarray,
    radius: float,
    samples: int = 1000,
    *,
    within: str = "sphere",
    seed: int = 0,
) -> np.ndarray:
    """Codes drawn around rows.

    Values lie on the grid of their decimals and inside the range of the data. Where a sphere
    reaches over the end of a range, that part is folded back, so that it stays inside the sphere.

    Parameters
    ----------
    space
        The features.
    x
        [q, d] the codes of the rows.
    radius
        The radius, in median absolute deviations.
    samples
        How many points are drawn per row.
    within
        The shape: 'sphere' or 'box'.
    seed
        The same seed gives the same points.

    Returns
    -------
    np.ndarray
        [q, samples, d].

    Raises
    ------
    OptionError
        The shape or the radius cannot be used.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
    >>> points = around(space, np.array([[30.0]]), radius=1, samples=100)
    >>> points.shape, bool(points.min() >= 20), bool(points.max() <= 40)
    ((1, 100, 1), True, True)
    """
    if within not in SHAPES:
        raise OptionError(f"There is no shape {within!r}.", nearest(within, SHAPES))
    if not 0 < radius < np.inf:
        raise OptionError(f"The radius is {radius!r}.", "It is a positive number of MADs.")
    streams = row_streams(x, seed)
    draws = [uniforms(streams, samples, purpose=j) for j in range(len(space))]
    points = np.empty((len(x), samples, len(space)))
    numeric = [j for j, f in enumerate(space.features) if isinstance(f, Continuous)]
    for j in set(range(len(space))) - set(numeric):
        points[:, :, j] = np.floor(draws[j] * (space.high[j] + 1))
    if not numeric:
        return points
    if within == "box":
        for j in numeric:
            points[:, :, j] = _interval(space, x[:, j, None], radius, j, draws[j])
    else:
        extra = uniforms(streams, samples, purpose=len(space))
        far = radius * _ball(np.stack([draws[j] for j in numeric], axis=-1), extra)
        for place, j in enumerate(numeric):
            value = x[:, j, None] + far[:, :, place] * _mad(space, j)
            points[:, :, j] = _folded(value, space.low[j], space.high[j])
    missing = np.isnan(x)[:, None] & space.continuous
    return np.where(missing, np.nan, space.round(points))


def _interval(
    space: Space, center: np.ndarray, radius: float, j: int, draws: np.ndarray
) -> np.ndarray:
    """[q, n] values of the grid, each as likely, in the interval around a feature's values."""
    step = 10.0 ** -int(space.decimals[j])
    reach = radius * _mad(space, j)
    down = np.floor(np.clip(center - space.low[j], 0, reach) / step + 1e-9)
    up = np.floor(np.clip(space.high[j] - center, 0, reach) / step + 1e-9)
    return np.asarray(center + (np.floor(draws * (down + up + 1)) - down) * step)


def _ball(draws: np.ndarray, extra: np.ndarray) -> np.ndarray:
    """[q, n, m] points uniform in the unit ball of m dimensions, of draws [q, n, m] in [0, 1)."""
    m = draws.shape[-1]
    if m == 1:
        return 2 * draws - 1
    from scipy.special import ndtri  # with scikit-learn, on which ifonly depends

    normal = ndtri(np.clip(draws, 2.0**-33, 1 - 2.0**-33))
    length = np.sqrt((normal**2).sum(axis=-1, keepdims=True))
    return np.asarray(normal / np.maximum(length, 1e-12) * extra[:, :, None] ** (1 / m))


def _folded(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Values folded back at the ends of a range, and cut where the range is too short for that."""
    values = np.where(values < low, 2 * low - values, values)
    values = np.where(values > high, 2 * high - values, values)
    return np.asarray(np.clip(values, low, high))


def _mad(space: Space, j: int) -> float:
    feature = space.features[j]
    assert isinstance(feature, Continuous)
    return float(feature.mad)
