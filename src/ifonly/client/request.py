"""A question about rows as the contract has it: rows, rules, weights and demands as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ifonly.demands.tolerance import Tolerance
from ifonly.errors import OptionError
from ifonly.plausible import Plausible
from ifonly.problem.goal import Logit, Target
from ifonly.rules import Rule, Rules, as_rules, to_plain
from ifonly.rules.suggested.suggestions import Suggestions
from ifonly.solve.demanding import as_margin
from ifonly.solve.question import Budget, Question
from ifonly.space import Cost, Space
from ifonly.space.marks import plain
from ifonly.space.table.codes import read_codes
from ifonly.space.table.frame import Frame, as_frame
from ifonly.space.table.index import index_of, positions_of
from ifonly.space.table.values import value_of

LOCAL = {
    "robust": "other models are objects of this process",
    "workers": "the server has its own",
    "progress": "one request has none; submit(...) a job, which has",
    "keep": "one request cannot be interrupted; submit(...) a job, which can be stopped",
}
"""What the contract does not carry, and why."""


def rows_of(space: Space, rows: Frame) -> list[dict[str, Any]]:
    """Rows as JSON: the values of their codes, and carried columns as they are."""
    frame = as_frame(rows, "rows", empty=True)
    codes = read_codes(space.features, frame, "rows", space.carry)
    columns = {
        feature.name: [plain(value_of(feature, code)) for code in codes[:, j]]
        for j, feature in enumerate(space.features)
    }
    for one in space.carry:
        if one.name in frame.columns:
            columns[one.name] = [_whole(value) for value in frame[one.name].to_list()]
    names = list(columns)
    return [dict(zip(names, line, strict=True)) for line in zip(*columns.values(), strict=True)]


def request_of(
    space: Space,
    rows: Frame,
    *,
    target: Target = "opposite",
    k: int = 4,
    threshold: float | None = None,
    rules: Rules = (),
    row_rules: Any = None,
    weights: Mapping[str, float | Cost] | None = None,
    diversity: float | None = None,
    certify: bool | float = False,
    seed: int = 0,
    budget: Any = None,
    plausible: float | bool | Plausible | None = None,
    robust: Any = None,
    margin: float | Logit = 0.0,
    tolerance: Tolerance | None = None,
    workers: int | str = 1,
    progress: bool | Callable[[int, int], None] | None = None,
    keep: bool = False,
) -> dict[str, Any]:
    """The request of a call of `Explainer.explain`; what that refuses is refused here alike."""
    limit = Budget.of(budget)
    asked_for = (target, k, threshold, certify, seed, limit, progress, keep, plausible, workers)
    Question(*asked_for, robust, as_margin(margin), tolerance)
    local = {"robust": robust, "workers": workers != 1, "progress": progress, "keep": keep}
    for name, given in local.items():
        if given is not None and given is not False:
            raise OptionError(f"{name} cannot be sent to a server: {LOCAL[name]}.", "Leave it out.")
    replace(space, weights=weights or {})  # which checks them
    sent = rows_of(space, rows)
    return _stated(
        rows=sent,
        target=_target(target),
        k=plain(k),
        threshold=plain(threshold),
        rules=_rules(space, rules),
        row_rules=_row_rules(space, row_rules, index_of(rows, len(sent))),
        weights={str(name): _weight(one) for name, one in (weights or {}).items()} or None,
        diversity=plain(diversity),
        certify=plain(certify),
        seed=plain(seed),
        budget=limit.stated,
        plausible=_plausible(plausible),
        margin={"amount": margin.amount} if isinstance(margin, Logit) else plain(margin),
        tolerance={str(name): plain(one) for name, one in tolerance.items()}
        if isinstance(tolerance, Mapping)
        else plain(tolerance),
    )


def _stated(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _whole(value: Any) -> Any:
    """A value of a carried column, which may be a list or a record."""
    if isinstance(value, Mapping):
        return {str(name): _whole(one) for name, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray | pd.Series):
        return [_whole(one) for one in value]
    return plain(value)


def _target(target: Any) -> Any:
    """A wanted outcome, or a list with one per row."""
    if isinstance(target, tuple):
        ends = (None if one is None or math.isinf(one) else plain(one) for one in target)
        return dict(zip(("low", "high"), ends, strict=False))
    if isinstance(target, list | np.ndarray) or hasattr(target, "to_list"):
        return [_target(one) for one in target]
    return plain(target)


def _rules(space: Space, given: Rules) -> list[Any]:
    """Rules as texts and dictionaries; what cannot be read is refused as `explain` refuses it."""
    alone = isinstance(given, str | Rule | Mapping)
    listed: list[Any] = [given] if alone else list(given or ())
    flat = [one for part in listed for one in (part if isinstance(part, Suggestions) else [part])]
    for one in flat:
        if one != "suggested":  # which the data of the server say
            as_rules(one if isinstance(one, Mapping) else [one], space)
    return [to_plain(one) if isinstance(one, Rule) else one for one in flat]


def _row_rules(space: Space, given: Any, index: tuple[Any, ...]) -> list[Any] | None:
    """The rules of each row, which are named by position or label."""
    if given is None or (isinstance(given, Mapping | list | tuple) and not len(given)):
        return None
    if not isinstance(given, Mapping):
        return [_rules(space, one) for one in given]
    own: list[Any] = [[] for _ in index]
    for row, places in positions_of(given, index).items():
        for place in places:
            own[place] += _rules(space, given[row])
    return own


def _weight(given: Any) -> Any:
    if not isinstance(given, Cost):
        return plain(given)
    moves = [
        {"before": plain(before), "after": plain(after), "factor": plain(factor)}
        for before, after, factor in given.moves
    ]
    ways = {name: plain(getattr(given, name)) for name in ("up", "down", "other")}
    return {**ways, "moves": moves}


def _plausible(given: Any) -> Any:
    if not isinstance(given, Plausible):
        return plain(given)
    if not isinstance(given.measure, str):
        raise OptionError("A measure of one's own cannot be sent to a server.", "Name one.")
    return {"measure": given.measure, "level": plain(given.level)}
