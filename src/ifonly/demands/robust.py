"""What `robust=` takes: other models that must agree, refits of one's own, parameters that move."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ifonly.errors import ModelError, OptionError
from ifonly.problem.goal import check_margin


@dataclass(frozen=True, eq=False)
class Robust:
    """Other models that must agree with an answer.

    Parameters
    ----------
    models
        Fitted models, or paths to saved ones, of the same features and classes.
    share
        The share of them that must give the wanted outcome, rounded up to a whole number.
    deviations
        In place of a share: the mean of their scores must lie so many standard deviations of them
        beyond the threshold. It tells more of many models than how many agree.

    Raises
    ------
    OptionError
        There is no model, the share is not above 0 and at most 1, or the deviations are no number
        above 0.

    Examples
    --------
    >>> Robust(["a.joblib", "b.joblib"], share=0.5)
    Robust(models=['a.joblib', 'b.joblib'], share=0.5, deviations=None)
    """

    models: Sequence[Any]
    share: float = 1.0
    deviations: float | None = None

    def __post_init__(self) -> None:
        given: Any = self.models
        if isinstance(given, str) or not isinstance(given, Sequence) or not given:
            raise OptionError(
                f"robust has the models {self.models!r}.", "Give a list of one model or more."
            )
        _check_agreement(self.share, self.deviations, len(given))


@dataclass(frozen=True, eq=False)
class Refits:
    """Models refitted on bootstrap samples of the training rows, which must agree with an answer.

    Refit i is fitted to as many rows as there are, drawn with replacement by a random stream of
    `seed` and i, so that the same call gives the same models. They are fitted once, when they are
    first needed.

    Parameters
    ----------
    fit
        A function that gets a frame of features and their outcomes and returns a fitted model;
        one with a parameter `seed` also gets a whole number, another one for each refit. Or an
        estimator of scikit-learn, which is cloned and gets that number as its `random_state`.
    data
        The features of the training rows.
    outcome
        Their outcomes, one per row.
    n
        How many models are refitted.
    share
        The share of them that must give the wanted outcome, rounded up to a whole number.
    seed
        Another seed gives other refits.
    first
        The number of the first refit: `Refits(..., n=9)` and `Refits(..., n=9, first=9)` differ.
    deviations
        In place of a share: the mean of their scores must lie so many standard deviations of them
        beyond the threshold. 1.6 suits an answer that is to hold in 95 % of refits.

    Raises
    ------
    OptionError
        `fit` cannot be called, outcomes and rows are not equally many, or a number makes no sense.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = pd.DataFrame({"income": range(20)})
    >>> refits = Refits(LogisticRegression(), data, data["income"] > 9, n=3)
    >>> len(refits.models), len(refits.fresh(5).models)
    (3, 5)
    """

    fit: Any
    data: Any
    outcome: Any
    n: int = 9
    share: float = 1.0
    seed: int = 0
    first: int = 0
    deviations: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.fit) and not hasattr(self.fit, "fit"):
            raise OptionError(
                f"Refits got fit={self.fit!r}.",
                "Give a function of a frame and its outcomes, or an estimator with `fit`.",
            )
        if len(self.data) != len(self.outcome):
            raise OptionError(
                f"Refits got {len(self.data)} rows and {len(self.outcome)} outcomes.",
                "Give one outcome per row of `data`.",
            )
        for name, least in (("n", 1), ("seed", 0), ("first", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise OptionError(
                    f"Refits got {name}={value!r}.", f"It is a whole number of {least} or more."
                )
        _check_agreement(self.share, self.deviations, self.n)

    def __repr__(self) -> str:
        agree = (
            f"share={self.share}" if self.deviations is None else f"deviations={self.deviations}"
        )
        rest = f", first={self.first}" if self.first else ""
        return f"Refits({_name(self.fit)}, n={self.n}, {agree}, seed={self.seed}{rest})"

    @cached_property
    def models(self) -> list[Any]:
        """The refits."""
        return [self._refitted(self.first + i) for i in range(self.n)]

    def fresh(self, m: int = 29) -> Refits:
        """m further refits, none of which is among these.

        Parameters
        ----------
        m
            How many.

        Returns
        -------
        Refits

        Examples
        --------
        >>> Refits(lambda rows, outcome: None, [1], [0], n=9).fresh(29)
        Refits(<lambda>, n=29, share=1.0, seed=0, first=9)
        """
        return replace(self, n=m, first=self.first + self.n)

    def _refitted(self, number: int) -> Any:
        rng = np.random.default_rng([self.seed, number])
        rows, seed = rng.integers(0, len(self.data), len(self.data)), int(rng.integers(2**31))
        try:
            return _fitted(self.fit, _rows(self.data, rows), _rows(self.outcome, rows), seed)
        except Exception as error:
            raise ModelError(
                f"Refit {number} failed: {type(error).__name__}: {error}",
                "`fit` gets a bootstrap sample of `data` and of `outcome`; a rare level or class "
                "may be missing in it.",
            ) from error


@dataclass(frozen=True)
class Within:
    """Every parameter of the model may move by `delta`, and an answer stays one.

    For linear models and networks of ReLU, over columns scaled to go from 0 to 1: numbers by the
    range of the data, a column of 0 and 1 for each level. The outcome is proved by intervals, so
    what is accepted holds, and some of what holds is not accepted.

    Parameters
    ----------
    delta
        How far each weight and each bias may move, up and down.

    Raises
    ------
    OptionError
        `delta` is not a number above 0.

    Examples
    --------
    >>> Within(0.005)
    Within(delta=0.005)
    """

    delta: float

    def __post_init__(self) -> None:
        check_margin(self.delta, "delta")


Demanded: TypeAlias = Robust | Refits | Within


def as_robust(value: Any) -> tuple[Demanded, ...]:
    """What `robust=` states: the models of a list are one demand, anything else in it is its own.

    A refit that the list holds is a demand of its own.
    """
    if value is None:
        return ()
    if isinstance(value, Robust | Refits | Within):
        return (value,)
    if isinstance(value, str) or not isinstance(value, Sequence) or not len(value):
        raise OptionError(
            f"robust is {value!r}.",
            "Give a list of models, ifonly.Robust(models, share=0.9), ifonly.Refits(fit, data, "
            "outcome), or ifonly.Within(0.005).",
        )
    stated = [one for one in value if isinstance(one, Robust | Refits | Within)]
    models = [one for one in value if not isinstance(one, Robust | Refits | Within)]
    return (*([Robust(models)] if models else []), *stated)


def plain(value: Any) -> Any:
    """What a record keeps of `robust=`; models are not kept, and must be given again."""
    kept: list[Any] = []
    for one in as_robust(value):
        if isinstance(one, Within):
            kept.append({"delta": one.delta})
        elif isinstance(one, Refits):
            numbers = {name: getattr(one, name) for name in ("n", "seed", "first")}
            kept.append({"fit": _name(one.fit), **numbers, **_agreed(one)})
        else:
            kept.append({"models": [_name(model) for model in one.models], **_agreed(one)})
    return kept or None


def asked_again(kept: list[dict[str, Any]] | None, given: Any) -> Any:
    """What `robust=` states where a record is asked again; models must be given again."""
    if given is None and kept and all("delta" in one for one in kept):
        return [Within(**one) for one in kept]
    if plain(given) != kept:
        raise OptionError(
            f"The record was made with robust={kept}, and robust is {given!r}.",
            "Give the models, or the refits, that the answers were made with, and only then.",
        )
    return given


def _agreed(one: Robust | Refits) -> dict[str, float]:
    """What a record keeps of how models must agree."""
    return {"share": one.share} if one.deviations is None else {"deviations": one.deviations}


def _check_agreement(share: Any, deviations: Any, count: int) -> None:
    number = isinstance(share, int | float) and not isinstance(share, bool)
    if not number or not 0 < share <= 1:
        raise OptionError(f"share is {share!r}.", "It is above 0 and at most 1, such as 0.9.")
    if deviations is None:
        return
    check_margin(deviations, "deviations")
    if share != 1:
        raise OptionError(
            f"share={share!r} has no effect beside deviations={deviations!r}.", "Give one of them."
        )
    if count < 2:
        raise OptionError(
            f"deviations={deviations!r} needs two models or more, and there is one.",
            "Give more models, or leave `deviations` out.",
        )


def _name(model: Any) -> str:
    """A path, or the name of a function or of a class of models."""
    return model if isinstance(model, str) else getattr(model, "__name__", type(model).__name__)


def _rows(values: Any, rows: np.ndarray) -> Any:
    """Some rows of a frame, a series, an array or a list, in order."""
    if hasattr(values, "iloc"):
        return values.iloc[rows].reset_index(drop=True)
    return [values[row] for row in rows] if isinstance(values, list) else values[rows]


def _fitted(fit: Callable[..., Any] | Any, data: Any, outcome: Any, seed: int) -> Any:
    if not hasattr(fit, "fit"):
        takes = "seed" in inspect.signature(fit).parameters
        return fit(data, outcome, seed=seed) if takes else fit(data, outcome)
    from sklearn.base import clone

    model = clone(fit)
    states = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(states, seed)).fit(data, outcome)
