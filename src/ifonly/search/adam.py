"""Adam's step (Kingma and Ba 2015), in place and back between bounds.

torch has operations that do several of the passes at once. On a device the passes through memory
and the calls are what a step costs; NumPy has no such operations.
"""

from __future__ import annotations

from ifonly.objective.array import Array, namespace

MEMORY, SQUARES, TINY = 0.9, 0.999, 1e-8


def adam(points: Array, gradient: Array, moments: tuple[Array, Array], rate: float) -> None:
    """Move `points` and both `moments`, the mean and the mean square; `gradient` is used up."""
    mean, square = moments
    if hasattr(points, "addcdiv_"):
        mean.lerp_(gradient, 1.0 - MEMORY)
        square.mul_(SQUARES).addcmul_(gradient, gradient, value=1.0 - SQUARES)
        points.addcdiv_(mean, square.sqrt().add_(TINY), value=-rate)
        return
    mean *= MEMORY
    mean += 0.1 * gradient
    gradient *= gradient
    square *= SQUARES
    square += 0.001 * gradient
    points -= rate * mean / (namespace(square).sqrt(square) + TINY)


def warmed(rate: float, step: int) -> float:
    """The rate of a step, counted from 1, at which the moments still lean to their start."""
    return float(rate * (1.0 - SQUARES**step) ** 0.5 / (1.0 - MEMORY**step))


def bound(points: Array, low: Array, high: Array) -> None:
    """Move `points` between their bounds."""
    if hasattr(points, "clamp_"):
        points.clamp_(low, high)
        return
    xp = namespace(points)
    points[...] = xp.minimum(xp.maximum(points, low), high)
