"""How the tests ask: somebody whom the model refuses, and the command of a server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from mcp.types import CallToolResult, TextContent

ROW: dict[str, Any] = {"age": 30, "income": 1500, "job": "clerk"}


def command(folder: Path) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment of a server of the folder's model."""
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    arguments = ["-m", "ifonly", "mcp", "model.joblib", "--data", "train.csv", "--outcome", "loan"]
    return [*arguments, "--rules", "rules.txt", "--trust-pickle"], {"PYTHONPATH": path}


def text_of(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text
