"""How tests ask: rows as a client would send them, and the problem of a refused request."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from ifonly.contract import Handler, Refused


def as_json(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a frame as a client would send them."""
    rows: list[dict[str, Any]] = json.loads(
        frame.to_json(orient="records", date_format="iso", double_precision=15)
    )
    dates = [str(name) for name in frame if frame[name].dtype.kind == "M"]
    return [
        {**row, **{name: frame[name].iloc[i].isoformat() for name in dates}}
        for i, row in enumerate(rows)
    ]


def problem(handler: Handler, name: str, request: Any) -> Any:
    """The problem of a request that is refused."""
    with pytest.raises(Refused) as caught:
        handler.answer(name, request)
    return caught.value.problem
