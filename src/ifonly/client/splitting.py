"""How a large batch is asked in parts: how many rows each has, and what is left of a budget."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

FIRST, SECONDS = 50, 10.0
"""The rows of the first part of a large batch, and how long a part is to take."""
EACH = ("rows", "target", "row_rules")
"""What a request has one of per row."""


def in_parts(
    ask: Callable[[dict[str, Any]], dict[str, Any]],
    request: dict[str, Any],
    limits: Mapping[str, Any],
) -> list[Any]:
    """The answers to a request, in parts that the server accepts and has the time for."""
    began, budget = time.monotonic(), request.get("budget") or {}
    q, body = len(request["rows"]), len(json.dumps(request))
    most = max(1, min(limits["rows"], limits["body"] * q // (2 * body) if q else 1))
    shared = bool({"seconds", "model_rows"} & set(budget))  # which no part may use up alone
    replies: list[Any] = []
    start, size = 0, most if shared else min(most, FIRST)
    while start < q or not replies:
        part = slice(start, start + size)
        own = {name: request[name][part] for name in EACH if type(request.get(name)) is list}
        spent = sum(one["record"]["model_rows"] or 0 for one in replies)
        left = _left_of(budget, time.monotonic() - began, spent)
        since, count = time.monotonic(), len(own["rows"])
        reply = ask({**request, **own, **left})
        if not shared:
            size = int(min(most, max(1, count * SECONDS / (time.monotonic() - since))))
            if count > 1 and _cut_short(reply):
                size = count // 2
                continue
        replies.append(reply)
        start += count
    return [one["answers"] for one in replies]


def _cut_short(reply: Any) -> bool:
    """Whether the server ended a search at a limit of time of its own."""
    record = reply["record"]
    late = {"skipped", "partial"} & {row["status"] for row in reply["rows"]}
    limited = any(name == "seconds" for name, _ in (record["budget"] or {"pairs": []})["pairs"])
    return bool(record["interrupted"] or (late and limited))


def _left_of(budget: dict[str, Any], seconds: float, model_rows: int) -> dict[str, Any]:
    """The budget that is left after some parts; never nothing, for that would be no limit."""
    if not budget:
        return {}
    left = dict(budget)
    if "seconds" in left:
        left["seconds"] = max(left["seconds"] - seconds, 0.001)
    if "model_rows" in left:
        left["model_rows"] = max(left["model_rows"] - model_rows, 1)
    return {"budget": left}
