"""The rows of a job as they arrive, and as a job keeps them: a line of JSON each.

A large body is read by a process of its own: the server goes on meanwhile, and whatever a table
unpacks to is the memory of that process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from ifonly.contract import Limits, Refused
from ifonly.contract.problem import KINDS
from ifonly.serve.exchange import Ask
from ifonly.serve.forms import request_of

SMALL = 2**19
"""Bodies of JSON up to so many bytes are read here."""
SECONDS = 300


@dataclass(frozen=True)
class Given:
    """What was asked, read."""

    options: dict[str, Any]
    """The request without its rows."""
    count: int
    lines: bytes
    """The rows, each with the end of its line."""


def read(ask: Ask, limits: Limits) -> Given:
    """The rows and options of a request; what cannot be read is `Refused`."""
    if ask.form == "contract" and len(ask.body) <= SMALL:
        return _read(ask, limits)
    command = [sys.executable, "-m", "ifonly.serve.jobs.reading", ask.form, str(limits.rows)]
    command += [str(limits.body), str(len(ask.options))]
    try:
        done = subprocess.run(
            command, input=ask.options + ask.body, capture_output=True, timeout=SECONDS, check=True
        )
    except subprocess.TimeoutExpired:
        raise Refused("Reading the rows takes too long.", "Send fewer.", kind="limit") from None
    except subprocess.CalledProcessError:
        message = "The rows take too much memory, or cannot be read."
        raise Refused(message, "Send fewer.", kind="limit") from None
    head, _, lines = done.stdout.partition(b"\n")
    said = json.loads(head)
    if "problem" in said:
        raise Refused(**said["problem"])
    return Given(said["options"], said["count"], lines)


def _read(ask: Ask, limits: Limits) -> Given:
    given = request_of(ask, limits)
    rows = given.pop("rows", None)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Refused("A list of rows is expected.", "Send {'rows': [{...}, ...]}.", field="rows")
    if not rows:
        raise Refused("There are no rows.", "Send at least one.", field="rows")
    if len(rows) > limits.rows:
        hint = f"A job has at most {limits.rows}."
        raise Refused(f"There are {len(rows)} rows.", hint, field="rows", kind="limit")
    lines = (json.dumps(row, ensure_ascii=False).encode() for row in rows)
    return Given(given, len(rows), b"\n".join(lines) + b"\n")


def main(form: Any, rows: str, body: str, length: str) -> None:
    """Read the options and the body from the standard input, and write what they hold."""
    content, size = sys.stdin.buffer.read(), int(length)
    ask = Ask("", "jobs", content[size:], form, content[:size])
    try:
        given = _read(ask, Limits(rows=int(rows), body=int(body)))
        head: dict[str, Any] = {"options": given.options, "count": given.count}
        lines = given.lines
    except Refused as refused:
        problem = refused.problem
        kind = problem.type.rpartition(":")[2]
        own = {"message": problem.detail, "hint": problem.hint, "field": problem.field}
        head, lines = {"problem": {**own, "kind": kind if kind in KINDS else "request"}}, b""
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
