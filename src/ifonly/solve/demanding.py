"""What a question demands of answers, made ready for the space and the model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ifonly.demands.agreement import Agreement, Other, others_of
from ifonly.demands.parameters import parameters_of
from ifonly.demands.robust import Demanded, Refits, Within, as_robust
from ifonly.demands.tolerance import tolerances
from ifonly.errors import OptionError
from ifonly.problem.demand import Demand
from ifonly.problem.goal import Logit, check_margin
from ifonly.solve.prepare import Setting, provided
from ifonly.solve.short.solver import read_once

Known = dict[tuple[int, ...], tuple[Any, tuple[Other, ...]]]
"""Other models, by their identities, and what was made of them."""


def with_demands(setting: Setting, robust: Any, known: Known) -> Setting:
    """The setting with what `robust=` states; models that are `known` are used again."""
    demands = tuple(_demand(setting, stated, known) for stated in as_robust(robust))
    return replace(setting, demands=setting.demands + demands) if demands else setting


def _demand(setting: Setting, stated: Demanded, known: Known) -> Demand:
    if isinstance(stated, Within):
        read = setting if setting.reading else provided(setting, frozenset(), certify=True)
        return parameters_of(read.reading, stated.delta, read.unread)
    refits = stated if isinstance(stated, Refits) else None
    return Agreement(known_others(setting, stated.models, known), stated.share, refits)


def known_others(setting: Setting, models: Any, known: Known) -> tuple[Other, ...]:
    """Other models over the space of a setting, made ready once."""
    assert setting.readable is not None, "prepare() has stated it"
    key = tuple(map(id, models))
    if key not in known:
        own = setting.model.classes
        known[key] = models, others_of(models, setting.space, own, setting.readable.probe)
    return known[key][1]


def with_tolerance(setting: Setting, stated: Any) -> Setting:
    """The setting with the demand that `tolerance=` states."""
    read = partial(read_once, setting)
    demands = tolerances(stated, setting.space, setting.model, read)
    return replace(setting, demands=setting.demands + demands) if demands else setting


def as_margin(margin: Any) -> float | Logit:
    """What `margin=` states, checked."""
    if isinstance(margin, dict):  # as a record holds it
        return Logit(**margin)
    if isinstance(margin, Logit) or (margin == 0 and margin is not False):
        return margin
    check_margin(margin, "margin")
    return float(margin)


def with_margin(setting: Setting, margin: float | Logit) -> Setting:
    """The setting in which scores have the scale of a margin, which must make sense for them."""
    if margin == 0 or not setting.model.classes:
        return setting
    if getattr(setting.model, "gives", "") == "label":
        raise OptionError(
            f"margin={margin!r} has no effect: the model gives labels and no scores.",
            "Give a model with predict_proba, or robust=[...].",
        )
    return replace(setting.by_scores, decision=setting.decision)
