"""A model from its file, and the rows that it was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ifonly.errors import DataError, OptionError, nearest
from ifonly.models import as_model
from ifonly.models.adapters.names import own_names
from ifonly.models.files.load import load_model


def open_model(path: Path, inputs: str, *, trust_pickle: bool, trust: Sequence[str]) -> Any:
    """The model of a file, behind what makes its input."""
    if not inputs:
        return load_model(path, trust_pickle=trust_pickle, trust=trust)
    model = load_model(path, trust_pickle=trust_pickle)
    if not callable(model):
        raise OptionError(
            f"--inputs {inputs!r} has no effect: {path.name} is not a torch module.",
            "Leave it out. Save an estimator together with its transformer, as one pipeline.",
        )
    if inputs == "units":
        return as_model(model, inputs=inputs)
    return as_model(model, inputs=load_model(Path(inputs), trust_pickle=trust_pickle, trust=trust))


def without(outcome: str, *frames: pd.DataFrame) -> list[pd.DataFrame]:
    """The frames without the outcome column; one of them has it."""
    if not any(outcome in frame.columns for frame in frames):
        raise DataError(
            f"The files have no outcome column {outcome!r}.",
            f"{nearest(outcome, frames[0].columns)} Without one, leave --outcome out.",
        )
    return [frame.drop(columns=outcome, errors="ignore") for frame in frames]


def check_features(names: Sequence[str], model: Any) -> None:
    """Refuse an outcome column that is left in, in the words of the command line."""
    known = own_names(getattr(model, "feature_names_in_", ()), names)
    extra = [name for name in names if name not in known]
    if known and extra:
        raise DataError(
            f"The training file has the column {extra[0]!r}, which the model was not trained on.",
            f"If it is the outcome, add --outcome {extra[0]!r}; if it is only to be kept, --carry.",
        )
