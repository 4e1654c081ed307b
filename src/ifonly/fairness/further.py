"""What an audit finds beside its measures: the worst subgroups, and few actions for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ifonly.fairness.actions import ActionTree, FewActions, action_tree, few_actions, if_then
from ifonly.fairness.compared import Terms
from ifonly.fairness.one_pass import Pass
from ifonly.fairness.subgroups import Conditions, Subgroups, worst_subgroups

SHOWN = 5
"""How many actions a tree chooses from, and how many subgroups get actions."""


@dataclass(frozen=True, eq=False)
class Further:
    """Subgroups by attribute ('' compares them with all other rows), and actions in common."""

    worst: Mapping[str, Subgroups] = field(default_factory=dict)
    few: FewActions | None = None
    tree: ActionTree | None = None
    groups: pd.DataFrame | None = None
    """[r] the groups of the refused rows."""

    @classmethod
    def of(cls, one: Pass, terms: Terms) -> Further:
        """What the refused rows of a pass show; nothing where there are none."""
        if not len(one.refused):
            return cls()
        groups = one.groups.iloc[one.refused].reset_index(drop=True)
        rows, cost, least = one.rows, one.cost, terms.least
        few = few_actions(one, seed=terms.seed)
        places = [] if not few.sets else list(few.sets[min(SHOWN, len(few.sets)) - 1].places)
        known = Conditions.of(one.space, rows, least=least)
        for name in map(str, groups.columns):  # such a group gives no advice
            known = known.without(name)
        texts = tuple(few.texts[place] for place in places)
        return cls(
            worst={
                name: worst_subgroups(one.space, rows, cost, groups, attribute=name, least=least)
                for name in ("", *map(str, groups.columns))
            },
            few=few,
            tree=action_tree(known, few.cost[:, places], texts, least=least) if places else None,
            groups=groups,
        )

    @property
    def works(self) -> np.ndarray:
        """bool [r, s]: which of the actions in common are answers to each refused row."""
        return np.zeros((0, 0), dtype=bool) if self.few is None else np.isfinite(self.few.cost)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables beside the measures, by what they are."""
        found = [
            one.frame().assign(attribute=name) for name, one in self.worst.items() if one.found
        ]
        tables = {"worst": pd.concat(found, ignore_index=True)} if found else {}
        if self.few is not None and self.few.sets:
            tables["few_actions"] = self.few.frame(self.groups)
            sets = [(len(one.places), text) for one in self.few.sets for text in one.texts]
            tables["actions"] = pd.DataFrame(sets, columns=["actions", "action"])
        return tables

    def sentences(self, attribute: str) -> list[tuple[str, list[str]]]:
        """The worst subgroups, each with the actions that suit it and those compared with."""
        acts = self.few if self.few is not None and self.few.sets else None
        return [
            (
                one.sentence,
                [] if acts is None else [each.sentence for each in if_then(acts, one, 1)],
            )
            for one in self.worst[attribute].found[:SHOWN]
        ]
