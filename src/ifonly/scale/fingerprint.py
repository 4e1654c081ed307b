"""What tells one run from another: model, space, rules, options and seed, in sixteen digits."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np

from ifonly.errors import ModelError, OptionError, nearest
from ifonly.explainer import Explainer
from ifonly.solve.question import Budget
from ifonly.space.marks import encode
from ifonly.space.table.frame import Frame

KEPT = (
    *("ifonly", "target", "k", "threshold", "seed", "plausible", "robust", "margin", "tolerates"),
    *("budget", "method", "rules", "causes", "categorical", "ordinal", "precision", "labels"),
    *("weights", "sparsity", "one_hot", "fillable", "erasable", "carry", "regression", "classes"),
    *("scores", "model_fingerprint", "space_fingerprint", "rules_fingerprint"),
)
"""What of a record of answers the fingerprint is made of: all that answers depend on."""
OPTIONS = (
    *("target", "k", "threshold", "rules", "weights", "diversity", "seed", "budget", "plausible"),
    *("robust", "margin", "tolerance"),
)
"""What may be asked of every shard alike."""
ELSEWHERE = {
    "certify": "A proof may take any time, and its bound depends on it. Certify single rows.",
    "row_rules": "Rules of single rows are by position. Ask about these rows by themselves.",
    "keep": "What is finished is kept in any case: start the run again to go on.",
}
"""Why other options of a question are not for many rows."""
PACKAGES = ("ifonly", "numpy", "pandas", "scikit-learn")


def check_question(question: Mapping[str, Any]) -> None:
    """Refuse options whose answers would depend on how the rows are cut into shards.

    Raises
    ------
    OptionError
        There is no such option, or it is not for many rows.
    """
    for name in question:
        if name not in OPTIONS:
            hint = ELSEWHERE.get(name) or nearest(name, OPTIONS)
            raise OptionError(f"A run over shards has no option {name!r}.", hint)
    stated = Budget.of(question.get("budget")).stated or {}
    for name in ("seconds", "model_rows"):
        if name in stated:
            raise OptionError(
                f"The budget {name}={stated[name]!r} is shared by rows, so that answers would "
                "depend on how the rows are cut into shards.",
                "Give each row an allowance of its own: budget={'model_rows_per_row': 2000}.",
            )
    target = question.get("target")
    if isinstance(target, list | np.ndarray) or hasattr(target, "to_list"):
        raise OptionError(
            "target is a list with one entry per row.",
            "Give one target for all rows: a class, 'opposite', 'other' or a range.",
        )


def record_of(explainer: Explainer, question: Mapping[str, Any]) -> dict[str, Any]:
    """What a question about no rows would be recorded as; an option that cannot be used raises."""
    return dict(explainer.explain(_no_rows(explainer), **question).record)


def fingerprint_of(record: Mapping[str, Any]) -> str:
    """Sixteen hexadecimal digits of all that answers depend on."""
    kept = {name: encode(record.get(name)) for name in KEPT}
    text = json.dumps(kept, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def versions() -> dict[str, str]:
    """The versions that the driver and its workers must have in common."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def check_versions(wanted: Mapping[str, str]) -> None:
    """Refuse to answer where a worker has other packages than the driver.

    Raises
    ------
    ModelError
        A version differs.
    """
    here = versions()
    other = [name for name in wanted if wanted[name] != here.get(name)]
    if other:
        listed = ", ".join(f"{name} {here.get(name)} and not {wanted[name]}" for name in other)
        raise ModelError(
            f"A worker has {listed}.",
            "Give the workers the environment of the driver: answers and saved models depend on "
            "it.",
        )


def _no_rows(explainer: Explainer) -> Frame:
    space = explainer.setting.space
    frame = space.rows(np.empty((0, len(space))), "pandas")
    for one in space.carry:
        frame.insert(min(one.place, len(frame.columns)), one.name, [])
    return frame
