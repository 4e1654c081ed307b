"""The JSON Schemas of requests and replies for one model: its own columns, and examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ifonly.contract.context import Context
from ifonly.contract.problem import Problem
from ifonly.contract.routes.model import type_of
from ifonly.contract.types import Reply, Request
from ifonly.contract.values import plain
from ifonly.solve.probe import middle
from ifonly.space import Categorical, Feature, Space
from ifonly.space.table.dates import clock_of
from ifonly.space.table.values import value_of

LOCAL = r"^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?$"
DATES = ("date", "date-time", "duration")


def schemas_of(
    context: Context, routes: Mapping[str, tuple[type[Request], type[Reply]]]
) -> dict[str, dict[str, Any]]:
    """The schemas of every route: 'request' with examples, 'reply' and 'problem'."""
    space, classes = context.space, context.setting.model.classes
    target = "opposite" if len(classes) == 2 else "other" if classes else {"low": _middle(context)}
    first, second = (_example(space, codes) for codes in (middle(space), space.high))
    row = _row_schema(context)
    return {
        name: {
            "request": {
                **_with_row(request.model_json_schema(), row),
                "examples": request.examples(first, second, target),
            },
            "reply": _with_row(reply.model_json_schema(mode="serialization"), row),
            "problem": Problem.model_json_schema(),
        }
        for name, (request, reply) in routes.items()
    }


def _middle(context: Context) -> float:
    """A number that a regressor predicts for some rows."""
    return float(np.median(context.setting.said))


def _example(space: Space, codes: np.ndarray) -> dict[str, Any]:
    """A row of codes [d], in which groups of columns set one of them."""
    codes = codes.copy()
    for group in space.one_hot:
        codes[[space.index(name) for name in group.columns]] = [1, *[0] * (len(group.columns) - 1)]
    own = {f.name: plain(value_of(f, code)) for f, code in zip(space.features, codes, strict=True)}
    return own | {one.name: None for one in space.carry}


def _row_schema(context: Context) -> dict[str, Any]:
    """The schema of a row: a property for each column, and no other."""
    space = context.space
    return {
        "type": "object",
        "properties": {one.name: _property(context, one) for one in space.features}
        | {one.name: {} for one in space.carry},
        "required": [*space.names, *(one.name for one in space.carry if not one.empty)],
        "additionalProperties": False,
    }


def _property(context: Context, feature: Feature) -> dict[str, Any]:
    """The schema of the values of a feature; the range of a number is no limit for rows."""
    if isinstance(feature, Categorical):
        return {"enum": [*map(plain, feature.levels), *([None] * feature.missing)]}
    kind = type_of(feature)
    shown: dict[str, Any] = {"type": "string", "format": kind} if kind in DATES else {"type": kind}
    if kind == "date-time" and clock_of(feature.column.dtype).zone is None:
        shown = {"type": "string", "pattern": LOCAL}  # JSON Schema's own format has a zone
    low, high = (plain(value_of(feature, code)) for code in (feature.low, feature.high))
    unit = context.units.get(feature.name, "")
    shown["description"] = f"From {low} to {high} {unit}".rstrip() + " in the data."
    return {**shown, "type": [shown["type"], "null"]} if feature.missing else shown


def _with_row(schema: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """A schema in which a row has the columns of the model."""
    known = {"Row": row, "Changes": {**row, "required": []}}
    defined = schema.get("$defs", {})
    return schema | {"$defs": {name: known.get(name, one) for name, one in defined.items()}}
