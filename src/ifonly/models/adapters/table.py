"""Models that take a DataFrame: anything with `predict_proba`, `decision_function` or `predict`.

Codes become a frame with the columns, the order and the dtypes of the data, the model is asked,
and its answer is checked before anybody uses it. What the model's `predict` says is its decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError, ModelError, OptionError, PredictionError
from ifonly.models.adapters.names import wanted_columns
from ifonly.models.pace import Meter
from ifonly.models.service import service_error
from ifonly.space import Categorical, Continuous, Space
from ifonly.space.table.carry import Carried, column_order
from ifonly.space.table.frame import Frame

MOST_KEPT = 1024
"""Rows up to which the output of a pipeline's first steps is kept for a second question."""


@dataclass(frozen=True)
class TableModel:
    """A model asked with frames.

    `ask` gives the scores of a frame, `predict` its labels or nothing where scores decide, and
    `columns` the order in which the model wants its features. `bare` asks with an array of values,
    for a model that was fitted without column names. Where `steps` are the first steps of a
    pipeline, `ask` and `predict` belong to its last one. `gives` says what the scores were before
    they became numbers from 0 to 1: a 'probability', a 'margin' or a 'label'. A model that takes
    columns which are `carried` along gets those of the row that codes are tagged with, or of the
    first.
    """

    space: Space
    classes: tuple[Any, ...]
    ask: Callable[[Any], Any]
    predict: Callable[[Any], Any] | None = None
    columns: tuple[str, ...] = ()
    bare: bool = False
    steps: FirstSteps | None = None
    gives: str = "probability"
    meter: Meter = field(default_factory=Meter, compare=False, repr=False)
    """What counts the rows, and knows how many a request may have."""
    carried: Carried | None = None

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] what the model gives for codes [n, d]."""
        return np.asarray(self.meter.ask(self._scores, codes))

    def decide(self, codes: np.ndarray) -> np.ndarray | None:
        """[n] the class index of what the model predicts."""
        return None if self.predict is None else np.asarray(self.meter.ask(self._decide, codes))

    def _scores(self, codes: np.ndarray) -> np.ndarray:
        return check_scores(run(self.ask, self._input(codes)), len(codes), self.classes)

    def _decide(self, codes: np.ndarray) -> np.ndarray:
        assert self.predict is not None, "decide() has looked"
        return label_index(run(self.predict, self._input(codes)), len(codes), self.classes)

    def over(self, space: Space) -> TableModel:
        """The model over a space of the same features, with its own memory of rows."""
        steps = None if self.steps is None else FirstSteps(self.steps.transform)
        return replace(self, space=space, steps=steps)

    def frame(self, codes: np.ndarray) -> Frame:
        """The frame, or the bare array, that the model is asked with."""
        if self.carried is not None:
            return self._with_carried(codes)
        frame = self.space.rows(codes)
        if self.columns and self.columns != self.space.names:
            frame = frame[list(self.columns)]
        return frame.to_numpy() if self.bare else frame

    def carrying(self, carried: Carried | None) -> TableModel:
        """The model asked with the carried columns of other rows, where it takes any."""
        taken = {one.name for one in self.space.carry} & {
            *(self.columns or column_order(self.space))
        }
        if not taken:
            return self
        if carried is None:
            raise DataError(
                f"The model takes the column {min(taken)!r}, which is carried along; its values "
                "are not known here.",
                "Give rows with every column of the data.",
            )
        steps = None if self.steps is None else FirstSteps(self.steps.transform)
        return replace(self, carried=carried, steps=steps)

    def _with_carried(self, codes: np.ndarray) -> Frame:
        assert self.carried is not None
        d = len(self.space)
        rows = codes[:, d].astype(np.intp) if codes.shape[1] > d else np.zeros(len(codes), np.intp)
        order = self.columns or column_order(self.space)
        frame = self.carried.beside(self.space.rows(codes[:, :d]), rows, order)
        return frame.to_numpy() if self.bare else frame

    def _input(self, codes: np.ndarray) -> Any:
        """What `ask` and `predict` are given."""
        return self.frame(codes) if self.steps is None else self.steps.output(self.frame, codes)


@dataclass(eq=False)
class FirstSteps:
    """All steps of a pipeline but the last, and what they made of the rows asked about last.

    The judge asks for the decisions and the scores of the same few rows, and most of the time of
    either call goes into these steps. What was kept is given out once.
    """

    transform: Callable[[Any], Any]
    kept: tuple[bytes, Any] | None = None

    def output(self, frame: Callable[[np.ndarray], Frame], codes: np.ndarray) -> Any:
        """What the steps make of codes [n, d]."""
        if len(codes) > MOST_KEPT:
            return run(self.transform, frame(codes))
        key, kept = codes.tobytes(), self.kept
        if kept is not None and kept[0] == key:
            self.kept = None
            return kept[1]
        output = run(self.transform, frame(codes))
        self.kept = key, deepcopy(output)  # in the same memory order, so that sums agree
        return output


def run(function: Callable[[Any], Any], frame: Frame) -> Any:
    """What a user's function gives; its own error stays visible in ours."""
    try:
        return function(frame)
    except ModelError:
        raise
    except Exception as error:
        lost = service_error(error, np.shape(frame)[0])
        if lost is not None:
            raise lost from error
        raise PredictionError(
            f"The model failed on {np.shape(frame)[0]} rows: {type(error).__name__}: {error}",
            "It is asked with the columns and dtypes of `data`: give the frame it was trained on, "
            "without the outcome.",
        ) from error


