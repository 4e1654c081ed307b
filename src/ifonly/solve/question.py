"""What is asked about some rows: the options of one question, its budget, rules of single rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ifonly.demands.robust import plain
from ifonly.errors import OptionError, RuleError, check_flag
from ifonly.plausible import Plausible
from ifonly.problem.goal import Logit, Target
from ifonly.rules import Rule, as_rules
from ifonly.space import Space
from ifonly.space.table.index import positions_of

SECONDS = 60.0
"""What a proof may take for a row unless the user says otherwise."""
LIMITS = ("seconds", "model_rows", "model_rows_per_row")
"""What a budget may state."""
PREPARING = 0.25
"""The share of a budget that preparing the model may use."""


@dataclass(frozen=True)
class Question:
    """The options of one question."""

    target: Target
    k: int
    threshold: float | None
    """Where the second of two classes begins, if the user states it."""
    certify: bool | float
    seed: int
    budget: Budget
    progress: bool | Callable[[int, int], None] | None
    keep: bool
    plausible: Any = None
    workers: int | str = 1
    robust: Any = None
    margin: float | Logit = 0.0
    tolerance: Any = None

    def __post_init__(self) -> None:
        if self.workers != "all":
            check_whole(self.workers, "workers", least=1, other=", or 'all'")
        check_whole(self.k, "k", least=1)
        check_whole(self.seed, "seed", least=0)
        given: Any = self.certify
        if not isinstance(given, bool | int | float) or (given is not False and not given > 0):
            raise OptionError(f"certify is {given!r}.", "It is True, or the most seconds per row.")

    @property
    def proof_seconds(self) -> float | None:
        """The seconds that a proof may take for a row; None where none is asked for."""
        if self.certify is False:
            return None
        return SECONDS if self.certify is True else float(self.certify)

    @property
    def options(self) -> dict[str, Any]:
        """What a record keeps of it."""
        return {
            "target": _plain(self.target),
            "k": int(self.k),
            "threshold": self.threshold,
            "certify": self.certify,
            "seed": int(self.seed),
            "plausible": _plausible(self.plausible),
            "robust": plain(self.robust),
            "margin": vars(self.margin) if isinstance(self.margin, Logit) else self.margin,
            "tolerates": _plain_tolerance(self.tolerance),
            "budget": self.budget.stated,
        }


def _plausible(value: Any) -> Any:
    """A demand as JSON holds it."""
    if not isinstance(value, Plausible):
        return value
    measure = value.measure if isinstance(value.measure, str) else repr(value.measure)
    return {"measure": measure, "level": value.level}


def _plain_tolerance(value: Any) -> Any:
    """A tolerance as JSON holds it."""
    if isinstance(value, Mapping):
        return {str(name): float(amount) for name, amount in value.items()}
    return None if value is None else float(value)


def _plain(target: Any) -> Any:
    """A target without the types of numpy and pandas, which JSON does not hold."""
    if isinstance(target, np.generic):
        return target.item()
    if isinstance(target, tuple):
        return tuple(_plain(one) for one in target)
    if isinstance(target, list | np.ndarray) or hasattr(target, "to_list"):
        return [_plain(one) for one in target]
    return target


def check_whole(value: Any, name: str, least: int, other: str = "") -> None:
    """Refuse what is not a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        hint = f"It is a whole number of {least} or more{other}."
        raise OptionError(f"{name} is {value!r}.", hint)


@dataclass(frozen=True)
class Budget:
    """The most seconds and model rows; nothing means no limit.

    Of the seconds at most one request to the model ends later. Model rows are never exceeded: what
    the model is not asked about is not an answer.
    """

    seconds: float | None = None
    model_rows: int | None = None
    model_rows_per_row: int | None = None
    """What each row may cost by itself, whatever the others do."""
    harder: bool = True
    """Whether rows that are short of answers are searched again, harder."""
    began: float = field(default_factory=lambda: time.monotonic(), compare=False)
    prepared: int = 0
    """How many of the model rows were used to prepare the model."""

    @classmethod
    def of(cls, budget: Any) -> Budget:
        """The budget of a number of seconds, or of {'seconds': ..., 'model_rows': ...}."""
        if budget is None or isinstance(budget, cls):
            return budget or cls()
        limits = dict(budget) if isinstance(budget, Mapping) else {"seconds": budget}
        harder = limits.pop("harder", True)
        check_flag(harder, "budget['harder']")
        for name, limit in limits.items():
            wrong = isinstance(limit, bool) or not isinstance(limit, int | float | np.number)
            if name not in LIMITS or wrong or not limit > 0:
                raise OptionError(
                    f"The budget has {name}={limit!r}.",
                    "Give seconds, such as budget=2, or budget={'model_rows': 100_000}, "
                    "{'model_rows_per_row': 2000} or {'harder': False}.",
                )
        for name in set(limits) - {"seconds"}:
            limits[name] = None if limits[name] == float("inf") else int(limits[name])
        return cls(**limits, harder=harder)

    @property
    def stated(self) -> dict[str, Any] | None:
        """What a record keeps of it."""
        limits = {name: limit for name in LIMITS if (limit := getattr(self, name)) is not None}
        return (limits if self.harder else {**limits, "harder": False}) or None

    @property
    def to_prepare(self) -> Budget:
        """The part of it that preparing the model may use: a share, or what one row may."""
        rows = [
            *([] if self.model_rows is None else [int(self.model_rows * PREPARING)]),
            *([] if self.model_rows_per_row is None else [self.model_rows_per_row]),
        ]
        seconds = None if self.seconds is None else self.seconds * PREPARING
        return replace(self, seconds=seconds, model_rows=min(rows, default=None))

    def after(self, prepared_rows: int) -> Budget:
        """The budget of a question after a model was prepared for it."""
        return replace(self, prepared=prepared_rows)

    @property
    def most_rows(self) -> int | None:
        """How many model rows are left to a question."""
        return None if self.model_rows is None else max(0, self.model_rows - self.prepared)

    @property
    def deadline(self) -> float | None:
        """When the seconds are over, on the clock of time.monotonic."""
        return None if self.seconds is None else self.began + self.seconds


def read_row_rules(given: Any, index: Sequence[Any], space: Space) -> tuple[tuple[Rule, ...], ...]:
    """The rules of each row of an index [q]; nothing where none has any.

    Given as a dictionary from a row's position, or its label, to its rules, or as a list with an
    entry per row.
    """
    q = len(index)
    if given is None or (isinstance(given, Mapping | Sequence) and not len(given)):
        return ()
    if isinstance(given, Mapping):
        own: list[tuple[Rule, ...]] = [()] * q
        for row, places in positions_of(given, index).items():
            for place in places:
                own[place] += as_rules(given[row], space)
        return tuple(own)
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != q:
        raise RuleError(
            f"row_rules is {given!r}, and there are {q} rows.",
            "Give a dictionary, such as {0: ['income at most 30000']}, or a list of rules per row.",
        )
    return tuple(as_rules(rules or (), space) for rules in given)
