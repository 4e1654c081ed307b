"""Random runs over tables, models, rules, dtypes and options, as a user would bring them.

The user's own model confirms every answer on the rows of `frame()`; what is not changed is the
row's own; every rule holds; a proof stands up to all points of the space; every view and the way
through JSON work; and an error is ifonly's own, and has a reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, ModelError, OptionError, RuleError
from ifonly.rules import as_rules
from ifonly.rules.box import Box

from .drawn import Drawn, drawn

Tally = Callable[[str, int], None]


@pytest.mark.draws(100)
def test_whatever_is_brought_is_answered_or_refused_with_a_reason(seed: int, tally: Tally) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = drawn(seed)
    answers = answered(one)
    tally("runs", 1)
    if answers is None:
        tally("runs refused with a reason", 1)
        return
    frame = answers.frame()
    if one.library != "pandas":
        frame = frame.to_pandas()
        confirmed = one.predict(answers.frame()) if len(frame) else np.empty(0)
        assert alike(confirmed, frame["prediction"])
    else:
        check_written(one, answers, frame)
    check_wanted(one, answers, frame)
    check_lawful(one, answers)
    check_proofs(one, answers, tally)
    check_views(answers)
    tally("answers confirmed", len(frame))
    tally("rows asked", len(answers))


def answered(one: Drawn) -> ifonly.Answers | None:
    """The answers, or None where a refusal has a reason."""
    try:
        explainer = ifonly.Explainer(
            one.model,
            data=one.data,
            space=ifonly.Space.infer(one.data, **one.space),
            method=one.method,
        )
        return explainer.explain(one.rows, **one.asked)
    except (ModelError, OptionError):
        if one.refusable:
            return None
        raise
    except RuleError:
        if one.refusable and "age * income <= 40" in one.asked["rules"]:
            return None
        raise


def check_written(one: Drawn, answers: ifonly.Answers, frame: pd.DataFrame) -> None:
    """Unchanged values are the row's own, and the user's model says what `prediction` says."""
    changed = answers.changed()[answers.filled]
    names = list(answers.space.names)
    own = one.rows.iloc[frame["query"].tolist()].reset_index(drop=True)
    for j, name in enumerate(names):
        before, after = own[name].astype(object), frame[name].astype(object)
        for i in np.flatnonzero(~changed[:, j]):
            assert same(before[i], after[i]), (name, before[i], after[i])
    plain = ~one.odd[frame["query"].to_numpy(int)]
    if plain.any():
        kept = frame[names][plain].astype({n: one.data[n].dtype for n in names})
        assert alike(one.predict(kept), frame["prediction"][plain])
    for i in np.flatnonzero(~plain):
        assert alike(one.predict(frame[names][i : i + 1]), frame["prediction"][i : i + 1])


def alike(said: np.ndarray, predicted: Any) -> bool:
    """Whether outcomes are the same; a number may depend on the rows that it is asked with."""
    return bool(np.allclose(said, np.asarray(predicted, dtype=float), rtol=1e-9, atol=1e-12))


def same(one: Any, other: Any) -> bool:
    """Whether two cells hold the same; any missing value is like another."""
    if isinstance(one, tuple):
        return bool(one == other)
    return bool(pd.isna(one) and pd.isna(other)) or bool(one == other)


def check_wanted(one: Drawn, answers: ifonly.Answers, frame: pd.DataFrame) -> None:
    """Every answer has the outcome that was asked for."""
    for row, said in zip(frame["query"], frame["prediction"], strict=True):
        assert hits(one, answers, int(row), np.array([said])).all(), (row, said)


def hits(one: Drawn, answers: ifonly.Answers, row: int, said: np.ndarray) -> np.ndarray:
    """bool [n]: the outcomes that a row asked for."""
    target = one.asked.get("target", "opposite")
    if target == "other":
        return np.asarray(said != answers.predicted[row])
    if isinstance(target, tuple):
        low, high = (-np.inf if target[0] is None else target[0], target[1])
        return np.asarray((said >= low) & (said <= high))
    return np.asarray(said == answers.wanted[row])


def rules_of(one: Drawn, answers: ifonly.Answers, row: int) -> Any:
    """The rules of a row."""
    return as_rules(
        [*one.asked["rules"], *one.asked.get("row_rules", {}).get(row, [])], answers.space
    )


def check_lawful(one: Drawn, answers: ifonly.Answers) -> None:
    """Every answer obeys every rule."""
    for row in np.flatnonzero(answers.filled.any(axis=1) & ~one.odd).tolist():
        x, points = answers.x[row : row + 1], answers.points[row : row + 1, answers.filled[row]]
        for rule in rules_of(one, answers, row):
            assert rule.holds(answers.space, x, points).all(), (row, rule)


def check_proofs(one: Drawn, answers: ifonly.Answers, tally: Tally) -> None:
    """No point of the whole space is nearer than a proved bound, or answers a row that has none."""
    bound = np.zeros(len(answers)) if answers.bound is None else np.array(answers.bound)
    for row, status in enumerate(answers.status):
        bound[row] = np.inf if status == ifonly.Status.INFEASIBLE else bound[row]
    space = answers.space
    for row in np.flatnonzero((bound > 0) & ~one.odd):
        x = answers.x[row]
        points = every_point(space, x)
        points = points[Box.whole(space, x[None]).contains(points[None])[0].all(axis=-1)]
        for rule in rules_of(one, answers, int(row)):
            points = points[rule.holds(space, x[None], points[None])[0]]
        price = ifonly.space.Metric.of(space).price(points, x[None])
        points = points[price < bound[row] * (1 - 1e-6) - 1e-9]
        points = points[(points != x).any(axis=1)]
        if len(points):
            said = one.predict(space.rows(points))
            assert not hits(one, answers, int(row), said).any(), (row, bound[row])
        tally("proofs checked", 1)


def every_point(space: ifonly.Space, x: np.ndarray) -> np.ndarray:
    """[n, d] every combination of the values of a small space and of a row's own."""
    values = []
    for j, feature in enumerate(space.features):
        known = np.arange(space.low[j], space.high[j] + 1e-9, 10.0 ** -space.decimals[j])
        gap = [np.nan] if feature.missing else []
        values.append(np.unique([*np.round(known, space.decimals[j]), x[j], *gap]))
    return np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(x))


def check_views(answers: ifonly.Answers) -> None:
    """Everything that a user may look at can be made, and comes back from JSON."""
    answers.sentences()
    answers.metrics()
    answers.changes()
    answers.to_html()
    lacking = [row for row, status in enumerate(answers.status) if not status.answered]
    for row in lacking[:1]:
        str(answers.why(row))
    try:
        again = ifonly.Answers.from_json(answers.to_json())
    except DataError:  # a cell that JSON has no place for
        return
    assert again.to_json() == answers.to_json()
