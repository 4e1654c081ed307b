"""Requests that are not JSON of the contract, and replies to them: tables, and KServe's JSON.

A worker reads them, so that the front of the service never reads a large body.
"""

from __future__ import annotations

import json
from typing import Any

from ifonly.contract import Limits, Refused, Reply
from ifonly.contract.columns import read_columns
from ifonly.contract.strict_json import read_json
from ifonly.serve.exchange import Ask
from ifonly.serve.sight import seen

MEDIA = {
    "application/vnd.apache.arrow.stream": "arrow",
    "application/vnd.apache.parquet": "parquet",
}
"""The media types of tables."""
KSERVE = {"explain": "explanations", "predict": "predictions"}
"""What KServe calls the rows of a reply."""


def request_of(ask: Ask, limits: Limits) -> dict[str, Any]:
    """The request of the contract that somebody means.

    Raises
    ------
    Refused
        The body cannot be read, or is too large.
    """
    given = _read(ask, limits)
    if ask.route == "examples" and not ask.sight.rows:
        hint = "A token shows them that was made with --rows."
        raise Refused("Your token does not show real rows.", hint, kind="option")
    if ask.sight.scores != "full":
        # Whoever may set the score that decides can find every score, by halving.
        for name in ("threshold", "margin"):
            if given.get(name):
                message = "Your token does not show scores, so it cannot set the one that decides."
                raise Refused(message, "Leave it out.", field=name, kind="option")
    return given


def _read(ask: Ask, limits: Limits) -> dict[str, Any]:
    """What a body holds, with its rows where the contract has them."""
    if ask.form == "contract":
        return read_json(ask.body, limits.body)
    if ask.form == "kserve":
        given = read_json(ask.body, limits.body)
        if "instances" not in given or "rows" in given:
            hint = "Send {'instances': [...]}, a list of rows, and options beside it."
            raise Refused("This field is absent.", hint, field="instances")
        return {"rows": given.pop("instances"), **given}
    given = read_json(ask.options, limits.body)
    if "rows" in given:
        raise Refused("The rows are in the body.", "Leave them out here.", field="rows")
    most = limits.batch_rows if ask.route == "score_batch" else limits.rows
    return {"rows": rows_of(ask.body, ask.form, most), **given}


def reply_of(ask: Ask, reply: Reply) -> bytes:
    """The JSON of a reply, as far as the one who asks may see it, in the form of the request."""
    shown = seen(reply, ask.sight)
    if ask.form != "kserve":
        return shown.model_dump_json().encode()
    fields = shown.model_dump(mode="json")
    fields[KSERVE[ask.route]] = fields.pop("rows")
    return json.dumps(fields, allow_nan=False).encode()


def rows_of(body: bytes, form: str, most: int) -> list[dict[str, Any]]:
    """The rows of an Arrow stream or a Parquet file, of which there are at most `most`.

    >>> import pandas as pd
    >>> rows_of(pd.DataFrame({"a": [1, 2], "b": ["x", None]}).to_parquet(), "parquet", 10)
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}]
    """
    columns = read_columns(body, form, most)
    names = list(columns)
    return [dict(zip(names, line, strict=True)) for line in zip(*columns.values(), strict=True)]
