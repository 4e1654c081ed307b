"""How much work the engine does for a row, as one set of counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """Counts a row; model rows grow about linearly in each."""

    singles: int = 600
    pairs: int = 300
    larger: int = 500  # edits of three and of four features together
    neighbours: int = 8
    copies: int = 4  # partial copies of each neighbour
    width: int = 8
    depth: int = 4
    branch: int = 12  # features that the beam tries at a point
    swaps: int = 1  # nearest points that the swap starts from
    keep: int = 24
    shrinks: int = 2
    near: int = 128
    wide: int = 128
    polish: int = 2
    around: int = 96  # neighbours of each point in a round of polish


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
