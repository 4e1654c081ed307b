"""What produced some answers, so that an auditor can ask again and compare."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ifonly.models import Counted
from ifonly.rules import Rule
from ifonly.solve.method import Method
from ifonly.solve.prepare import Setting
from ifonly.solve.question import Question
from ifonly.solve.short.escalate import SEARCH
from ifonly.solve.statuses import Part
from ifonly.space import Categorical, Continuous, Ordinal, Space
from ifonly.space.table.frame import Frame
from ifonly.space.table.index import index_names

ROUTES = {
    "Direct": "tables of the pipeline",
    "Bare": "arrays of its numbers",
    "LeafSets": "leaves of its trees",
    "Lookup": "layers",
    "Labels": "its decisions",
}
"""How the search asked the model; the judge always asks the model itself."""


def record_of(
    setting: Setting,
    model: Counted,
    method: Method,
    question: Question,
    own: Sequence[Sequence[Rule]],
    rows: Frame,
    *,
    found: Part,
) -> dict[str, Any]:
    """Versions, options, fingerprints and costs, all of which JSON can hold."""
    rules = [str(rule) for rule in setting.rules]
    return {
        **_versions(),
        **question.options,
        "method": repr(method),
        "rules": rules,
        "row_rules": [[str(rule) for rule in one] for one in own],
        "causes": None if setting.causes is None else setting.causes.text,
        **_kinds(setting.space),
        "share_rows": setting.readable is None or setting.readable.shared,
        "index_names": index_names(rows),
        "interrupted": found.interrupted,
        "finished_by": list(found.by) if set(found.by) - {"", SEARCH} else [],
        "no_solver": found.unsolved,
        "regression": not model.classes,
        "classes": list(model.classes),
        "scores": scores_of(setting),
        "model": setting.kind,
        "ignored": list(setting.ignored),
        "space_fingerprint": setting.space.fingerprint,
        "rules_fingerprint": rules_fingerprint(rules),
        "model_fingerprint": setting.fingerprint,
        "prepared_rows": _prepared(setting),
        "slow": setting.slow,
        "model_rows": model.rows,
        "model_calls": model.calls,
        "other_model_rows": model.others,
        "route": ROUTES.get(type(model.route).__name__, "the model itself"),
        "contradicted": setting.contradicted,
        "decides_from": setting.decision.threshold,
        **_proof(setting),
    }


def scores_of(setting: Setting) -> str:
    """What the scores of a classifier are: 'probability', 'margin' or 'label'."""
    gives = getattr(setting.model, "gives", "")  # logits of a module become probabilities
    return gives if gives in ("margin", "label") else "probability"


def rules_fingerprint(rules: Iterable[str]) -> str:
    """Sixteen hexadecimal digits that tell some rules from others."""
    return hashlib.sha256("\n".join(rules).encode()).hexdigest()[:16]


def _prepared(setting: Setting) -> int:
    """How many rows the model was asked about before any search, or to read it for the solver."""
    kept = setting.readable.kept if setting.readable else []
    return int(max(setting.prepared_rows, *(one.prepared_rows for one in kept), 0))


def _kinds(space: Space) -> dict[str, Any]:
    """What `Space.infer` needs beside the data to give the same space."""
    kinds = [feature for feature in space.features if isinstance(feature, Categorical)]
    orders = {one.name: list(one.levels) for one in kinds if isinstance(one, Ordinal)}
    return {
        "categorical": [one.name for one in kinds if one.name not in orders],
        "ordinal": orders,
        # A stated precision makes every value possible: columns of few values have none.
        "precision": {
            f.name: f.decimals
            for f in space.features
            if isinstance(f, Continuous) and not f.discrete
        },
        "labels": dict(space.labels),
        "weights": dict(space.weights),
        "sparsity": space.sparsity,
        "one_hot": [list(group.columns) for group in space.one_hot],
        "thousands": space.thousands,
        "fillable": [one.name for one in space.features if one.fillable],
        "erasable": [one.name for one in space.features if one.erasable],
        "carry": [one.name for one in space.carry],
    }


def space_of(record: Mapping[str, Any], data: Frame) -> Space:
    """The space that a record was made with, of the same data."""
    prices = ("labels", "weights", "sparsity", "precision", "one_hot", "thousands")
    gaps = ("fillable", "erasable", "carry")
    stated = {name: record[name] for name in (*prices, *gaps) if name in record}
    return Space.infer(data, record["categorical"], record["ordinal"], **stated)


def _proof(setting: Setting) -> dict[str, Any]:
    """What proofs rest on: how a reading of the model was checked, or why there is none."""
    if setting.reading is None:
        return {"unread": setting.unread} if setting.unread else {}
    checked = setting.reading.checked
    counts = {} if checked is None else {"checked": checked.counts()}
    return {"tolerance": setting.reading.rounding, **counts}


@cache
def _versions() -> dict[str, str]:
    from importlib.metadata import version  # slow to import, and only needed here

    packages = {name: version(name) for name in ("ifonly", "numpy", "pandas")}
    return {"python": platform.python_version(), **packages}
