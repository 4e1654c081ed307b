"""What a sample says of all that it was drawn from, with a stated confidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

CONFIDENCE = 0.95


def share_at_least(held: ArrayLike, drawn: int, confidence: float = CONFIDENCE) -> np.ndarray:
    """The least share of all that holds, if `held` [...] of so many `drawn` hold.

    The one-sided bound of Clopper and Pearson (1934): where all of m hold, it is 0.05^(1/m).

    Parameters
    ----------
    held
        How many of the draws hold.
    drawn
        How many draws there are.
    confidence
        How sure the bound is.

    Returns
    -------
    array
        [...]

    Examples
    --------
    >>> share_at_least([0, 57, 59], 59).round(3).tolist()
    [0.0, 0.897, 0.95]
    """
    from scipy.special import betaincinv  # with scikit-learn, on which ifonly depends

    some = np.maximum(held, 1)
    share = betaincinv(some, drawn - some + 1, 1 - confidence)
    return np.where(np.asarray(held) > 0, share, 0.0)
