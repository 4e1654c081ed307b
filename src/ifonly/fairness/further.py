"""What an audit finds beside its measures: the worst subgroups, and few actions for everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from ifonly.fairness.actions import (
    Action,
    ActionTree,
    FewActions,
    IfThen,
    Said,
    action_tree,
    few_actions,
    if_then,
)
from ifonly.fairness.compared import Terms
from ifonly.fairness.one_pass import Pass
from ifonly.fairness.subgroups import Conditions, Subgroup, Subgroups, worst_subgroups
from ifonly.space import Space

SHOWN = 5
"""How many actions a tree chooses from, and how many subgroups get actions, or all alarms."""


@dataclass(frozen=True, eq=False)
class Further:
    """Subgroups by attribute ('' compares them with all other rows), and actions in common."""

    worst: Mapping[str, Subgroups] = field(default_factory=dict)
    """By the largest difference of their curves."""
    unreached: Mapping[str, Subgroups] = field(default_factory=dict)
    """By reach alone; nothing where every refused row has an answer."""
    few: FewActions | None = None
    tree: ActionTree | None = None
    groups: pd.DataFrame | None = None
    """[r] the groups of the refused rows."""
    said: Said | None = None
    """The words of an action of the pool as advice to some of the refused rows."""

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
        said = partial(_said, one.space, rows, few.pool)
        search = partial(worst_subgroups, one.space, rows, cost, groups, least=least)
        names = (*map(str, groups.columns), "")
        lost = not np.isfinite(cost).all()
        return cls(
            worst={name: search(attribute=name) for name in names},
            unreached={name: search(attribute=name, by="reach") for name in names} if lost else {},
            few=few,
            tree=_tree(known, few, places, said, least) if places else None,
            groups=groups,
            said=said,
        )

    @property
    def works(self) -> np.ndarray:
        """bool [r, s]: which of the actions in common are answers to each refused row."""
        return np.zeros((0, 0), dtype=bool) if self.few is None else np.isfinite(self.few.cost)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables beside the measures, by what they are."""
        found = [
            one.frame().assign(attribute=one.attribute, by=one.by)
            for one in self.searched
            if one.found
        ]
        tables = {"worst": pd.concat(found, ignore_index=True)} if found else {}
        if self.few is not None and self.few.sets:
            tables["few_actions"] = self.few.frame(self.groups)
            sets = [(len(one.places), text) for one in self.few.sets for text in one.texts]
            tables["actions"] = pd.DataFrame(sets, columns=["actions", "action"])
        advice = [
            {
                "attribute": search.attribute,
                "by": search.by,
                "side": one.side,
                "subgroup": " and ".join(one.conditions),
                **each.line,
            }
            for search in self.searched
            for one, actions in self.advised(search)
            for each in actions
        ]
        tables |= {"if_then": pd.DataFrame(advice)} if advice else {}
        if self.tree is not None:
            tables["tree"] = pd.DataFrame([vars(leaf) for leaf in self.tree.leaves])
        return tables

    @property
    def searched(self) -> tuple[Subgroups, ...]:
        """All searches for subgroups."""
        return (*self.worst.values(), *self.unreached.values())

    def advised(self, search: Subgroups) -> list[tuple[Subgroup, tuple[IfThen, ...]]]:
        """The worst subgroups, each with the actions that suit it and those compared with."""
        acts = self.few if self.few is not None and self.few.sets else None
        found = search.found[: max(SHOWN, len(search.alarms))]
        return [
            (one, () if acts is None else if_then(acts, one, 1, said=self.said)) for one in found
        ]


def _said(
    space: Space, refused: np.ndarray, pool: Sequence[Action], place: int, rows: np.ndarray
) -> str:
    """An action of the pool in words, without the steps that change none of some refused rows."""
    return pool[place].for_rows(space, refused[rows]).text(space)


def _tree(
    known: Conditions, few: FewActions, places: list[int], said: Said, least: int
) -> ActionTree:
    """Who takes which of some actions of the pool."""
    texts = tuple(few.texts[place] for place in places)
    return action_tree(
        known,
        few.cost[:, places],
        texts,
        least=least,
        said=lambda action, rows: said(places[action], rows),
    )
