"""From a user's model to one with a gradient.

torch modules, `Dense` and models of the user's own with `logits` have one. Of scikit-learn, the
linear models and the multi-layer perceptron do, alone on numbers or at the end of a pipeline of
one-hot and scaling steps: their weights are read off and become a `Dense` over units, which is
believed only where it decides as the model itself does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.torch import TorchModel, read_layers
from ifonly.models.encoding import read_encoding
from ifonly.models.protocol import Differentiable, Model
from ifonly.space import Space


def differentiable(model: Any, adapted: Model, space: Space, probe: np.ndarray) -> Differentiable:
    """The model with a gradient; `probe` [n, d] are codes to check it on."""
    if isinstance(adapted, TorchModel):
        read = read_layers(adapted)
        return adapted if read is None else Dense(read, space, adapted.classes)
    if isinstance(adapted, Differentiable):
        return adapted
    layers = _layers(_last(model))
    if layers is None:
        raise ModelError(
            f"{type(_last(model)).__name__} has no gradient that ifonly can read.",
            "Use method='auto', which works for any model. A gradient is read from torch modules, "
            "logistic regression, linear SVMs and multi-layer perceptrons, alone or at the end of "
            "a pipeline, and from objects with `logits` and `logits_gradient`.",
        )
    transform = model[:-1].transform if hasattr(model, "steps") and len(model.steps) > 1 else _bare
    encoding = read_encoding(transform, space, probe)
    if encoding is None:
        raise ModelError(
            "The pipeline before the last step is not made of one-hot and scaling steps.",
            "Use method='auto', or give a torch module or ifonly.models.Dense over units.",
        )
    (kernel, bias), *rest = layers
    first = (encoding.matrix @ kernel, encoding.offset @ kernel + bias)
    dense = Dense((first, *rest), space, adapted.classes)
    _check_agreement(dense, adapted, probe)
    return dense


def _last(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def _bare(frame: Any) -> Any:
    return frame.to_numpy(dtype=np.float64)


def _layers(estimator: Any) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """(kernel, bias) of each layer of a fitted estimator, or None where it has none to read."""
    if hasattr(estimator, "coefs_") and getattr(estimator, "activation", "") == "relu":
        return list(zip(estimator.coefs_, estimator.intercepts_, strict=True))
    coefficients = getattr(estimator, "coef_", None)
    linear = type(estimator).__module__.startswith(("sklearn.linear_model", "sklearn.svm"))
    if coefficients is None or not linear or not isinstance(coefficients, np.ndarray):
        return None
    kernel = np.atleast_2d(coefficients).T
    return [(kernel, np.broadcast_to(estimator.intercept_, kernel.shape[1:]).astype(np.float64))]


def _check_agreement(dense: Dense, adapted: Model, probe: np.ndarray) -> None:
    """Refuse weights that do not decide as the model does."""
    if adapted.classes:
        decided = adapted.decide(probe)
        theirs = np.argmax(adapted.scores(probe), axis=1) if decided is None else decided
        agree = bool(np.all(np.argmax(dense.scores(probe), axis=1) == theirs))
    else:
        agree = bool(np.allclose(dense.scores(probe), adapted.scores(probe), rtol=1e-5, atol=1e-8))
    if not agree:
        raise ModelError(
            "The weights that were read off the model do not decide as it does.",
            "Use method='auto', which asks the model itself.",
        )
