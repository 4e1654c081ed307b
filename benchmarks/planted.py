"""Lenders with a planted bias whose size is known by arithmetic.

The loan alone may change, in hundreds, and everything else is fixed: so the cost of each applicant
is known without a search, and an audit can be compared with applicants who were never searched.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.datasets import Lender, make_lender
from ifonly.fairness.one_pass import Pass
from ifonly.fairness.subgroups import Subgroup
from ifonly.search import Engine
from ifonly.space import Metric

FIXED = ("age", "education", "job", "income", "debt", "savings", "district", "group")
MANY = 200_000


def refused(n: int, seed: int, bias: str) -> tuple[Lender, pd.DataFrame]:
    """A lender, and its refused applicants; a hidden proxy's do not show their group."""
    lender = make_lender(n, seed=seed, bias=bias)
    return lender, lender.frame[lender.outcome == "refused"]


def audited(n: int, seed: int, bias: str) -> tuple[Pass, pd.DataFrame]:
    """The pass over the refused applicants, and their groups; a proxy's model is not told these."""
    lender, rows = refused(n, seed, bias)
    hidden = ["group"] if bias == "proxy" else []
    space = ifonly.Space.infer(lender.frame.drop(columns=hidden), precision={"loan": -2})
    rules = [f"{name} fixed" for name in FIXED if name not in hidden]
    return searched(lender, rows, space, rules, hidden=hidden)


def searched(
    lender: Lender, rows: pd.DataFrame, space: Any, rules: list[str], *, hidden: list[str]
) -> tuple[Pass, pd.DataFrame]:
    """The pass over rows, and their groups."""
    answers = ifonly.explain(
        ifonly.as_model(lender.approves, classes=["refused", "approved"]),
        rows.drop(columns=hidden),
        space=space,
        target="approved",
        rules=rules,
        k=1,
        plausible=False,
        method=Engine(effort="small"),
        progress=False,
    )
    groups = rows[["group"]].reset_index(drop=True).astype("category")
    return Pass.of(answers, groups), groups


def true_difference(bias: str, found: Subgroup, space: Any) -> float:
    """The difference that a subgroup has among many other applicants, by arithmetic."""
    _, rows = refused(MANY, 99, bias)
    extra = {"cost": rows["group"] == "b", "proxy": rows["district"] == "south"}.get(bias, 0)
    affordable = 2 * rows["income"] / 3 - rows["debt"]
    secured = 4 * (rows["savings"] - 3000 * extra) / 3
    new = 100 * np.floor(np.minimum(affordable, secured) / 100)
    place, metric = space.index("loan"), Metric.of(space)
    blocked = (rows["job"] == "manual") & (rows["district"] == "south") & (bias == "blocked")
    cost = (rows["loan"] - new) * metric.scale[place] / metric.mad[place]
    cost = cost.where((new >= space.low[place]) & ~blocked, np.inf)
    inside = pd.Series(True, rows.index)
    for text in found.conditions:
        inside &= meets(rows, text)
    side = inside & (rows["group"] == found.side) if found.side else inside
    others = inside & ~side if found.side else ~inside
    within = (cost <= found.budget + 1e-9) & np.isfinite(cost)
    return float(within[others].mean() - within[side].mean())


def meets(rows: pd.DataFrame, text: str) -> pd.Series[bool]:
    """The rows that meet a condition such as 'age > 41' or 'job is manual'."""
    name, word, value = text.split(" ")
    if word == "is":
        return rows[name].astype(str) == value
    return rows[name] > float(value) if word == ">" else rows[name] <= float(value)
