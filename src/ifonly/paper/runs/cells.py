"""The matrix of an evaluation: a cell for each data set, model, method and k.

    Plan         what is asked for: rows, k, models, seed
    Cell         one thing to run; its name is its place in the matrix
    Experiment   what a kind of cell does, and which options of the plan its result depends on

A cell's *stamp* is a hash of all that its result depends on. A cell that is kept under its stamp
need not run again; where an option changes, the stamps of the cells that it matters to change too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from ifonly.errors import OptionError, nearest
from ifonly.paper.authors.facts import DATA, KS, ROWS

MODELS = ("own", "published")


@dataclass(frozen=True)
class Plan:
    """What is asked for.

    `models` is 'own', trained here as the paper says, or 'published', the authors' own weights
    from the folder `records`. The boundary is sampled `within` a 'sphere' or a 'box'.
    """

    rows: int = ROWS
    ks: tuple[int, ...] = KS
    models: str = "own"
    records: Path | None = None
    within: str = "sphere"
    samples: int = 1000
    seed: int = 0
    data: tuple[str, ...] = tuple(DATA)

    def __post_init__(self) -> None:
        if self.models not in MODELS:
            raise OptionError(f"There are no models {self.models!r}.", nearest(self.models, MODELS))
        if self.models == "published" and self.records is None:
            raise OptionError(
                "The published models need the folder of the authors' records.",
                "Name it: --published FOLDER, the folder with models.json and queries.json.",
            )

    def quick(self) -> Plan:
        """The same with few rows and three k."""
        return replace(self, rows=min(50, self.rows), ks=(1, 4, 10))


@dataclass(frozen=True, order=True)
class Cell:
    """One thing to run."""

    experiment: str
    data: str
    model: str
    method: str
    k: int = 0
    """How many counterfactuals are asked for; 0 where that means nothing."""

    @property
    def name(self) -> str:
        """The cell's place in the matrix: 'sets/adult/ann/DiverseCF/k=4'."""
        parts = (self.experiment, self.data, self.model, self.method)
        return "/".join([*parts, f"k={self.k}"] if self.k else parts)


@dataclass(frozen=True)
class Experiment:
    """A kind of cell."""

    name: str
    cells: Callable[[Plan], list[Cell]]
    run: Callable[[Cell, Plan, Any], pd.DataFrame]
    """What a cell gives, of the plan and the store of what other cells gave."""
    uses: tuple[str, ...] = ("rows", "seed")
    """The options of the plan that a result depends on."""
    edition: int = 1
    """Counted up where a change of the code changes results."""
    cost: Callable[[Cell, Plan], float] = lambda cell, plan: 1.0
    """About how long a cell takes, in seconds, to tell the time that is left."""
    trained: bool = True
    """Whether a cell explains a model, which may be one that another cell trains."""


def stamp(cell: Cell, experiment: Experiment, plan: Plan, model: str) -> str:
    """Twenty hexadecimal digits of all that a cell's result depends on.

    `model` is the fingerprint of what it explains.
    """
    facts: Mapping[str, Any] = {
        "cell": cell.name,
        "edition": experiment.edition,
        "ifonly": version("ifonly"),
        "options": {name: getattr(plan, name) for name in experiment.uses},
        "model": model,
    }
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
