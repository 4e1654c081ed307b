"""A mixed-integer linear program, solved by HiGHS and checked here.

    program = Program()
    a, b = program.whole(0, 10), program.binary()
    program.row(a - b * 5.0, low=0.0)
    program.minimise(a)
    program.solve().values

A program grows; what is solved is what it is at that time. No point is passed on that does not fit
the rows: a solver works within tolerances of its own, and has faults.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ifonly.errors import IfonlyError, MissingExtra
from ifonly.rules.formula import Affine
from ifonly.search.exact.program.quiet import quiet
from ifonly.search.exact.result import NODE, Work

TOLERANCE = 1e-9
"""What the solver may leave a column or a row wrong by, unless it is told otherwise."""
CHECKED = 1e-6
"""What a point may be wrong by to be passed on."""


class SolverError(IfonlyError, RuntimeError):
    """The solver failed, or what it found is not what was asked."""

    bound: float = -np.inf
    """What it says that no point's objective is below, where its own point alone is wrong."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What became of a program."""

    status: str
    """'optimal', 'infeasible', 'unbounded', or 'limit' where the time ran out."""
    values: np.ndarray | None = None
    """[n] the columns' values, whole ones whole; None where no point was found."""
    objective: float = np.inf
    bound: float = -np.inf
    """What no point's objective is below."""

    @property
    def lowest(self) -> float:
        """The bound; infinite where there is no point."""
        return np.inf if self.status == "infeasible" else self.bound

    def scaled(self, times: float) -> Solution:
        """The solution of the program as it was before its objective was multiplied."""
        return replace(self, objective=self.objective / times, bound=self.bound / times)


