"""The rule by which the lender approves, and the injustices that can be planted in it.

An audit must find them. Applicants then have a `group`, 'a' or 'b', and a `district`, in which
nine of ten belong to one group: 'north' to a, 'south' to b. Neither causes anything, and only the
planted rule reads them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from ifonly.errors import OptionError, listed

BIASES = ("none", "cost", "proxy", "blocked")
EXTRA = 3_000
"""The savings that a planted rule asks for in addition."""


def check_bias(bias: object) -> None:
    """Refuse a bias that is not known."""
    if bias is not None and bias not in BIASES:
        raise OptionError(f"bias is {bias!r}.", f"Known: {listed(BIASES)}, or None.")


def drawn_groups(n: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """The group and the district of n applicants."""
    own, home = random.random(n) < 0.5, random.random(n) < 0.9
    district = np.where(own == home, "south", "north")
    return {"group": np.where(own, "b", "a"), "district": district}


def approves(rows: pd.DataFrame, bias: str | None) -> npt.NDArray[np.bool_]:
    """bool [n] whose loan is approved."""
    owed, savings = rows["debt"] + rows["loan"], rows["savings"]
    affordable = 3 * owed <= 2 * rows["income"]
    if bias in ("cost", "proxy"):
        asked = rows["group"] == "b" if bias == "cost" else rows["district"] == "south"
        savings = savings - EXTRA * asked
    approved = affordable & (4 * savings >= 3 * rows["loan"])
    if bias == "blocked":
        approved &= ~((rows["job"] == "manual") & (rows["district"] == "south"))
    return approved.to_numpy()