def check_scores(output: Any, n: int, classes: Sequence[Any]) -> np.ndarray:
    """[n, c] of whatever a model returned for n rows; one column of two classes is completed."""
    try:
        scores = np.array(output, dtype=np.float64)  # a copy: the model may use its array again
    except (TypeError, ValueError):
        raise PredictionError(
            f"The model returned {type(output).__name__} that are not numbers.",
            "If it gives labels, wrap it: ifonly.as_model(f, classes=[...], gives='labels').",
        ) from None
    c = max(1, len(classes))
    if scores.shape[:1] != (n,):
        raise PredictionError(
            f"The model returned {scores.shape[0] if scores.ndim else 'one number'} for {n} rows.",
            "It must return one entry for each row, in their order.",
        )
    if scores.ndim == 1:
        scores = scores[:, None]
    if c == 2 and scores.shape == (n, 1):
        scores = np.concatenate([1 - scores, scores], axis=1)
    if scores.shape != (n, c):
        raise PredictionError(
            f"The model returned an array of shape {scores.shape} for {n} rows.",
            f"For the classes {list(classes)} it must be ({n}, {c})."
            if classes
            else f"A regressor returns one number per row: ({n},).",
        )
    odd = ~np.isfinite(scores)
    if odd.any():
        what = "NaN" if np.isnan(scores).any() else "an infinite score"
        error = PredictionError(
            f"The model returned {what} for {int(odd.any(axis=1).sum())} of {n} rows.",
            "Look at what it does with the values of `data`; ifonly judges by finite numbers.",
        )
        error.scores = scores
        raise error
    return scores


def label_index(output: Any, n: int, classes: Sequence[Any]) -> np.ndarray:
    """[n] the class index of labels that a model returned for n rows."""
    labels = np.asarray(output)
    if labels.shape == (n, 1):
        labels = labels[:, 0]
    if labels.shape != (n,):
        raise PredictionError(
            f"The model predicted labels of shape {labels.shape} for {n} rows.",
            "It must predict one label for each row.",
        )
    values, positions = np.unique(labels, return_inverse=True)
    known = {label: i for i, label in enumerate(classes)}
    unknown = [value for value in values.tolist() if value not in known]
    if unknown:
        raise PredictionError(
            f"The model predicted {unknown[0]!r}, which is none of its classes.",
            f"Its classes are {list(classes)}.",
        )
    return np.array([known[value] for value in values.tolist()])[positions]


def label_scores(predict: Callable[[Any], Any], classes: tuple[Any, ...], frame: Any) -> Any:
    """Labels as scores of 0 and 1; a regressor's numbers as they are."""
    output = predict(frame)
    if not classes:
        return output
    return np.eye(len(classes))[label_index(output, len(frame), classes)]


def framed(thing: Any, space: Space, ask: Callable[[Any], Any]) -> TableModel:
    """A model that asks with the columns which a fitted thing, an estimator or a step, wants."""
    columns = wanted_columns(getattr(thing, "feature_names_in_", ()), space)
    count = getattr(thing, "n_features_in_", None)
    # One that was fitted on an array complains about column names that it never saw.
    bare = not columns and count in (len(space), len(space) + len(space.carry))
    if bare and space.carry and count == len(space):
        columns = space.names
    return TableModel(space, (), ask, columns=columns, bare=bare)


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
