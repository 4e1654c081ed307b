"""A subgroup that is worse off, and the list of the worst."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Subgroup:
    """A subgroup that has answers less often, or at a higher cost, than those compared with."""

    conditions: tuple[str, ...]
    """What its rows have in common; empty: nothing."""
    side: str
    """The group within it that is compared with the rest of it; empty: all of it is compared with
    all rows outside."""
    difference: float
    """The largest difference of the curves, or the difference of the reach."""
    low: float
    high: float
    """The interval of the difference of the shares within `budget`. With 95 %, the intervals of
    all comparisons hold at once."""
    budget: float
    """The cost within which the difference is that large; infinite for the reach."""
    rows: tuple[int, int]
    """How many rows are on its side, and how many are compared with."""
    share: tuple[float, float]
    """The shares of both that have an answer within the budget."""
    reach: tuple[float, float]
    """The shares of both that have an answer at all."""
    p: float
    adjusted: float
    """The p value, and the same after Holm's correction for all comparisons made."""
    members: np.ndarray
    others: np.ndarray
    """The positions of the rows of both among the refused rows."""

    @property
    def sentence(self) -> str:
        """The subgroup in one line."""
        where = " and ".join(self.conditions)
        of = f"Where {where}" if where else "Of all refused rows"
        who, than = (f"{of}, {self.side}", "others") if self.side else (of, "rows elsewhere")
        within = "at all" if np.isinf(self.budget) else f"within a cost of {self.budget:.3g}"
        chance = "< 0.001" if self.adjusted < 0.001 else f"= {self.adjusted:.3f}"
        return (
            f"{who}: {self.share[0]:.0%} of {self.rows[0]} rows have an answer {within}, and "
            f"{self.share[1]:.0%} of the {self.rows[1]} {than}. That is "
            f"{100 * self.difference:.0f} points less ({100 * self.low:.0f} to "
            f"{100 * self.high:.0f}; p {chance}, both corrected for all comparisons of the search "
            "for subgroups)."
        )


@dataclass(frozen=True, eq=False)
class Subgroups:
    """The worst subgroups, the worst first, and how many comparisons were made to find them."""

    found: tuple[Subgroup, ...]
    attribute: str
    """The attribute whose groups are compared; empty: subgroups are compared with other rows."""
    by: str
    """By the 'curve' or by the 'reach'."""
    comparisons: int
    least: int
    """The fewest rows on either side of a comparison."""
    level: float = LEVEL

    @property
    def alarms(self) -> tuple[Subgroup, ...]:
        """Those whose difference chance does not explain at the level, after correction."""
        return tuple(one for one in self.found if one.adjusted <= self.level)

    def frame(self) -> pd.DataFrame:
        """One line per subgroup."""
        names = ("side", "difference", "low", "high", "budget", "p")
        lines = [
            {"subgroup": " and ".join(one.conditions)}
            | {name: getattr(one, name) for name in names}
            | {"p_adjusted": one.adjusted}
            | {
                f"{name}{end}": getattr(one, name)[place]
                for name in ("rows", "share", "reach")
                for place, end in enumerate(("", "_others"))
            }
            for one in self.found
        ]
        return pd.DataFrame(lines)
