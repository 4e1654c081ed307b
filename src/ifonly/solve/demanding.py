"""What a question demands of answers, made ready for the space and the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ifonly.arrays.keys import row_streams
from ifonly.demands.agreement import Agreement, Other, others_of
from ifonly.demands.parameters import parameters_of
from ifonly.demands.robust import Demanded, Refits, Within, as_robust
from ifonly.demands.tolerance import tolerances
from ifonly.errors import OptionError
from ifonly.models import Model
from ifonly.plausible import AsUsual, Usual, as_plausible
from ifonly.problem.demand import Demand
from ifonly.problem.goal import Logit, check_margin
from ifonly.select.selector import Selector
from ifonly.solve.prepare import Setting, provided
from ifonly.solve.short.solver import read_once

FEWEST = 50
"""How many rows tell how usual a point is, at the least."""
ENOUGH = 100
"""From how many rows on usual answers are preferred without being asked for."""
FITTING = 5.0
"""With less than so many seconds left, a measure is fitted only where one is demanded."""
MOST = 2000
"""To how many rows a measure is fitted, at the most."""
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
    others = known_others(setting, stated.models, known)
    if stated.deviations is not None:
        check_scores([one.model for one in others], stated.deviations)
    return Agreement(others, stated.share, stated.deviations, refits)


def known_others(setting: Setting, models: Any, known: Known) -> tuple[Other, ...]:
    """Other models over the space of a setting, made ready once."""
    assert setting.readable is not None, "prepare() has stated it"
    key = tuple(map(id, models))
    if key not in known:
        own = setting.model.classes
        known[key] = models, others_of(models, setting.space, own, setting.readable.probe)
    return known[key][1]


def check_scores(models: Sequence[Model], deviations: float) -> None:
    """Refuse deviations of models that give no scores."""
    for i, model in enumerate(models):
        if getattr(model, "gives", "") == "label":
            raise OptionError(
                f"deviations={deviations!r} has no effect: other model {i + 1} gives labels and no "
                "scores.",
                "Give models with predict_proba, or share=0.9.",
            )


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


def with_usual(
    setting: Setting,
    selector: Selector,
    stated: Any,
    fitted: dict[Any, Usual],
    deadline: float | None = None,
) -> Setting:
    """The setting with what `plausible=` states; measures that were `fitted` are used again."""
    plausible = as_plausible(stated)
    if plausible is None:
        return setting
    if plausible.level is None and not getattr(selector, "prefers_usual", False):
        if stated is None:
            return setting
        raise OptionError(
            f"plausible={stated!r} has no effect: {type(selector).__name__} does not prefer usual "
            "answers.",
            "Demand them, plausible=0.05, or use method='auto'.",
        )
    assert setting.readable is not None, "prepare() has stated it"
    codes = setting.readable.data
    short = deadline is not None and deadline - time.monotonic() < FITTING
    if stated is None and (len(codes) < ENOUGH or (short and plausible.measure not in fitted)):
        return setting
    if len(codes) < FEWEST:
        raise OptionError(
            f"plausible={stated!r} needs {FEWEST} rows of `data`, and there are {len(codes)}.",
            "Give the rows that the model was trained on.",
        )
    if plausible.measure not in fitted:
        fitted[plausible.measure] = Usual.fit(plausible, setting.space, _sample(codes))
    usual = fitted[plausible.measure]
    if plausible.level is None:
        return replace(setting, usual=usual)
    return replace(setting, demand=AsUsual(usual, plausible.level))


def _sample(codes: np.ndarray) -> np.ndarray:
    """At most `MOST` rows, each as often as it is common; the same whatever the order of rows."""
    order = np.argsort(row_streams(codes, seed=0), kind="stable")
    places = np.linspace(0, len(codes) - 1, min(MOST, len(codes))).round().astype(np.intp)
    return np.asarray(codes[order[places]])
