"""Ask again what a decision record says was asked, and compare.

A record holds the rules, the options and the seed of its question, so that the model, its data and
the row are enough to derive it again. Answers that a time limit ended cannot be found again: each
is judged instead, as a search judges what it finds.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from typing import Any, ClassVar

import numpy as np

from ifonly.answers.reasons.reason import reasons_of
from ifonly.contract.context import Context
from ifonly.contract.records.decision_record import DecisionRecord, canonical
from ifonly.contract.types import Limits
from ifonly.errors import IfonlyError
from ifonly.explainer import Explainer
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Nothing
from ifonly.select import InOrder
from ifonly.solve.method import Method
from ifonly.solve.method_text import read_method
from ifonly.solve.prepare import Setting, provided
from ifonly.space.marks import decode

OPTIONS = ("k", "threshold", "certify", "plausible", "seed", "margin", "tolerates", "budget")
"""What a record holds of its question, beside target, rules, method and prices."""
FIELDS = ("predicted", "wanted", "score", "threshold")
"""What is said of a row whatever the search finds."""
MOST = 4
"""With causes, how many changes of a late answer are tried as actions together."""
FACTS = ("rules_fingerprint", "classes", "scores", "decides_from", "ignored")
"""What is said of the model and the rules."""


def rederive(record: DecisionRecord, explainer: Explainer, row: dict[str, Any]) -> list[str]:
    """Derive one record again.

    Parameters
    ----------
    record
        The record.
    explainer
        The model with its data; rules and method are those of the record.
    row
        The row that was explained, as it was sent.

    Returns
    -------
    list of str
        Every difference; nothing where the record says what is derived again.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> explainer, row = ifonly.Explainer(rich, data=data), {"income": 10}
    >>> answers = explainer.explain(data[:1], k=1)
    >>> record = DecisionRecord.of(answers, row, time="2026-01-02T12:00:00Z", key=b"secret")
    >>> rederive(record, explainer, row)
    []
    >>> rederive(record.model_copy(update={"predicted": "yes"}), explainer, row)
    ["predicted is 'yes' in the record, and 'no' when it is derived again"]
    """
    return rederive_all([record], explainer, [row])[0]


def rederive_all(
    records: Sequence[DecisionRecord], explainer: Explainer, rows: Sequence[dict[str, Any]]
) -> list[list[str]]:
    """Derive records again; those with equal options are asked together.

    Parameters
    ----------
    records, explainer
        As for `rederive`.
    rows
        One per record.

    Returns
    -------
    list of list of str
        The differences of each record.
    """
    found: list[list[str]] = [[] for _ in records]
    groups: dict[bytes, list[int]] = {}
    for place, record in enumerate(records):
        if other := other_run(record, explainer):
            found[place] = [other]
        else:
            groups.setdefault(_alike(record, place), []).append(place)
    for places in groups.values():
        own = [records[place] for place in places]
        try:
            again = _again(own, explainer, [rows[place] for place in places])
        except IfonlyError as error:
            for place in places:
                found[place] = [f"it cannot be derived again: {error.message}"]
            continue
        for place, record, derived in zip(places, own, again, strict=True):
            found[place] = _differences(record, derived)
    return found


def other_run(record: DecisionRecord, explainer: Explainer) -> str:
    """What was another when the record was made, so that it cannot be derived again; or nothing.

    Parameters
    ----------
    record, explainer
        As for `rederive`.

    Returns
    -------
    str
    """
    setting, run = explainer.setting, record.run
    here = (setting.fingerprint, setting.space.fingerprint)
    there = (run.get("model_fingerprint"), run.get("space_fingerprint"))
    kinds = ("model", "description of the features")
    for kind, made, now in zip(kinds, there, here, strict=True):
        if made != now:
            return f"it was made with another {kind}: {made}, and this is {now}"
    if run.get("causes") != (None if setting.causes is None else setting.causes.text):
        return "it was made with other causes"
    if run.get("robust") is not None:
        return "it was made with other models that must agree, which a record does not hold"
    return ""


def _alike(record: DecisionRecord, place: int) -> bytes:
    """What records share that are asked together; one that is judged only stands alone."""
    if not record.reproducible:
        return canonical(place)
    names = (*OPTIONS, "rules", "method", "weights", "sparsity")
    return canonical([record.run.get(name) for name in names])


def _again(
    records: Sequence[DecisionRecord], explainer: Explainer, rows: list[dict[str, Any]]
) -> list[DecisionRecord]:
    """The records of the same question, asked now."""
    run = {name: decode(value) for name, value in records[0].run.items()}
    asker, context = copy.copy(explainer), Context(explainer, Limits(rows=len(rows)))
    codes = context.codes(rows)
    ask: dict[str, Any] = {name: run.get(name) for name in OPTIONS}
    ask |= {"margin": run.get("margin", 0.0), "tolerance": ask.pop("tolerates")}
    if records[0].reproducible:
        asker.method = read_method(run["method"])
    else:
        acts = [one for way in records[0].ways for one in _acts(way.changes, explainer)]
        ways = [{**rows[0], **one} for one in acts] or rows[:1]
        asker.method = Method(_Given(context.codes(ways, len(ways))), Nothing(), InOrder())
        ask |= {"k": len(ways), "certify": False, "budget": None}
    priced = explainer.setting.priced(weights=run["weights"], sparsity=run["sparsity"])
    asker.setting = provided(_sharing(replace(priced, rules=()), run), asker.method.needs)
    answers = asker.explain(
        context.frame(codes, rows),
        target=[_target(record) for record in records],
        rules=run["rules"],
        row_rules=[_own_rules(record) for record in records],
        progress=False,
        **ask,
    )
    told = reasons_of(answers) if any(record.reasons for record in records) else None
    return [
        DecisionRecord.of(
            one,
            row,
            time=record.time,
            key=b"",
            reasons=told[i] if told and record.reasons else None,
        )
        for i, (one, row, record) in enumerate(zip(answers, rows, records, strict=True))
    ]


def _sharing(setting: Setting, run: dict[str, Any]) -> Setting:
    """The setting in which real values are shown, or not, as they were for a record."""
    assert setting.readable is not None, "prepare() has stated it"
    shared = bool(run.get("share_rows", True))
    return replace(setting, readable=replace(setting.readable, shared=shared))


@dataclass(frozen=True, eq=False)
class _Given:
    """A searcher that proposes the points [k, d] that it was given, for one row."""

    points: np.ndarray
    weighs: ClassVar = True

    def search(self, problem: Problem, k: int) -> Pool:
        """Those points."""
        return problem.ask(self.points[None])


def _acts(changes: dict[str, Any], explainer: Explainer) -> list[dict[str, Any]]:
    """What may have been done to get some changes: all of them, or some that cause the others."""
    if explainer.setting.causes is None:
        return [changes]
    sizes = range(1, min(len(changes), MOST) + 1)
    return [dict(some) for size in sizes for some in combinations(changes.items(), size)]


def _target(record: DecisionRecord) -> Any:
    target = decode(record.run["target"])
    return target[0] if isinstance(target, list) else target


def _own_rules(record: DecisionRecord) -> list[Any]:
    own = decode(record.run["row_rules"])
    return list(own[0]) if own else []


def _differences(record: DecisionRecord, derived: DecisionRecord) -> list[str]:
    """In what a record differs from what is derived again."""
    kept, now = record.model_dump(mode="json"), derived.model_dump(mode="json")
    names = [*FIELDS, *(["status"] if record.reproducible else [])]
    pairs = [(name, kept[name], now[name]) for name in names]
    pairs += [(f"run.{name}", kept["run"].get(name), now["run"].get(name)) for name in FACTS]
    pairs += _paired(
        "reason", *([_derivable(one) for one in some["reasons"]] for some in (kept, now))
    )
    if record.reproducible:
        pairs += _paired("way", kept["ways"], now["ways"])
        proofs = kept["certificate"], now["certificate"]
        if all(proof and proof["proved"] for proof in proofs):  # else the time for it ended one
            pairs.append(("certificate.bound", proofs[0]["bound"], proofs[1]["bound"]))
    wrong = [
        f"{name} is {there!r} in the record, and {here!r} when it is derived again"
        for name, there, here in pairs
        if not _same(there, here)
    ]
    if record.reproducible:
        return wrong
    judged = [{**way, "extra": None} for way in now["ways"]]
    return wrong + [
        f"way {i} is not valid, breaks a rule, or says something else: {way!r}"
        for i, way in enumerate(kept["ways"], 1)
        if not any(_same({**way, "extra": None}, one) for one in judged)
    ]


def _paired(name: str, kept: list[Any], now: list[Any]) -> list[tuple[str, Any, Any]]:
    """Two lists, item by item, with None where one has no more."""
    both = enumerate(zip_longest(kept, now), 1)
    return [(f"{name} {i}", there, here) for i, (there, here) in both]


def _derivable(reason: dict[str, Any]) -> dict[str, Any]:
    """A reason without what comes from the user's table; its weight in four digits."""
    own = {name: one for name, one in reason.items() if name not in ("code", "sentence")}
    return {**own, "weight": float(f"{reason['weight']:.4g}")}


def _same(one: Any, other: Any) -> bool:
    """Whether two values of JSON are equal; the last digits of numbers are those of a machine."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        numbers = all(isinstance(x, float | int) for x in (one, other))
        return numbers and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)
