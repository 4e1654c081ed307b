"""What ifonly asks of a model, as capabilities.

Every model gives scores for codes. One that can do more says so by having the method, and a
searcher that needs it looks for the method, never for the model's type.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Model(Protocol):
    """Scores for codes.

    `classes` are the labels in the order of the scores' columns, empty for a regression.
    """

    @property
    def classes(self) -> tuple[Any, ...]: ...

    def scores(self, codes: Any) -> Any:
        """[n, c] of codes [n, d]: probabilities, or anything whose largest entry is the class.

        A regression gives [n, 1], its prediction. The same codes give the same scores.
        """

    def decide(self, codes: Any) -> Any:
        """[n] the class index that the model itself decides for, or None where scores decide.

        It exists because `predict` and the largest of `predict_proba` need not agree, and what a
        user calls is `predict`.
        """


@runtime_checkable
class Differentiable(Model, Protocol):
    """A model with logits over units, and their gradient."""

    def logits(self, units: Any) -> Any:
        """[n, c] of units [n, w]; a regression gives [n, 1]."""

    def logits_gradient(self, units: Any, weights: Any) -> tuple[Any, Any]:
        """The logits [n, c], and the gradient [n, w] of their sum weighted by `weights` [n, c]."""
