"""Answers as JSON and Parquet, without loss.

Arrays are lists with an empty place for NaN; whatever else JSON does not have is marked. Where rows
have values that the data do not have, `unseen` says which of them each row has.
"""

from __future__ import annotations

import io
import json
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.answers.consistency import check_fields
from ifonly.answers.data import AnswerData
from ifonly.answers.schema import Damage, read_fields
from ifonly.errors import DataError, FileError, MissingExtra
from ifonly.render.destination import write_file
from ifonly.space.marks import encode
from ifonly.space.table.carry import Carried
from ifonly.space.table.unseen import unseen_places
from ifonly.status import Status

FORMAT = "ifonly answers 2"


def to_json(answers: AnswerData) -> str:
    """The fields of answers as JSON."""
    return json.dumps(to_plain(answers), ensure_ascii=False, allow_nan=False)


def to_plain(answers: AnswerData) -> dict[str, Any]:
    """The fields of answers as JSON holds them."""
    fields = {name: value for name, value in vars(answers).items() if name != "source"}
    plain: dict[str, Any] = {"format": FORMAT, "space": fields.pop("space").to_plain()}
    carried = fields.pop("carried")
    if carried is not None:
        plain["carried"] = carried.to_plain()
    for name, value in fields.items():
        plain[name] = _array(value) if isinstance(value, np.ndarray) else encode(value)
    if any(feature.column.unseen for feature in answers.space.features):
        plain["unseen"] = unseen_places(answers.x).tolist()
    return plain


def from_json(content: str) -> dict[str, Any]:
    """The fields of the answers that `to_json` wrote; a damaged file is refused."""
    try:
        plain = json.loads(content)
    except (ValueError, TypeError, RecursionError):
        plain = None
    return from_plain(plain)


def from_plain(plain: Any) -> dict[str, Any]:
    """The fields of the answers that `to_plain` wrote."""
    plain = dict(plain) if isinstance(plain, dict) else None
    if plain is None or plain.pop("format", None) != FORMAT:
        raise FileError(
            "This is not the JSON of saved answers.", "Save answers with answers.to_json()."
        )
    try:
        fields = read_fields(plain)
        if "carried" in fields:
            fields["carried"] = _carried(fields)
        fields["status"] = tuple(Status(one) for one in fields["status"])
        check_fields(fields)
    except Damage as damage:
        raise FileError(f"These saved answers are damaged: {damage}.", "Save them again.") from None
    return fields


def write_parquet(frame: Any, content: str, path: str | PathLike[str]) -> None:
    """A frame as a Parquet file whose metadata hold the JSON of the answers."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    buffer = io.BytesIO()
    try:
        table = nw.from_native(_dense(frame), eager_only=True).to_arrow()
        metadata = {**(table.schema.metadata or {}), "ifonly": content}
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), buffer)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"Parquet cannot hold the frame of the answers: {error.args[-1]}.",
            "Turn levels of several types into text, or save with answers.to_json().",
        ) from error
    write_file(path, buffer.getvalue())


def _dense(frame: Any) -> Any:
    """The frame without pandas' sparse columns, which Arrow does not have."""
    if not isinstance(frame, pd.DataFrame):
        return frame
    kinds = {n: kind for n, kind in frame.dtypes.items() if isinstance(kind, pd.SparseDtype)}
    return frame.astype({name: kind.subtype for name, kind in kinds.items()}) if kinds else frame


def _carried(fields: dict[str, Any]) -> Carried:
    """The carried columns of saved answers."""
    plain = fields["carried"]
    if set(plain) != {one.name for one in fields["space"].carry}:
        raise Damage("'carried' has other columns than the space")
    try:
        return Carried.from_plain(plain, fields["library"])
    except Exception as error:  # whatever a library of frames makes of values that are not its own
        raise Damage(f"'carried' cannot be read: {type(error).__name__}") from None


def _array(values: np.ndarray) -> Any:
    if values.dtype == bool:
        return values.tolist()
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    plain[np.isposinf(values)], plain[np.isneginf(values)] = "inf", "-inf"
    return plain.tolist()
