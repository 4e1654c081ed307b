"""Every experiment, and the matrix of cells that a plan asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from ifonly.errors import OptionError, nearest
from ifonly.paper.experiments import (
    causal,
    echo,
    lambdas,
    lime,
    linear,
    losses,
    qualitative,
    sets,
    training,
)
from ifonly.paper.experiments.subjects import fingerprint, trained_by
from ifonly.paper.runs.cells import Cell, Experiment, Plan, stamp

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        training.EXPERIMENT,
        sets.EXPERIMENT,
        lime.EXPERIMENT,
        linear.EXPERIMENT,
        lambdas.EXPERIMENT,
        losses.EXPERIMENT,
        qualitative.EXPERIMENT,
        causal.EXPERIMENT,
        echo.EXPERIMENT,
    )
}


def matrix(plan: Plan, only: Sequence[str] = ()) -> list[Cell]:
    """The cells of a plan, those that train models first.

    `only` chooses by name: 'adult', 'sets/*/DiverseCF/*'. A pattern without stars may be any part
    of a name. Models that a chosen cell explains are chosen with it.
    """
    every = [cell for one in EXPERIMENTS.values() for cell in one.cells(plan)]
    if not only:
        return every
    chosen = [cell for cell in every if any(_matches(cell.name, pattern) for pattern in only)]
    for pattern in only:
        if not any(_matches(cell.name, pattern) for cell in every):
            names = {part for cell in every for part in (cell.name, *cell.name.split("/"))}
            raise OptionError(f"No cell is named {pattern!r}.", nearest(pattern, sorted(names)))
    needed = set(_trained(chosen, plan)) | set(chosen)
    return [cell for cell in every if cell in needed]


def mark(cell: Cell, plan: Plan) -> str:
    """The stamp of a cell under a plan."""
    experiment = EXPERIMENTS[cell.experiment]
    model = fingerprint(plan, cell.data, cell.model) if experiment.trained else ""
    return stamp(cell, experiment, plan, model)


def _trained(cells: Iterable[Cell], plan: Plan) -> Iterable[Cell]:
    for cell in cells:
        if EXPERIMENTS[cell.experiment].trained:
            needed = trained_by(plan, cell.data, cell.model)
            if needed is not None:
                yield needed


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern if "*" in pattern else f"*{pattern}*")
