"""Which demand leaves a row short of answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ifonly.problem.problem import Problem
from ifonly.solve.method import Method
from ifonly.solve.stages import pool_of


def demand_notes(problem: Problem, method: Method, k: int, count: np.ndarray) -> dict[int, str]:
    """A note for each row with fewer than k answers, `count` [q], that has more without a demand.

    The rows are searched once without each demand and, where no single one is the reason, without
    all of them.
    """
    notes: dict[int, str] = {}
    rows = np.flatnonzero(count < k)
    trials = [(one,) for one in problem.demands]
    for left_out in [*trials, problem.demands] if len(trials) > 1 else trials:
        rows = np.array([row for row in rows.tolist() if row not in notes], dtype=np.intp)
        if not len(rows) or problem.spent:
            break
        others = tuple(one for one in problem.demands if one not in left_out)
        pool, _ = pool_of(replace(problem.take(rows), demands=others), method, k)
        found = np.minimum(pool.valid.sum(axis=1), k)
        named = " and that ".join(map(str, left_out))
        for place in np.flatnonzero(found > count[rows]):
            some = f"{found[place]} answer{'' if found[place] == 1 else 's'}"
            notes[int(rows[place])] = f"Without the demand that {named}, {some} would be found."
    return notes
