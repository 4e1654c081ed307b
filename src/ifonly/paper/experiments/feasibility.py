"""The experiment of the paper's section 'Causal feasibility of CF Examples'.

Two rules: who gets a higher degree gets older, and a degree is never lost. How many answers break
them where the search does not know them, where they filter its answers afterwards, as in the paper,
and where the search obeys them?
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ifonly.answers import Answers
from ifonly.recipes import diverse_cf_sparse
from ifonly.rules import Rule, increases, only_increases

HIGHER = ("Masters", "Prof-school", "Doctorate")
"""The highly educated, as the paper counts them."""


def causal_rules(cause: str = "education", effect: str = "age") -> tuple[Rule, ...]:
    """The paper's two rules.

    >>> [str(rule) for rule in causal_rules()]
    ['education increases => age increases', 'education only increases']
    """
    return (increases(cause).implies(increases(effect)), only_increases(cause))


def causal_feasibility(
    model: Any,
    rows: Any,
    *,
    cause: str = "education",
    effect: str = "age",
    high: Sequence[Any] = HIGHER,
    **options: Any,
) -> pd.DataFrame:
    """One line for each way to treat the rules and each group of rows.

    `changes` are the answers that change the cause, `infeasible` those of them that break a rule;
    both shares are given, since the paper speaks of both. `high` are the levels whose rows make
    the second group. Further options are those of `explain`.
    """
    rules = causal_rules(cause, effect)
    ways: dict[str, dict[str, Any]] = {
        "no rules": {},
        "filter": {"filters": rules},
        "rules in the search": {"rules": rules},
    }
    lines = []
    for way, given in ways.items():
        answers = diverse_cf_sparse(model, rows, **options, **given)
        j = answers.space.index(cause)
        levels = answers.space.features[j].levels  # type: ignore[union-attr]
        educated = np.isin(answers.x[:, j], [levels.index(level) for level in high])
        for group, mask in {
            "all": np.ones(len(answers), bool),
            "highly educated": educated,
        }.items():
            lines.append({"rules": way, "rows": group, **_counts(answers, rules, j, mask)})
    return pd.DataFrame(lines)


def _counts(answers: Answers, rules: Sequence[Rule], j: int, mask: np.ndarray) -> dict[str, Any]:
    filled = answers.filled & mask[:, None]
    changed = answers.changed()[:, :, j] & filled
    broken = np.zeros(filled.shape, dtype=bool)
    for rule in rules:
        broken |= ~rule.holds(answers.space, answers.x, answers.points)
    infeasible = int((broken & changed).sum())
    return {
        "asked": int(mask.sum()) * answers.k,
        "answers": int(filled.sum()),
        "changes": int(changed.sum()),
        "infeasible": infeasible,
        "of changes": infeasible / max(1, int(changed.sum())),
        "of answers": infeasible / max(1, int(filled.sum())),
    }
