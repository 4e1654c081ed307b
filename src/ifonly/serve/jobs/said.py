"""What a reply of the pool says went wrong: with a request, or with single rows of it."""

from __future__ import annotations

import json
import re
from typing import Any

from ifonly.contract import Refused
from ifonly.contract.problem import KINDS
from ifonly.serve.exchange import Said


def refused_of(said: Said) -> Refused:
    """The problem of a reply."""
    problem = json.loads(said.body)
    kind = str(problem.get("type", "")).rpartition(":")[2]
    return Refused(
        str(problem.get("detail", "The request could not be answered.")),
        str(problem.get("hint", "")),
        field=str(problem.get("field", "")),
        kind=kind if kind in KINDS else "internal",
        place=problem.get("place"),
    )


def wrong_rows(problem: Any) -> dict[int, str]:
    """What is wrong with single rows, by position, where a problem says that it is rows."""
    if not str(problem.get("type", "")).endswith(":data"):
        return {}
    wrong: dict[int, str] = {}
    for one in problem.get("errors") or [problem]:
        found = re.match(r"rows\[(\d+)\]\.?(.*)", str(one.get("field", "")))
        if found:
            message = f"{found[2]}: {one['detail']}" if found[2] else str(one["detail"])
            wrong.setdefault(int(found[1]), message)
    return wrong
