"""What to do in a subgroup: the actions that suit either side, and how both fare with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.fairness.actions.action import Said
from ifonly.fairness.actions.few import FewActions
from ifonly.fairness.subgroups import Subgroup


@dataclass(frozen=True)
class IfThen:
    """An action, and what it does for the rows of a subgroup's side and for those compared with."""

    action: str
    effectiveness: tuple[float, float]
    """The share of the rows of either that it works for."""
    mean_cost: tuple[float, float]
    """What it costs these rows; NaN where it works for none."""

    @property
    def sentence(self) -> str:
        """The action in one line."""
        side, others = (f"{share:.0%}" for share in self.effectiveness)
        return f"{self.action}: works for {side} here, for {others} of those compared with"

    @property
    def line(self) -> dict[str, Any]:
        """The same as a line of a table."""
        share, cost = self.effectiveness, self.mean_cost
        both = {"effectiveness": share[0], "effectiveness_others": share[1]}
        return {"action": self.action, **both, "mean_cost": cost[0], "mean_cost_others": cost[1]}


def if_then(
    few: FewActions, subgroup: Subgroup, most: int = 3, *, said: Said | None = None
) -> tuple[IfThen, ...]:
    """The actions that would be chosen for either side alone, `most` of each, best first.

    They are `said` of the rows of both sides; by default, in the words of the pool.
    """
    sides = subgroup.members, subgroup.others
    both = np.concatenate(sides)
    places = {place for rows in sides for place in few.for_rows(rows, most)}
    lines = []
    for place in places:
        costs = [few.cost[rows, place] for rows in sides]
        found = [np.isfinite(cost) for cost in costs]
        share = float(found[0].mean()), float(found[1].mean())
        mean = [
            float(c[f].mean()) if f.any() else np.nan for c, f in zip(costs, found, strict=True)
        ]
        text = few.texts[place] if said is None else said(place, both)
        lines.append(IfThen(text, share, (mean[0], mean[1])))
    # Actions that differ elsewhere only are one action here.
    return tuple(sorted({*lines}, key=lambda one: (-sum(one.effectiveness), one.action)))
