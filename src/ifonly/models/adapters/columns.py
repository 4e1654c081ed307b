"""The columns that a model was trained on, and the dtypes that a boosting library takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from ifonly.errors import DataError, OptionError, nearest
from ifonly.space import Categorical, Continuous, Space


def wanted_columns(names: Iterable[object], space: Space) -> tuple[str, ...]:
    """The model's own columns in their order, where it remembers them; they must be the space's."""
    columns = tuple(str(name) for name in names)
    extra = [name for name in space.names if name not in columns]
    missing = [name for name in columns if name not in space.names]
    if columns and extra:
        raise DataError(
            f"`data` has the column {extra[0]!r}, which the model was not trained on.",
            f"If it is the outcome, drop it: data.drop(columns={extra!r}).",
        )
    if missing:
        raise DataError(
            f"`data` lacks the column {missing[0]!r}, which the model was trained on.",
            nearest(missing[0], space.names),
        )
    return columns


def with_categories(space: Space, frame: Any) -> Any:
    """The frame with text as categories: boosting libraries take no text, and CSV files have no
    categories.
    """
    if not isinstance(frame, pd.DataFrame):
        return frame
    text = {
        feature.name: pd.CategoricalDtype(list(feature.levels))
        for feature in space.features
        if isinstance(feature, Categorical) and pd.api.types.is_string_dtype(frame[feature.name])
    }
    return frame.astype(text) if text else frame


def check_encoded(model: Any, space: Space) -> None:
    """Refuse numbers that the model's own encoder takes for categories: between them are none."""
    for name in encoded_levels(model):
        if name in space.names and isinstance(space.features[space.index(name)], Continuous):
            raise OptionError(
                f"The model encodes {name!r} as categories, and `data` has numbers there.",
                f"Say that they are names of categories: categorical=[{name!r}].",
            )


def encoded_levels(step: Any, columns: Any = ()) -> dict[str, list[Any]]:
    """The levels that the model's own encoders know, in any nesting, by column."""
    found: dict[str, list[Any]] = {}
    for _, part, names in getattr(step, "transformers_", ()):
        found |= encoded_levels(part, names)
    for _, part in getattr(step, "steps", ()):
        found |= encoded_levels(part, columns)
    if hasattr(step, "categories_"):
        own = getattr(step, "feature_names_in_", columns)
        pairs = zip(own, step.categories_, strict=False) if isinstance(own, Iterable) else ()
        found |= {name: list(levels) for name, levels in pairs if isinstance(name, str)}
    return found
