"""Powers of ten, exact: with AVX-512, those of NumPy are off in their last digit.

Grids and round numbers are multiples of them, so answers would depend on the processor.
"""

from __future__ import annotations

import numpy as np

MOST = 30
_POWERS = np.array([float(f"1e{n}") for n in range(-MOST, MOST + 1)])


def powers_of_ten(exponents: np.ndarray) -> np.ndarray:
    """[...] ten to the power of whole numbers [...] from -30 to 30.

    >>> powers_of_ten(np.array([-1, 0, 2])).tolist()
    [0.1, 1.0, 100.0]
    """
    assert np.abs(exponents).max(initial=0) <= MOST
    return np.asarray(_POWERS[exponents + MOST])
