"""What became of the search for a row's nearest answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Found:
    """The best answer to a row, as far as it is known."""

    point: np.ndarray | None
    """[d] its codes; None where none was found."""
    bound: float
    """What no answer costs less than; infinite where there is none."""
    seconds: float
    rejected: int = 0
    """The points that the program took for answers and the judge did not."""
