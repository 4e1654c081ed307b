"""How a large batch is asked in parts: how many rows each has, and what is left of a budget."""

from __future__ import annotations

from typing import Any

FIRST, SECONDS = 50, 10.0
"""The rows of the first part of a large batch, and how long a part is to take."""
EACH = ("rows", "target", "row_rules")
"""What a request has one of per row."""


def cut_short(reply: Any) -> bool:
    """Whether the server ended a search at a limit of time of its own."""
    record = reply["record"]
    late = {"skipped", "partial"} & {row["status"] for row in reply["rows"]}
    limited = any(name == "seconds" for name, _ in (record["budget"] or {"pairs": []})["pairs"])
    return bool(record["interrupted"] or (late and limited))


def left_of(budget: dict[str, Any], seconds: float, model_rows: int) -> dict[str, Any]:
    """The budget that is left after some parts; never nothing, for that would be no limit."""
    if not budget:
        return {}
    left = dict(budget)
    if "seconds" in left:
        left["seconds"] = max(left["seconds"] - seconds, 0.001)
    if "model_rows" in left:
        left["model_rows"] = max(left["model_rows"] - model_rows, 1)
    return {"budget": left}
