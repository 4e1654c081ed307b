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
        """The scores of codes: probabilities, or anything whose largest entry is the class.

        The same codes give the same scores.

        Parameters
        ----------
        codes
            [n, d].

        Returns
        -------
        array
            [n, c]; a regression returns [n, 1], its prediction.
        """

    def decide(self, codes: Any) -> Any:
        """The class that the model itself decides for.

        It exists because `predict` and the largest of `predict_proba` need not agree, and what a
        user calls is `predict`.

        Parameters
        ----------
        codes
            [n, d].

        Returns
        -------
        array or None
            [n] the index of the class; None where the scores decide.
        """


@runtime_checkable
class Differentiable(Model, Protocol):
    """A model with logits over units, and their gradient."""

    def logits(self, units: Any) -> Any:
        """The logits of units.

        Parameters
        ----------
        units
            [n, w].

        Returns
        -------
        array
            [n, c]; a regression returns [n, 1].
        """

    def logits_gradient(self, units: Any, weights: Any) -> tuple[Any, Any]:
        """The logits, and the gradient of their weighted sum.

        Parameters
        ----------
        units
            [n, w].
        weights
            [n, c] the weights of the sum.

        Returns
        -------
        tuple of arrays
            The logits [n, c] and the gradient [n, w].
        """
