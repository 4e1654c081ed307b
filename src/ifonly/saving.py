"""Answers as JSON and Parquet, without loss.

JSON has no tuples, no NaN and no keys but strings, so those are written with a mark; arrays are
lists with an empty place for NaN.
"""

from __future__ import annotations

import io
import json
import math
from dataclasses import astuple
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, FileError, MissingExtra
from ifonly.space import Cost, Space
from ifonly.status import Status
from ifonly.writing import write_file

FORMAT = "ifonly answers 1"
_ARRAYS = ("x", "points", "filled", "row_score", "score")
_MASKS = ("filled", "acted")


def to_json(answers: Any) -> str:
    """The fields of answers as JSON."""
    fields = {name: value for name, value in vars(answers).items() if name != "source"}
    plain: dict[str, Any] = {"format": FORMAT, "space": json.loads(fields.pop("space").to_json())}
    for name, value in fields.items():
        plain[name] = _array(value) if isinstance(value, np.ndarray) else _encode(value)
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def from_json(content: str) -> dict[str, Any]:
    """The fields of the answers that `to_json` wrote."""
    try:
        plain = json.loads(content)
        if plain.pop("format") != FORMAT:
            raise KeyError
    except (ValueError, KeyError, AttributeError, TypeError):
        raise FileError(
            "This is not the JSON of saved answers.", "Save answers with answers.to_json()."
        ) from None
    absent = [name for name in ("space", "status", "record", *_ARRAYS) if name not in plain]
    if absent:
        raise FileError(f"These saved answers lack {absent[0]!r}.", "Save them again.")
    space = Space.from_json(json.dumps(plain.pop("space")))
    fields: dict[str, Any] = {"space": space}
    q, d, k = len(plain["x"]), len(space), dict(plain["record"]["pairs"])["k"]
    shapes = {
        "x": (q, d),
        "points": (q, k, d),
        "filled": (q, k),
        "row_score": (q,),
        "score": (q, k),
        "acted": (q, k, d),
        "bound": (q,),
        "seconds": (q,),
    }
    for name, value in plain.items():
        if name in shapes and value is not None:
            dtype = bool if name in _MASKS else np.float64
            fields[name] = np.array(value, dtype=dtype).reshape(shapes[name])
        else:
            fields[name] = _decode(value)
    fields["status"] = tuple(Status(one) for one in fields["status"])
    return fields


def write_parquet(frame: Any, content: str, path: str | PathLike[str]) -> None:
    """A frame as a Parquet file whose metadata hold the JSON of the answers."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    try:
        table = nw.from_native(frame, eager_only=True).to_arrow()
    except pyarrow.ArrowException as error:
        raise DataError(
            f"Parquet cannot hold the frame of the answers: {error.args[-1]}.",
            "Turn levels of several types into text, or save with answers.to_json().",
        ) from error
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), "ifonly": content})
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer)
    write_file(path, buffer.getvalue())


def _array(values: np.ndarray) -> Any:
    if values.dtype == bool:
        return values.tolist()
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    plain[np.isposinf(values)], plain[np.isneginf(values)] = "inf", "-inf"
    return plain.tolist()


def _encode(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return {"tuple": [_encode(one) for one in value]}
    if isinstance(value, list):
        return [_encode(one) for one in value]
    if isinstance(value, dict):
        return {"pairs": [[_encode(key), _encode(one)] for key, one in value.items()]}
    if isinstance(value, Cost):
        return {"cost": _encode(astuple(value))}
    if isinstance(value, pd.Timestamp):
        return {"timestamp": value.isoformat()}
    raise DataError(f"JSON cannot hold {value!r}.", "Turn such values into text first.")


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((mark, inner),) = value.items()
    if mark == "float":
        return float(inner)
    if mark == "timestamp":
        return pd.Timestamp(inner)
    if mark == "cost":
        return Cost(*_decode(inner))
    if mark == "tuple":
        return tuple(_decode(one) for one in inner)
    return {_decode(key): _decode(one) for key, one in inner}
