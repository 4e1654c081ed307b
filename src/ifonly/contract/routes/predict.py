"""The route `predict`: what the model says of edited rows, and of a feature's other values."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused
from ifonly.contract.scored import score
from ifonly.contract.types import Reply, Request, Row, Strict, Threshold, Value, Whole
from ifonly.contract.values import finite
from ifonly.errors import nearest
from ifonly.space.table.values import value_of


class PredictRequest(Request):
    """Rows as somebody has edited them."""

    rows: list[Row]
    threshold: Threshold | None = None
    """The probability from which the second of two classes is decided for."""
    curve: str | None = None
    """A feature, or a group of columns that are one category: its other values at each row."""
    points: Whole = Field(50, ge=2, le=1000)
    """The most values of a number on a curve."""

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """Two rows, and the curve of the first feature at one."""
        return [{"rows": [row, other]}, {"rows": [row], "curve": next(iter(row)), "points": 5}]


class Scored(Strict):
    """What the model says of a row."""

    prediction: Value
    """The class that it decides for, or the number; null where it fails."""
    scores: list[float | None]
    """Its score of each class, in the order of the classes, or the number alone."""
    note: str = ""
    """Why the model fails for this row."""


class CurvePoint(Scored):
    """What the model says of a row with another value of one feature."""

    value: Value


class PredictReply(Reply):
    """What the model says of each row."""

    classes: list[Value]
    """The classes that scores stand for, in their order; none for a regressor."""
    rows: list[Scored]
    curves: list[list[CurvePoint]]
    """For each row, the values of the feature in order; empty where none was asked."""


def predict(context: Context, request: PredictRequest) -> PredictReply:
    """What the model says of rows and of curves through them, in one call."""
    x = context.codes(request.rows)
    values, points = _curves(context, x, request.curve, request.points)
    m, most = points.shape[1], context.limits.batch_rows
    if len(x) * m > most:
        hint = f"At most {most} are accepted."
        raise Refused(f"There are {len(x) * m} points.", hint, field="points", kind="limit")
    codes = np.concatenate([x, points.reshape(-1, x.shape[1])])
    own = [*request.rows, *(row for row in request.rows for _ in range(m))]
    labels, scores, failed = score(context, context.frame(codes, own), request.threshold)
    said = [
        Scored(prediction=label, scores=[finite(one) for one in line], note=failed.get(place, ""))
        for place, (label, line) in enumerate(zip(labels, scores.tolist(), strict=True))
    ]
    curves = [
        [CurvePoint(value=v, **dict(one)) for v, one in zip(values, said[a : a + m], strict=True)]
        for a in range(len(x), len(said), max(m, 1))
    ]
    return PredictReply(
        classes=list(context.setting.model.classes), rows=said[: len(x)], curves=curves
    )


def _curves(
    context: Context, x: np.ndarray, name: str | None, most: int
) -> tuple[list[Any], np.ndarray]:
    """The values of a feature or group, and rows x [q, d] with each of them: [q, m, d]."""
    space = context.space
    if name is None:
        return [], x[:, None][:, :0]
    groups = {one.name: one for one in space.one_hot} | {
        column: one for one in space.one_hot for column in one.columns
    }
    if group := groups.get(name):
        columns = [space.index(column) for column in group.columns]
        points = np.repeat(x[:, None], len(columns), axis=1)
        points[:, :, columns] = np.eye(len(columns))
        return [group.level(column) for column in group.columns], points
    if name not in space.names:
        hint = nearest(name, space.names)
        raise Refused(f"There is no feature {name!r:.60}.", hint, field="curve", kind="data")
    j = space.index(name)
    codes = space.values(j, most)
    points = np.repeat(x[:, None], len(codes), axis=1)
    points[:, :, j] = codes
    return [value_of(space.features[j], code) for code in codes], points