@dataclass(eq=False)
class Program:
    """Columns, rows of sums over them, and a sum to make small."""

    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    whole_columns: list[bool] = field(default_factory=list)
    rows: list[tuple[Affine, float, float]] = field(default_factory=list)
    objective: Affine = field(default_factory=lambda: Affine.number(0.0))

    @property
    def all_whole(self) -> bool:
        """Whether no column has fractions."""
        return all(self.whole_columns)

    def column(self, low: float, high: float) -> Affine:
        """A new column with any number between two."""
        return self._column(low, high, whole=False)

    def whole(self, low: float, high: float) -> Affine:
        """A new column with a whole number between two."""
        return self._column(low, high, whole=True)

    def binary(self) -> Affine:
        """A new column that is 0 or 1."""
        return self._column(0.0, 1.0, whole=True)

    def choice(self, count: int, *, optional: bool) -> list[Affine]:
        """New conditions of which one is true; or none, where that is allowed, too."""
        if count == 1 and not optional:
            return [Affine.number(1.0)]
        options = [self.binary() for _ in range(count)]
        if count != 1:
            self.row(Affine.total(options), 0.0 if optional else 1.0, 1.0)
        return options

    def row(self, sums: Affine, low: float = -np.inf, high: float = np.inf) -> int:
        """The place of a new row, which keeps a sum between two numbers."""
        self.rows.append((sums, low, high))
        return len(self.rows) - 1

    def revise(self, place: int, sums: Affine, low: float = -np.inf, high: float = np.inf) -> None:
        """Put another row in the place of one."""
        self.rows[place] = (sums, low, high)

    def minimise(self, sums: Affine) -> None:
        """Set what is made small."""
        self.objective = sums

    def solve(
        self,
        time_limit: float | None = None,
        work: Work | None = None,
        *,
        tolerance: float = TOLERANCE,
        **options: Any,
    ) -> Solution:
        """The best point, as far as seconds and work allow; further options are HiGHS's own.

        HiGHS calls some equations over wide whole columns infeasible that are not: fewer, the
        larger the `tolerance` is. Where that matters, ask `solve_by_cpsat` as well.
        """
        if not self.low:
            fits = self._misfit(np.zeros(0)) <= CHECKED
            value = self.objective.constant
            return (
                Solution("optimal", np.zeros(0), value, value) if fits else Solution("infeasible")
            )
        highspy = _highspy()
        timed: dict[str, Any] = {} if time_limit is None else {"time_limit": time_limit}
        limits = timed if work is None else {**timed, "mip_max_nodes": work.nodes}
        solver = self._solver(highspy, tolerance, {**limits, **options})
        status, info = _run(highspy, solver), solver.getInfo()
        if work is not None:
            work.left -= NODE * max(1, info.mip_node_count)
        if status in ("infeasible", "unbounded"):
            return Solution(status)
        bound = float(info.mip_dual_bound) if any(self.whole_columns) else -np.inf
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return Solution(status, bound=bound)
        values = self._checked(np.array(solver.getSolution().col_value), bound)
        objective = self.objective.at(values)
        if status == "optimal" and not any(self.whole_columns):
            bound = objective
        return Solution(status, values, objective, min(bound, objective))

    def _column(self, low: float, high: float, *, whole: bool) -> Affine:
        self.low.append(low)
        self.high.append(high)
        self.whole_columns.append(whole)
        return Affine({len(self.low) - 1: 1.0}, 0.0, low, high)

    def _solver(self, highspy: Any, tolerance: float, further: dict[str, Any]) -> Any:
        """HiGHS with the program and its options."""
        solver = highspy.Highs()
        options = {
            "output_flag": False,
            "log_to_console": False,
            "threads": 1,
            "parallel": "off",
            "primal_feasibility_tolerance": tolerance,
            "dual_feasibility_tolerance": tolerance,
            "mip_feasibility_tolerance": tolerance,
            "mip_abs_gap": 0.0,
            "mip_rel_gap": 0.0,
            **further,
        }
        for name, value in options.items():
            solver.setOptionValue(name, value)
        model, kinds = highspy.HighsLp(), highspy.HighsVarType
        model.num_col_, model.num_row_ = len(self.low), len(self.rows)
        costs = [self.objective.terms.get(i, 0.0) for i in range(len(self.low))]
        model.col_cost_, model.offset_ = np.array(costs), self.objective.constant
        model.col_lower_, model.col_upper_ = np.array(self.low), np.array(self.high)
        model.integrality_ = [
            kinds.kInteger if whole else kinds.kContinuous for whole in self.whole_columns
        ]
        model.row_lower_ = np.array([low - sums.constant for sums, low, _ in self.rows])
        model.row_upper_ = np.array([high - sums.constant for sums, _, high in self.rows])
        terms = [sums.terms for sums, _, _ in self.rows]
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.cumsum([0, *map(len, terms)]).astype(np.int32)
        model.a_matrix_.index_ = np.array([c for row in terms for c in row], dtype=np.int32)
        model.a_matrix_.value_ = np.array([t for row in terms for t in row.values()], dtype=float)
        solver.passModel(model)
        return solver

    def _checked(self, values: np.ndarray, bound: float) -> np.ndarray:
        """The values, whole ones rounded, of a point that fits."""
        whole = np.array(self.whole_columns)
        rounded = np.where(whole, np.round(values), values)
        off = float(np.max(np.abs(rounded - values) / np.maximum(1.0, np.abs(values))))
        off = max(off, self._misfit(rounded))
        if off > CHECKED:
            error = SolverError(
                f"The solver's point is wrong by {off:.2g}.",
                "The numbers of the rules are too far apart in size: give features fewer decimals.",
            )
            error.bound = bound
            raise error
        return rounded

    def _misfit(self, values: np.ndarray) -> float:
        """By how much values are outside the bounds and rows, at the worst.

        A row that adds up large numbers is given their rounding.
        """
        low, high = np.array(self.low), np.array(self.high)
        worst = float(np.max(np.maximum(low - values, values - high), initial=0.0))
        for sums, least, most in self.rows:
            size = sum(abs(t * values[column]) for column, t in sums.terms.items())
            total = sums.at(values)
            over = max(least - total, total - most)
            worst = max(worst, over / max(1.0, 1e-8 * size))
        return worst


def _run(highspy: Any, solver: Any) -> str:
    """The solver's own word on what became of a program."""
    kinds = highspy.HighsModelStatus
    words = {
        kinds.kOptimal: "optimal",
        kinds.kInfeasible: "infeasible",
        kinds.kUnbounded: "unbounded",
        kinds.kTimeLimit: "limit",
        kinds.kSolutionLimit: "limit",
    }
    with quiet():
        solver.run()
        status = solver.getModelStatus()
        if status not in words or status == kinds.kUnbounded:
            # Presolve cannot tell unbounded from infeasible, and sometimes ends in an error.
            solver.setOptionValue("presolve", "off")
            solver.run()
    status = solver.getModelStatus()
    if status not in words:
        raise SolverError(f"The solver stopped without an answer: {status.name}.")
    return words[status]


def _highspy() -> Any:
    try:
        import highspy
    except ImportError:
        raise MissingExtra("highspy", "exact") from None
    return highspy
