"""What the loss asks of its parts: a term of a set, and the model as a margin."""

from __future__ import annotations

from typing import Protocol

from ifonly.objective.array import Array


class Term(Protocol):
    """One number per row for a set of points, and its derivative; frozen."""

    def value(self, points: Array) -> Array:
        """[q] the term for the sets `points` [w, k, q]."""

    def gradient(self, points: Array) -> Array:
        """[w, k, q] the derivative of each row's value by its points."""

    def take(self, rows: Array) -> Term:
        """The same term for some of its rows, given as indices."""


class Outcome(Term, Protocol):
    """The term that wants the outcome changed; it sees the model as a margin."""

    @property
    def model(self) -> Margin:
        """The margin of every point."""

    def press(self, points: Array) -> Outcome:
        """The same term, asking more of each point, by as much as `points` [k, q] says."""

    def take(self, rows: Array) -> Outcome:
        """The same term for some of its rows, given as indices."""


class Margin(Protocol):
    """A model and a goal a row, as one signed number: positive where the outcome is as wanted.

    For a classifier it is a difference of logits, never of probabilities, so that a model that is
    sure of itself still shows the way.
    """

    def margin(self, points: Array) -> Array:
        """[k, q] the margins of points [w, k, q]."""

    def gradient(self, points: Array) -> tuple[Array, Array]:
        """[k, q] the margins, and [w, k, q] the derivative of each by its point."""

    def take(self, rows: Array) -> Margin:
        """The same for some of the rows, given as indices."""
