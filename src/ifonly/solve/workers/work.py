"""What a chunk of rows is answered with: by this process, or by workers that were sent it once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.models import Counted
from ifonly.models.routes.memo import Memo
from ifonly.plausible import shares
from ifonly.solve.method import Method, method_of
from ifonly.solve.pose import Batch
from ifonly.solve.prepare import Setting
from ifonly.solve.short.solver import SolverStep
from ifonly.solve.stages import Certifier
from ifonly.solve.statuses import Part, answer

UNSEEN = "A row has values that the data do not have."


@dataclass(frozen=True, eq=False)
class Work:
    """The model, prepared, and how its rows are answered."""

    setting: Setting
    other: Setting
    """In which odd rows are asked."""
    model: Counted
    method: Method
    k: int
    certify: Certifier | None
    solver: SolverStep | None
    """What finishes rows that are short of answers; None where they are not searched harder."""
    pools: bool
    """Whether what the answers are chosen from is kept."""

    def answer(self, batch: Batch, rows: np.ndarray) -> Part:
        """What is found for some rows of a batch, by position; interrupted, where it was.

        A method that reads the model, which nobody can read for odd rows, gives way to the default
        one there. An allowance for each row by itself is the row's own: nothing is remembered of
        other rows.
        """
        model, method, met = self.model, self.method, batch.met[rows]
        if model.per_row is not None and model.memo is not None:
            model.memo = Memo()
        step, certify = self.solver, self.certify
        if len(batch.odd) and batch.odd[rows[0]]:
            way = method_of() if "reading" in method.needs else method
            step = None if step is None else replace(step, read=lambda: (None, UNSEEN))
            with model.aside(self.other.model, self.other.route) as own:
                problem = batch.pose(self.other, own, rows)
                part = answer(problem, way, self.k, met, certify=certify, solver=step)
        else:
            problem = batch.pose(self.setting, model, rows)
            part = answer(problem, method, self.k, met, certify=certify, solver=step)
        usual = shares(self.setting.measure, part.points, part.filled)
        pools = part.pools if self.pools else ()
        return replace(part, usual=usual, pools=pools, interrupted=model.watch.ended is not None)
