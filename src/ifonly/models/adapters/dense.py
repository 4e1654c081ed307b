"""A network given as plain layer weights, with its gradient written out.

    h_0 = units,    h_l = relu(h_(l-1) A_l + b_l),    output = h_(L-1) A_L + b_L

One layer is a linear model. A single output for two classes is the logit of the second class
against the first: the logits are then (0, output).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from array_api_compat import array_namespace, device

from ifonly.errors import ModelError
from ifonly.space import Space

Array = Any
ONE_THREAD = 2**18
"""The multiplications up to which OpenBLAS takes one thread."""


@final
@dataclass(frozen=True, eq=False)
class Dense:
    """A dense network with ReLU between its layers, over units.

    Parameters
    ----------
    layers
        Per layer its kernel [in, out] and its bias [out].
    space
        The features; the first layer takes their unit columns.
    classes
        The classes, in the order of the outputs; none for a regression.
    home
        A function that returns an empty array of the library and device that gradient searches
        run on; None: NumPy.

    Raises
    ------
    ModelError
        The layers do not fit together, the space or the classes.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 20, "high": 60})
    >>> Dense([(np.ones((1, 1)), np.zeros(1))], space).scores(np.array([[30.0], [60.0]]))
    array([[0.25],
           [1.  ]])
    """

    layers: Sequence[tuple[np.ndarray, np.ndarray]]
    space: Space
    classes: tuple[Any, ...] = ()
    home: Callable[[], Array] | None = field(default=None, kw_only=True, repr=False)
    _placed: dict[Hashable, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        layers = tuple((np.asarray(kernel), np.asarray(bias)) for kernel, bias in self.layers)
        object.__setattr__(self, "layers", layers)
        _check(layers, self.space.offsets[-1], len(self.classes))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_placed": {}}  # what was placed belongs to this process

    def scores(self, codes: Array) -> Array:
        """[n, c] the probability of each class of codes [n, d]; [n, 1] the value in regression."""
        logits = self.logits(self.space.units(codes))
        if not self.classes:
            return logits
        xp = array_namespace(logits)
        odds = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
        return odds / xp.sum(odds, axis=1, keepdims=True)

    def decide(self, codes: Array) -> None:
        """None: the scores decide."""

    def logits(self, units: Array) -> Array:
        """[n, c] the logits of units [n, w]; [n, 1] the value in regression."""
        xp, layers = self._beside(units)
        return self._as_logits(xp, _forward(xp, layers, units)[-1])

    def logits_gradient(self, units: Array, weights: Array) -> tuple[Array, Array]:
        """[n, c] the logits, and [n, w] the derivative of their sum under weights [n, c]."""
        xp, layers = self._beside(units)
        *hidden, output = _forward(xp, layers, units)
        slope = weights.T[-output.shape[0] :]  # the logit 0 of a first class has no slope
        for (kernel, _), below in zip(reversed(layers[1:]), reversed(hidden), strict=True):
            slope = _product(kernel, slope) * (below > 0.0)
        return self._as_logits(xp, output), _product(layers[0][0], slope).T

    def _as_logits(self, xp: Any, output: Array) -> Array:
        """[n, c] of the last layer's output [out, n]."""
        if output.shape[0] < len(self.classes):
            output = xp.concat([xp.zeros_like(output), output], axis=0)
        return output.T

    def _beside(self, units: Array) -> tuple[Any, list[tuple[Array, Array]]]:
        """The namespace of units, and the layers in it: moved to their device only once."""
        place = (type(units), units.dtype, device(units))
        if place not in self._placed:
            xp = array_namespace(units)

            def placed(part: np.ndarray) -> Array:
                return xp.asarray(part, dtype=units.dtype, device=device(units))

            layers = [(placed(kernel), placed(bias[:, None])) for kernel, bias in self.layers]
            self._placed[place] = xp, layers
        return self._placed[place]


def _forward(xp: Any, layers: list[tuple[Array, Array]], units: Array) -> list[Array]:
    """What each layer gives, [out, n]: columns first, so that no step copies its input."""
    given: list[Array] = []
    passed = units.T
    for kernel, bias in layers:
        if given:
            given[-1] = passed = xp.maximum(passed, xp.zeros_like(passed[:, :1]))
        passed = _product(kernel.T, passed) + bias
        given.append(passed)
    return given


def _product(kernel: Array, columns: Array) -> Array:
    """kernel @ columns. NumPy's is cut into pieces that its BLAS computes in one thread.

    A network's products are small and many, and where other work holds the cores the threads of
    a BLAS wait for each other twenty times as long as one thread computes.
    """
    n = columns.shape[1]
    piece = max(1, ONE_THREAD // max(1, kernel.shape[0] * kernel.shape[1]))
    if not isinstance(columns, np.ndarray) or n <= piece:
        return kernel @ columns
    out = np.empty((kernel.shape[0], n), dtype=columns.dtype)
    for start in range(0, n, piece):
        np.matmul(kernel, columns[:, start : start + piece], out=out[:, start : start + piece])
    return out


def _check(layers: Sequence[tuple[np.ndarray, np.ndarray]], w: int, c: int) -> None:
    """Refuse layers that do not fit together, the space or the classes."""
    width = w
    for number, (kernel, bias) in enumerate(layers, start=1):
        if kernel.ndim != 2 or kernel.shape[0] != width or bias.shape != kernel.shape[1:]:
            raise ModelError(
                f"Layer {number} takes {width} numbers and has a kernel of shape {kernel.shape} "
                f"and a bias of shape {bias.shape}.",
                "A kernel is [in, out] and its bias [out]; the first layer takes the unit columns.",
            )
        width = kernel.shape[1]
    fitting = {0: (1,), 2: (1, 2)}.get(c, (c,))
    if not layers or width not in fitting or c == 1:
        raise ModelError(
            f"The last layer gives {width} numbers for {c} classes.",
            "One number for a regression, one or two for two classes, one per class for more.",
        )
