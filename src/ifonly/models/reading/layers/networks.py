"""Linear models and networks, as layers.

`weights_of` reads scikit-learn's weights over the columns that an estimator sees: that is all that
a gradient needs. A solver also needs scores that follow from them: see `check_scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.reading.chain import Chain
from ifonly.models.reading.inputs import Inputs
from ifonly.models.reading.layers.encoding import check_encoding, measure
from ifonly.models.reading.layers.layers import Layer, Layers
from ifonly.space import Space

DOUBLE, SINGLE = 1e-12, 2.5e-7
"""How far rounding takes sums in double and in single precision, for the size of their terms."""


def over_units(
    layers: Sequence[Layer],
    classes: tuple[Any, ...],
    probe: np.ndarray,
    space: Space,
    *,
    single: bool,
) -> Layers:
    """A network that takes units itself: `Dense`, or a torch module; `probe` [n, d] are codes."""
    plain = tuple((np.asarray(k, np.float64), np.asarray(b, np.float64)) for k, b in layers)
    missing = np.zeros((len(space), plain[0][0].shape[1]))
    rounding = (SINGLE if single else DOUBLE) * _size(plain, space.units(probe))
    return Layers(space, classes, plain, missing, link_for(classes, plain), rounding)


def over_columns(
    layers: Sequence[Layer],
    classes: tuple[Any, ...],
    probe: np.ndarray,
    inputs: Inputs,
    *,
    single: bool,
) -> Layers:
    """A network over the columns of a pipeline, whose encoding is measured and put before it.

    `single` says that the columns come in single precision; one of them may, and then shows it.
    """
    encoding = measure(inputs)
    tolerances = [SINGLE] if single else [DOUBLE, SINGLE]
    relative = check_encoding(encoding, inputs, probe, tolerances)
    plain, missing = encoding.before(layers), encoding.missing @ layers[0][0]
    # In columns and not in units: there the large terms that cancel are still apart.
    rounding = relative * _size(layers, inputs.see(probe))
    return Layers(inputs.space, classes, plain, missing, link_for(classes, plain), rounding)


def weights_of(chain: Chain) -> list[Layer] | None:
    """The layers of a linear model or a network of scikit-learn over its columns.

    None for a model of another kind; one whose weights do not decide is refused.
    """
    reader = chain.entry(WEIGHTS)
    return None if reader is None else reader(chain)


def check_scores(chain: Chain) -> None:
    """Refuse a model whose probabilities do not follow from what its weights add up to."""
    if getattr(chain.estimator, "loss", "") == "modified_huber":
        raise ModelError(
            f"The probabilities of {chain.kind}(loss='modified_huber') are not logistic.",
            "Fit loss='log_loss', or use method='auto', which works for any model.",
        )
    if getattr(chain.estimator, "probability", False) is True:
        raise ModelError(
            f"The probabilities of {chain.kind}(probability=True) are fitted separately.",
            "Fit it without, or use method='auto', which works for any model.",
        )


def _linear(chain: Chain) -> list[Layer]:
    """The one layer of a linear model."""
    coefficients = chain.estimator.coef_
    if hasattr(coefficients, "toarray"):
        coefficients = coefficients.toarray()
    kernel = np.atleast_2d(np.asarray(coefficients, dtype=np.float64)).T
    bias = np.broadcast_to(np.ravel(chain.estimator.intercept_), kernel.shape[1:])
    return [(kernel, bias.astype(np.float64))]


def _generalized(chain: Chain) -> list[Layer]:
    """The one layer of a generalized linear model, where nothing is done to its sum."""
    link = getattr(chain.estimator, "link", "log")
    if link == "log" or (link == "auto" and chain.estimator.power > 0):
        raise ModelError(
            f"A model of the kind {chain.kind} cannot be read: it gives the exponential of a sum.",
            "Use method='auto', which works for any model.",
        )
    return _linear(chain)


def _machine(chain: Chain) -> list[Layer]:
    """The one layer of a support vector machine with a linear kernel and two classes."""
    estimator = chain.estimator
    if estimator.kernel != "linear":
        raise ModelError(
            f"{chain.kind}(kernel={estimator.kernel!r}) is not linear.",
            "Use method='auto', which works for any model, or fit kernel='linear'.",
        )
    if len(getattr(estimator, "classes_", ())) > 2:
        raise ModelError(
            f"{chain.kind} of {len(estimator.classes_)} classes decides by pairwise voting.",
            "Fit LinearSVC, which has one plane per class, or use method='auto'.",
        )
    return _linear(chain)


def _perceptron(chain: Chain) -> list[Layer]:
    """The layers of MLPClassifier and MLPRegressor."""
    estimator = chain.estimator
    layers = [
        (np.asarray(kernel, np.float64), np.asarray(bias, np.float64))
        for kernel, bias in zip(estimator.coefs_, estimator.intercepts_, strict=True)
    ]
    if estimator.out_activation_ not in ("identity", "logistic", "softmax"):
        raise ModelError(
            f"{chain.kind} gives the {estimator.out_activation_!r} of its last layer.",
            "Fit loss='squared_error', or use method='auto', which works for any model.",
        )
    if estimator.activation == "identity":
        return [reduce(_folded, layers)]
    if estimator.activation != "relu":
        raise ModelError(
            f"{chain.kind}(activation={estimator.activation!r}) is not piecewise linear.",
            "Fit activation='relu', or use method='auto', which works for any model.",
        )
    return layers


WEIGHTS: dict[str, Callable[[Chain], list[Layer]]] = {
    "sklearn.LinearClassifierMixin": _linear,
    "sklearn.LinearModel": _linear,
    "sklearn.BaseSGDRegressor": _linear,
    "sklearn._GeneralizedLinearRegressor": _generalized,
    "sklearn.BaseLibSVM": _machine,
    "sklearn.BaseMultilayerPerceptron": _perceptron,
}
"""How weights are read, by the class that an estimator descends from."""


def link_for(classes: tuple[Any, ...], layers: tuple[Layer, ...]) -> str:
    """The link that fits the outputs of the last layer to the classes."""
    width = layers[-1][0].shape[1]
    if width != max(1, len(classes)) and (width, len(classes)) != (1, 2):
        raise ModelError(f"The model gives {width} numbers for {len(classes)} classes.")
    if not classes:
        return "number"
    return "logit" if width == 1 else "softmax"


def _size(layers: Sequence[Layer], columns: np.ndarray) -> float:
    """How large the terms of a network's sums become on columns [n, in], and at least 1."""
    passed = np.abs(columns)
    for kernel, bias in layers:
        passed = passed @ np.abs(kernel) + np.abs(bias)
    return max(1.0, float(passed.max(initial=0)))


def _folded(first: Layer, second: Layer) -> Layer:
    """Two layers with nothing between them, as one."""
    return first[0] @ second[0], first[1] @ second[0] + second[1]
