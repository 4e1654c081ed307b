"""The columns of the data by the names that a model remembers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ifonly.errors import DataError, nearest
from ifonly.space import Space
from ifonly.space.table.carry import column_order


def wanted_columns(names: Iterable[object], space: Space) -> tuple[str, ...]:
    """The space's columns in the model's order, where it remembers them; they must be the same."""
    columns = own_names(names, space.names)
    extra = [name for name in space.names if name not in columns]
    known = column_order(space)
    missing = [name for name in columns if name not in known]
    if columns and extra:
        raise DataError(
            f"`data` has the column {extra[0]!r}, which the model was not trained on.",
            f"It was trained on {missing[0]!r}, which `data` lacks: give the frame it was trained "
            "on, or rename its columns."
            if missing
            else f"If it is the outcome, drop it: data.drop(columns={extra!r}).",
        )
    if missing:
        raise DataError(
            f"`data` lacks the column {missing[0]!r}, which the model was trained on.",
            nearest(missing[0], known),
        )
    return columns


def own_names(names: Iterable[object], columns: Sequence[str]) -> tuple[str, ...]:
    """The columns in the order of the names by which a model remembers them.

    LightGBM writes spaces as underscores, and refuses the signs of JSON, which people then leave
    out: where letters and digits tell the columns apart, they are what is compared. It calls the
    columns of an array Column_0 and so on, which says nothing. Other names come back as they are.

    >>> own_names(["worst_area", "size"], ["size", "worst area"])
    ('worst area', 'size')
    """
    own = tuple(str(name) for name in names)
    if own == tuple(f"Column_{j}" for j in range(len(columns))) and own != tuple(columns):
        return ()
    plain = {_letters(name): name for name in columns}
    found = tuple(plain.get(_letters(name), "") for name in own)
    exact = set(own) == set(columns)
    return found if not exact and sorted(found) == sorted(columns) else own


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))
