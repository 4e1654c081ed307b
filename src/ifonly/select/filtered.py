"""The paper's filter: answers are chosen as ever, and those that break rules are dropped.

'Given these constraints, we apply a filtering step after CF examples are generated' (section
'Causal feasibility of CF Examples'). It is here to be compared with rules in the search, which
leave no gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.rules import Rule, as_rules
from ifonly.select.exchange import nearest_first
from ifonly.select.selector import Selector


@dataclass(frozen=True)
class Filtered:
    """A choice without what breaks rules; nothing replaces what is dropped.

    Parameters
    ----------
    choice
        The selector that chooses.
    rules
        The rules, as rules or lines of text.

    Examples
    --------
    >>> from ifonly.select import InOrder
    >>> Filtered(InOrder(), ("age only increases",))
    Filtered(choice=InOrder(needed=False, tight=False), rules=('age only increases',))
    """

    choice: Selector
    rules: tuple[Rule | str, ...]

    def __repr__(self) -> str:
        return f"Filtered(choice={self.choice!r}, rules={tuple(map(str, self.rules))})"

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The chosen points that obey the rules, nearest first."""
        points, filled = self.choice.select(problem, pool, k)
        result = problem.result(points)
        for rule in as_rules(self.rules, problem.space):
            filled = filled & rule.holds(problem.space, problem.x, result)
        return nearest_first(problem, points, filled)
