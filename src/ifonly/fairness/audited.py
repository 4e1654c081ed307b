"""The verb of the audit: every refused row is explained once, and groups are compared by that."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ifonly.causal import CausalModel
from ifonly.demands.tolerance import Tolerance
from ifonly.errors import OptionError, TargetError, listed, options
from ifonly.explainer import Explainer
from ifonly.fairness.compared import Terms, compare
from ifonly.fairness.facts import Facts
from ifonly.fairness.further import Further
from ifonly.fairness.groups import Cuts, read_groups
from ifonly.fairness.notes import notes_of
from ifonly.fairness.one_pass import Pass, asked_once
from ifonly.fairness.report.call import called
from ifonly.fairness.result import Audit
from ifonly.plausible import Plausible
from ifonly.problem.goal import Logit, Target
from ifonly.rules import Rules
from ifonly.solve.method import MethodLike
from ifonly.solve.question import Budget, check_whole
from ifonly.space import Cost, Space
from ifonly.space.table.frame import Frame, as_frame

KEPT = (
    *("ifonly", "python", "numpy", "pandas", "model", "model_fingerprint", "space_fingerprint"),
    *("rules_fingerprint", "rules", "causes", "method", "target", "k", "threshold", "seed"),
    *("certify", "plausible", "robust", "margin", "tolerates", "budget", "weights", "sparsity"),
    *("categorical", "ordinal", "one_hot", "route", "contradicted", "decides_from", "ignored"),
    *("model_rows", "model_calls", "interrupted", "no_solver", "unread"),
)
"""What the record of an audit keeps of the record of its answers."""


@options
@called
def audit(
    model: Any,
    rows: Frame,
    *,
    data: Frame | None = None,
    target: Target = "opposite",
    groups: Any,
    cuts: Cuts | None = None,
    rules: Rules = (),
    causes: CausalModel | None = None,
    method: MethodLike = "auto",
    k: int = 4,
    within: float | None = None,
    share: float = 0.5,
    least: int = 30,
    threshold: float | None = None,
    weights: Mapping[str, float | Cost] | None = None,
    categorical: Iterable[str] = (),
    space: Space | None = None,
    certify: bool | float = False,
    plausible: float | bool | Plausible | None = None,
    robust: Any = None,
    margin: float | Logit = 0.0,
    tolerance: Tolerance | None = None,
    seed: int = 0,
    budget: Any = None,
    workers: int | str = 1,
    progress: bool | Callable[[int, int], None] | None = None,
) -> Audit:
    """Whether recourse is equal: what it takes the refused rows of each group to be accepted.

    Every row without the wanted outcome is explained once, and everything is computed from these
    answers: selection rates, who can reach the outcome and at what cost, how the groups differ,
    each with a bootstrap interval. The guide 'Audit a model' defines every measure.

    Parameters
    ----------
    model
        A model, as for `ifonly.explain`.
    rows
        The rows to audit, accepted and refused: a DataFrame with the columns of `data`.
    data
        The frame of features that the model was trained on, without the outcome.
    target
        The outcome that people want: a class, or a range (low, high) of a regressor.
    groups
        What groups are compared by: names of columns of `rows`, or a Series or DataFrame aligned
        with `rows`. The model need not read them. Each column is compared by itself; a missing
        value is a group of its own.
    cuts
        Where the groups of an attribute of numbers begin: {'age': [25, 45, 65]}.
    rules
        What every answer must satisfy, as for `ifonly.explain`; the same for all groups.
    causes
        An `ifonly.CausalModel`: an answer is then an action and what follows from it.
    method
        How answers are searched for, as for `ifonly.explain`.
    k
        How many answers to each row. The measures use the nearest; the others show which actions
        many rows have in common.
    within
        The budget of `effectiveness`, a distance; by default the median cost of all rows reached.
    share
        The share of a group that `cost` and `choice` speak of; by default a half.
    least
        Groups of fewer rows, or of fewer refused rows, are listed and not compared.
    threshold, weights, categorical, space
        As for `ifonly.explain`.
    certify
        Prove what can be proved: True, or the most seconds per row. Without it, a row is proved to
        have no answer where the rules exclude every one, where all points are tried, or where a
        solver settles it within a limit of work.
    plausible, robust, margin, tolerance
        What every answer must meet besides, as for `ifonly.explain`.
    seed
        The same seed gives the same audit.
    budget
        The most seconds, or {'seconds': ..., 'model_rows': ...}, of the search. Rows that it does
        not reach are left out, and counted.
    workers
        How many processes answer the rows; 'all': one per core. The audit is the same.
    progress
        As for `ifonly.explain`.

    Returns
    -------
    Audit
        Tables by group, differences, curves, tests, notes; JSON and a page.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used; the message says what and why.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> rows = pd.DataFrame({"income": range(10, 50), "sex": ["f", "m"] * 20})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> data, ask = rows[["income"]], {"target": "yes", "groups": ["sex"], "least": 5}
    >>> result = ifonly.audit(rich, rows, data=data, **ask)
    >>> result.by_group[["rows", "refused", "reach", "burden"]].round(2)
                     rows  refused  reach  burden
    attribute group
    sex       f        20       16    1.0     1.6
              m        20       15    1.0     1.6
    """
    terms = checked_terms(share, within, least, seed)
    known, limit = read_groups(groups, rows, cuts), Budget.of(budget)
    explainer = Explainer(
        model,
        data=data,
        space=space,
        categorical=categorical,
        rules=rules,
        causes=causes,
        method=method,
        budget=limit.to_prepare,
    )
    return audited(
        explainer,
        rows,
        known,
        terms,
        target=target,
        k=k,
        threshold=threshold,
        weights=weights,
        certify=certify,
        plausible=plausible,
        robust=robust,
        margin=margin,
        tolerance=tolerance,
        budget=limit,
        workers=workers,
        progress=progress,
    )


def audited(
    explainer: Explainer, rows: Frame, groups: pd.DataFrame, terms: Terms, **ask: Any
) -> Audit:
    """The audit of rows with groups [q]: what is asked goes to the explainer."""
    space, began = explainer.setting.space, time.monotonic()
    _check_target(ask["target"], explainer.setting.model.classes)
    ask["budget"] = Budget.of(ask["budget"]).after(explainer.setting.prepared_rows)
    ask_once = partial(explainer.explain, seed=terms.seed, **ask)
    answers = asked_once(_asked(rows, groups, space), ask_once)
    one, searched = Pass.of(answers, groups), time.monotonic()
    further = Further.of(one, terms)
    facts = Facts.of(one, further.works, terms.seed)
    tables = compare(facts, one.groups, terms)
    record = {name: answers.record[name] for name in KEPT if name in answers.record}
    known = explainer.setting.readable
    record |= {
        "data_rows": len(known.data) if known is not None and known.given else None,
        "rows": len(answers),
        "rows_fingerprint": hashlib.sha256((answers.x + 0.0).tobytes()).hexdigest()[:16],
        "groups": {str(name): list(one.groups_of(str(name))[0]) for name in one.groups},
        "within": terms.budget(facts.cost),
        "share": terms.share,
        "least": terms.least,
        "draws": terms.draws,
        "permutations": terms.permutations,
        "common_actions": int(facts.works.shape[1]),
        "left_out": dict(one.left_out),
        "seconds": {"search": searched - began, "measures": time.monotonic() - searched},
    }
    notes = notes_of(one, facts, terms, tables)
    return Audit(**vars(tables), notes=notes, record=record, further=further, source=one)


def checked_terms(share: Any, within: Any, least: Any, seed: Any) -> Terms:
    """What groups are compared by, from what a user states."""
    check_whole(least, "least", least=1)
    check_whole(seed, "seed", least=0)
    if not _is_number(share) or not 0 < share <= 1:
        raise OptionError(f"share is {share!r}.", "It is a share above 0, up to 1, such as 0.5.")
    if within is not None and (not _is_number(within) or not 0 <= within < np.inf):
        raise OptionError(
            f"within is {within!r}.", "It is a distance of 0 or more, such as 0.5; None: a median."
        )
    return Terms(float(share), within, int(least), int(seed))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _check_target(target: Any, classes: tuple[Any, ...]) -> None:
    """Refuse a target that does not say which outcome people want."""
    unnamed = isinstance(target, str) and target in ("opposite", "other") and target not in classes
    each = isinstance(target, list | np.ndarray | pd.Series)
    if unnamed or each:
        given = "one per row" if each else repr(target)
        known = f" The classes are {listed(classes)}." if classes else ""
        raise TargetError(
            f"target is {given}: an audit needs the one outcome that people want.",
            f"Name it, such as target={classes[-1]!r}.{known}" if classes else "Give a range.",
        )


def _asked(rows: Frame, groups: pd.DataFrame, space: Space) -> Frame:
    """The rows without the attributes that are no columns of the data."""
    known, frame = {*space.names, *(one.name for one in space.carry)}, as_frame(rows, empty=True)
    others = [name for name in frame.columns if name in groups and name not in known]
    return frame.drop(others).to_native() if others else rows
