"""Functions and torch modules as models: nothing can be read off them, so their user says it.

`as_model` states what a function gives and, where it does not take a frame, what makes its input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ifonly.errors import OptionError
from ifonly.models.adapters import torch
from ifonly.models.adapters.pair import PairModel
from ifonly.models.adapters.table import TableModel, framed, label_scores
from ifonly.models.pace import Meter, Pace
from ifonly.models.protocol import Model
from ifonly.space import Space


@dataclass(frozen=True)
class Function:
    """A function of a frame, and what it gives: the result of `as_model`."""

    function: Callable[[Any], Any]
    classes: tuple[Any, ...] | None = ()
    """None: those of a module are counted."""
    gives: str | None = None
    gradient: Callable[..., Any] | None = None
    inputs: Any = None
    """What makes the function's input of a frame; None: nothing does."""
    batch_rows: int | None = None

    def adapt(self, space: Space, probe: np.ndarray) -> Model:
        """The function as a model over a space."""
        transform = self._transform(space)
        if torch.is_module(self.function):
            if transform is not None and transform.columns:
                transform = transform.carrying(None)  # it takes no column that is carried along
            options: Any = {"classes": self.classes, "gives": self.gives}
            return torch.adapt(self.function, space, probe, transform=transform, **options)
        classes = self.classes or ()
        if self.gradient is not None:
            return PairModel(space, classes, self.function, self.gradient)
        ask = self.function
        if transform is not None:
            ask = partial(_of, self.function, transform.ask)
        elif self.inputs == "units":
            ask = partial(_of, self.function, partial(_units, space))
        labels = self.gives == "labels"
        return replace(
            transform or TableModel(space, (), ask),
            classes=classes,
            ask=partial(label_scores, ask, classes) if labels else ask,
            gives="label" if labels else "probability",
            meter=Meter(Pace(self.batch_rows)),
        )

    def _transform(self, space: Space) -> TableModel | None:
        """The user's own transform over a space, if there is one."""
        if self.inputs is None or isinstance(self.inputs, str):
            return None
        return framed(self.inputs, space, getattr(self.inputs, "transform", self.inputs))


def as_model(
    function: Callable[[Any], Any],
    *,
    classes: Sequence[Any] | None = None,
    task: str | None = None,
    gives: str | None = None,
    gradient: Callable[..., Any] | None = None,
    inputs: Any = None,
    batch_rows: int | None = None,
) -> Function:
    """A function of a DataFrame, or a torch module, as a model.

    Parameters
    ----------
    function
        A function of a frame that returns probabilities, [n, c] or [n] for the second of two
        classes; with `gives='labels'`, one label per row; with `task='regression'`, one number
        per row. With `gradient`, a function of units that returns logits. Or a torch module.
    classes
        The classes, in the order of the probabilities; none for a regression. A torch module
        without has the classes 0, 1, ...
    task
        'regression', or None for a classifier.
    gives
        What the function returns: 'probabilities' (the default) or 'labels'; for a torch
        module, 'probabilities' or 'logits'.
    gradient
        A function of units that returns the gradient of the logits (see
        `models.adapters.pair`).
    inputs
        What makes the input of the function or module: a fitted scikit-learn transformer or
        pipeline of them, a function from a frame like `data` to an array (or to a tensor, or a
        tuple of these), or 'units', numbers scaled to [0, 1] by the range of `data` and
        categories one-hot. A torch module must have one; a function without gets the frame.
    batch_rows
        The most rows of one call of the function, for a web service: a request that is lost on the
        way is made again.

    Returns
    -------
    Function
        A model that `ifonly.explain` takes.

    Raises
    ------
    OptionError
        The arguments do not fit together; the message says why.

    Examples
    --------
    >>> rich = as_model(lambda frame: frame["income"] > 4000, classes=["no", "yes"])
    >>> rich.classes
    ('no', 'yes')
    """
    if not callable(function):
        raise OptionError(
            f"as_model expects a function, not {function!r}.",
            "An estimator is a model as it is. Where its input is transformed, give both as one: "
            "sklearn.pipeline.make_pipeline(transform, estimator).",
        )
    module = torch.is_module(function)
    if (classes is None) == (task != "regression") and not (module and task is None):
        raise OptionError(
            f"as_model got classes={classes!r} and task={task!r}.",
            "Say as_model(f, classes=['no', 'yes']) or as_model(f, task='regression').",
        )
    known = ("probabilities", "logits") if module else ("probabilities", "labels")
    if gives not in (None, *known):
        raise OptionError(f"as_model got gives={gives!r}.", f"It may be {' or '.join(known)}.")
    if classes is not None and len(set(classes)) < 2:
        raise OptionError(f"A classifier needs two classes, not {list(classes)}.")
    _check_inputs(function, inputs, gradient)
    _check_batch_rows(function, batch_rows, gradient)
    stated = tuple(() if classes is None else classes) or (None if task is None else ())
    return Function(function, stated, gives, gradient, inputs, batch_rows)


def _check_batch_rows(function: Any, batch_rows: Any, gradient: Any) -> None:
    if batch_rows is None:
        return
    whole = isinstance(batch_rows, int | np.integer) and not isinstance(batch_rows, bool)
    if not whole or batch_rows < 1:
        raise OptionError(f"batch_rows is {batch_rows!r}.", "It is a whole number of 1 or more.")
    if gradient is not None or torch.is_module(function):
        raise OptionError(
            f"batch_rows={batch_rows} has no effect: the function is not asked with frames.",
            "Leave it out.",
        )


def _check_inputs(function: Any, inputs: Any, gradient: Any) -> None:
    """Refuse inputs that say nothing, and a module without any."""
    if inputs is None and torch.is_module(function):
        raise torch.undeclared(function)
    stated = inputs if isinstance(inputs, str | None) else "transform"
    if gradient is not None and stated not in (None, "units"):
        raise OptionError(
            "as_model got `gradient` and `inputs`: a function with a gradient takes units.",
            "Leave `inputs` out.",
        )
    if stated in (None, "units") or callable(getattr(inputs, "transform", inputs)):
        return
    raise OptionError(
        f"as_model got inputs={inputs!r}.",
        "It is a fitted transformer, a function from a frame to an array, or 'units'.",
    )


def _of(function: Callable[[Any], Any], transform: Callable[[Any], Any], frame: Any) -> Any:
    """What a function gives for what a transform makes of a frame."""
    return function(transform(frame))


def _units(space: Space, frame: Any) -> Any:
    """[n, w] the units of a frame."""
    return space.units(space.codes(frame))
