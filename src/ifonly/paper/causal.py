"""The paper's causal figure: how many changes of education nobody could follow.

A change of education is infeasible where it lowers the degree, or raises it and the age does not
rise. The paper drops such answers afterwards; 'rules' asks for answers that obey in the first
place, where this version of ifonly has a rule for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ifonly.answers import Answers
from ifonly.errors import OptionError
from ifonly.paper.cells import Cell, Experiment, Plan
from ifonly.paper.facts import SPARSE
from ifonly.paper.sets import answered
from ifonly.paper.subjects import Subject, subject

DEGREES = (
    "School",
    "HS-grad",
    "Some-college",
    "Assoc",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
)
HIGH = ("Masters", "Prof-school", "Doctorate")
WAYS = ("without rules", "filtered", "rules")


def cells(plan: Plan) -> list[Cell]:
    """Adult's answers without rules, filtered afterwards, and with rules in the search."""
    ways = WAYS if "adult" in plan.data else ()
    return [Cell("causal", "adult", "ann", way, 4) for way in ways]


def run(cell: Cell, plan: Plan, store: Any) -> pd.DataFrame:
    """One line for all rows and one for the highly educated: answers, changes, infeasible ones."""
    asked = subject(plan, store, cell.data, cell.model)
    if cell.method == "rules":
        answers = _obedient(asked, cell.k, plan.seed)
    else:
        answers = answered(asked, SPARSE, cell.k, plan.seed)
    kept = answers.filled
    changed, infeasible = education(answers)
    if cell.method == "filtered":
        kept = kept & ~infeasible
    high = asked.rows["education"].isin(HIGH).to_numpy()
    lines = []
    for group, rows in (("all rows", np.ones_like(high)), ("highly educated", high)):
        here = kept & rows[:, None]
        lines.append(
            {
                "group": group,
                "rows": int(rows.sum()),
                "answers": int(here.sum()),
                "changed": int((here & changed).sum()),
                "infeasible": int((here & infeasible).sum()),
                "full_rows": int((here.sum(axis=1) == cell.k).sum()),
            }
        )
    return pd.DataFrame(lines)


def education(answers: Answers) -> tuple[np.ndarray, np.ndarray]:
    """bool [q, k] each: the answers that change the education, and those that nobody can follow."""
    space = answers.space
    degree, age = space.index("education"), space.index("age")
    levels = getattr(space.features[degree], "levels", ())
    rank = np.array([DEGREES.index(level) for level in levels])
    before = rank[answers.x[:, degree].astype(int)][:, None]
    after = rank[answers.points[:, :, degree].astype(int)]
    older = answers.points[:, :, age] > answers.x[:, age][:, None]
    changed = answers.filled & (after != before)
    return changed, changed & ((after < before) | ~older)


def _obedient(asked: Subject, k: int, seed: int) -> Answers:
    raise OptionError("This version of ifonly has no rule that ties education to age.")


EXPERIMENT = Experiment("causal", cells, run, cost=lambda cell, plan: 0.2 + 0.003 * plan.rows)
