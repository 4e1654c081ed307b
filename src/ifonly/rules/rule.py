"""What a rule is: an immutable node that answers a few questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.box import Box
from ifonly.space import Space


class Rule(ABC):
    """A condition that every answer must meet. Its text is what a user would write."""

    relative: ClassVar[bool] = False
    """Whether the rule compares an answer with the row it started from."""
    boxed: ClassVar[bool] = False
    """Whether the narrowed box says all that the rule says."""

    @abstractmethod
    def __str__(self) -> str:
        """The rule as a line of text."""

    @abstractmethod
    def check(self, space: Space) -> None:
        """Raise a RuleError where the rule does not fit the space."""

    @abstractmethod
    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """bool [q, m]: whether points [q, m, d] of rows x [q, d] obey the rule."""

    def narrow(self, box: Box) -> Box:
        """The box without what the rule forbids to single features; by default, all of it.

        Whatever `holds` accepts must stay inside.
        """
        return box


def feature_of(space: Space, name: str, rule: Any) -> Any:
    """The feature that a rule names."""
    if name not in space.names:
        raise RuleError(
            f"The rule '{rule}' names {name!r}, which is no feature.", nearest(name, space.names)
        )
    return space.features[space.index(name)]
