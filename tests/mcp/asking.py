"""Somebody whom the model refuses."""

from __future__ import annotations

from typing import Any

ROW: dict[str, Any] = {"age": 30, "income": 1500, "job": "clerk"}
