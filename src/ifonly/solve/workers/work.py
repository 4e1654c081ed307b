"""What a chunk of rows is answered with: by this process, or by workers that were sent it once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ifonly.models import Counted, relayed
from ifonly.models.routes.memo import Memo
from ifonly.plausible import shares
from ifonly.problem.problem import Problem
from ifonly.solve.method import Method, method_of
from ifonly.solve.pose import Batch
from ifonly.solve.prepare import Setting
from ifonly.solve.short.conflict import closed
from ifonly.solve.short.solver import SolverStep
from ifonly.solve.stages import Ahead, Certifier
from ifonly.solve.statuses import Part, answer, joined

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
            part = self._answered(batch.pose(self.setting, model, rows), met)
        usual = shares(self.setting.measure, part.points, part.filled)
        pools = part.pools if self.pools else ()
        return replace(part, usual=usual, pools=pools, interrupted=model.watch.ended is not None)

    def _answered(self, problem: Problem, met: np.ndarray) -> Part:
        """What is found for the rows of a problem.

        Many rows are searched together, as a device wants it, and finished in blocks that fit a
        processor's cache.
        """
        method, k, model = self.method, self.k, problem.model
        finish = partial(answer, method=method, k=k, certify=self.certify, solver=self.solver)
        free = model.most_rows is None and model.deadline is None and not method.proves
        plain = free and problem.eased is problem and problem.reference.emulator is None
        if len(met) <= relayed.BLOCK or not plain:
            return finish(problem, met=met)
        searched = ~met & ~closed(problem)
        some, rest = np.flatnonzero(searched), np.flatnonzero(~searched)
        part = problem if not len(rest) else problem.take(some)
        ahead = Ahead.of(part, method, k)

        def block(shared: Counted, rows: np.ndarray) -> Part:
            own = replace(part.take(rows), model=shared)
            return finish(own, met=met[some[rows]], ahead=ahead.take(rows))

        blocks = relayed.blocks_of(len(some))
        parts = relayed.in_threads(model, block, blocks)
        parts.append(finish(problem.take(rest), met=met[rest]))
        return joined(parts, [*(some[rows] for rows in blocks), rest])
