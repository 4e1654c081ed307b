"""How much work the default method does for a row, as one set of counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ifonly.errors import OptionError, nearest
from ifonly.models.routes.leaf_sets import LeafSets

if TYPE_CHECKING:
    from ifonly.problem.problem import Problem


@dataclass(frozen=True)
class Size:
    """Counts a row; model rows grow about linearly in each."""

    singles: int = 600
    """Single edits in the shared list, divided among the features."""
    pairs: int = 300
    """Random edits of two features."""
    larger: int = 500
    """Edits of three and of four features together."""
    neighbours: int = 8
    """Nearest rows of the wanted outcome."""
    copies: int = 4
    """Partial copies of each neighbour."""
    width: int = 8
    """Partial edits that the beam builds on at each step."""
    depth: int = 4
    """Steps of the search, the shared list included."""
    branch: int = 12
    """Features that the beam tries at a point."""
    swaps: int = 1
    """Nearest points that the swap starts from."""
    keep: int = 24
    """Nearest candidates that are shrunk."""
    shrinks: int = 2
    """Rounds of shrinking."""
    near: int = 128
    """Nearest points in the pool."""
    wide: int = 128
    """Points in the pool drawn at random from the shared list."""
    polish: int = 2
    """Rounds of polish."""
    around: int = 96
    """Neighbours of each point in a round of polish."""


SIZES = {
    "small": Size(
        singles=300,
        around=40,
        pairs=200,
        larger=150,
        neighbours=4,
        copies=2,
        width=4,
        keep=12,
        near=64,
        wide=96,
        polish=1,
    ),
    "base": Size(),
    "thorough": Size(
        singles=1500,
        around=160,
        pairs=2000,
        larger=3000,
        neighbours=16,
        width=16,
        branch=24,
        swaps=3,
        keep=48,
        shrinks=3,
        near=400,
        wide=600,
        polish=4,
    ),
}


DEMANDING = {"neighbours": 32, "copies": 8}
"""The counts where answers meet demands: real rows deep inside the outcome lead there."""

Effort = str | Size
"""'auto', 'small', 'base' or 'thorough'; or the counts themselves."""


def check_effort(effort: Effort) -> None:
    """Refuse an effort that does not exist."""
    if not isinstance(effort, Size) and effort not in ("auto", *SIZES):
        raise OptionError(f"There is no effort {effort!r}.", nearest(effort, ("auto", *SIZES)))


def named(effort: Effort, problem: Problem, *, alone: bool = False) -> Effort:
    """The effort of a problem, 'auto' by its name.

    'auto' is 'base' where asking the model costs next to nothing; where answers meet demands,
    which take more changes, and more time than the search; and for an answer that stands `alone`,
    of which nothing but its price counts, where asking costs little.
    """
    if effort != "auto":
        return effort
    alone &= isinstance(problem.model.route, LeafSets)
    return "base" if problem.model.cheap or problem.demands or alone else "small"


def size_of(effort: Effort, problem: Problem, *, alone: bool = False) -> Size:
    """The counts of an effort for a problem."""
    effort = named(effort, problem, alone=alone)
    if isinstance(effort, Size):
        return effort
    return replace(SIZES[effort], **DEMANDING) if problem.demands else SIZES[effort]
