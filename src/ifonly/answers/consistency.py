"""What must hold between the fields of saved answers, so that every view can show them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ifonly.answers.schema import Damage, is_number
from ifonly.errors import IfonlyError, MissingExtra
from ifonly.space import Categorical, Continuous, Metric, Space
from ifonly.space.table.dtypes import number_dtype
from ifonly.space.table.frame import table
from ifonly.space.table.unseen import is_unseen
from ifonly.space.table.values import pandas_dtype
from ifonly.status import Status

Fields = Mapping[str, Any]


def check_fields(fields: Fields) -> None:
    """Refuse fields that contradict each other."""
    status = fields["status"]
    lost = np.array([one is Status.FAILED for one in status], dtype=bool)
    _check_codes(fields["space"], fields["x"], "x", lost)
    _check_codes(fields["space"], fields["points"], "points", lost[:, None])
    _check_range(fields)
    _check_status(status, fields["filled"])
    _check_outcomes(fields)
    _check_reached(fields)
    _check_record(fields)
    _check_written(fields)


def _check_codes(space: Space, codes: np.ndarray, name: str, lost: np.ndarray) -> None:
    """Refuse codes [..., d] that the space has not; rows that are lost may lack any value."""
    for j, feature in enumerate(space.features):
        code = codes[..., j]
        gap = np.isnan(code)
        wrong = np.isinf(code) | (gap & ~lost & (not feature.missing) & ~is_unseen(code))
        if isinstance(feature, Categorical):
            wrong |= _outside(code, 0, len(feature.levels) - 1)
        elif (whole := number_dtype(feature.column.dtype)) and whole.kind in "iu":
            code = np.where(np.isin(code, _numbers(feature.column.unseen)), np.nan, code)
            limits = np.iinfo(whole)
            wrong |= _outside(code, limits.min, limits.max)
        if wrong.any():
            raise Damage(f"{name!r} holds {code[wrong][0]}, no value of {feature.name!r}")


def _numbers(values: tuple[Any, ...]) -> list[Any]:
    """Those of some values that are numbers."""
    return [value for value in values if is_number(value)]


def _outside(code: np.ndarray, low: int, high: int) -> np.ndarray:
    """bool [...]: the codes that are no whole number from low to high; a missing one is none."""
    return np.asarray((code < low) | (code >= float(high) + 1) | (code % 1 > 0))


def _check_range(fields: Fields) -> None:
    """Refuse numbers outside the known range that are neither the row's own nor follow."""
    x, points, filled = fields["x"], fields["points"], fields["filled"]
    acted = fields.get("acted")
    for j, feature in enumerate(fields["space"].features):
        if isinstance(feature, Continuous):
            value, step = points[..., j], feature.step
            outside = (value < feature.low - step) | (value > feature.high + step)
            wrong = outside & filled & (value != x[:, None, j])
            if acted is not None:
                wrong &= acted[..., j]
            if wrong.any():
                raise Damage(f"an answer has {value[wrong][0]} as {feature.name!r}")


def _check_status(status: tuple[Status, ...], filled: np.ndarray) -> None:
    count, k = filled.sum(axis=1), filled.shape[1]
    for one, found in zip(status, count, strict=True):
        least, most = {Status.FOUND: (k, k), Status.PARTIAL: (1, k - 1)}.get(one, (0, 0))
        if not least <= found <= most:
            raise Damage(f"a row is {str(one)!r} and has {found} of {k} answers")


def _check_outcomes(fields: Fields) -> None:
    """Refuse a range that a classifier wants, or a class that a regressor wants."""
    number = fields["record"]["regression"]
    for wanted, said in zip(fields["wanted"], fields["predicted"], strict=True):
        if wanted is None or said is None:
            continue
        pair = isinstance(wanted, tuple) and len(wanted) == 2 and all(map(is_number, wanted))
        if number and not (pair and wanted[0] <= wanted[1] and is_number(said)):
            raise Damage(f"a regressor says {said!r:.60}, and {wanted!r:.60} is wanted")
        if not number and isinstance(wanted, tuple):
            raise Damage(f"a classifier cannot be wanted to say {wanted!r:.60}")


def _check_reached(fields: Fields) -> None:
    """Refuse a class of an answer that is none of the model's."""
    reached, classes = fields.get("reached"), fields["record"].get("classes")
    if reached is None:
        return
    if not isinstance(classes, list | tuple):
        raise Damage("it has classes of answers, and none of the model")
    if np.isnan(reached).any() or _outside(reached, -1, len(classes) - 1).any():
        raise Damage("an answer has a class that the model has not")


def _check_record(fields: Fields) -> None:
    record, q = fields["record"], len(fields["x"])
    if len(record.get("row_rules", ())) not in (0, q):
        raise Damage(f"the rules of single rows are not those of {q} rows")
    if len(record.get("finished_by", ())) not in (0, q):
        raise Damage(f"what finished each row is not said of {q} rows")
    if len(record.get("examples", ())) not in (0, q):
        raise Damage(f"the rows of the data that are examples are not said of {q} rows")
    levels = len(record.get("index_names") or ())
    if levels > 1 and any(not isinstance(o, tuple) or len(o) != levels for o in fields["index"]):
        raise Damage(f"'index' does not have {levels} levels")
    rests_on = record.get("tolerance", record.get("unread"))
    if fields.get("bound") is not None and (rests_on is None or fields.get("seconds") is None):
        raise Damage("a proof lacks its seconds or its tolerance")


def _check_written(fields: Fields) -> None:
    """Refuse a space that cannot be written and read again, weights or classes that mean nothing.

    One small frame with every level and both ends of every range is enough to try it.
    """
    space, library = fields["space"], fields["library"]
    classes = () if fields["record"]["regression"] else dict.fromkeys(fields["wanted"])
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            Metric.of(space)
            _check_dtypes(space)
            _try_frame(space, library)
            space.rows(fields["x"], library)
            for value in classes:
                table({"prediction": [value]}, library)
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or library, "all") from None
    except Damage:
        raise
    except IfonlyError as error:
        raise Damage(error.message.rstrip(".")) from None
    except Exception as error:  # whatever a library of frames makes of values that are not its own
        raise Damage(f"{library} cannot hold its values: {type(error).__name__}") from None


def _check_dtypes(space: Space) -> None:
    """Refuse dtypes of a fixed width, which pandas never has: one value could fill the memory."""
    if space.library == "pandas":
        for feature in space.features:
            dtype = pandas_dtype(feature.column)
            if isinstance(dtype, np.dtype) and dtype.kind in "SUV":
                raise Damage(f"{feature.name!r} has the dtype {feature.column.dtype!r:.60}")


def _try_frame(space: Space, library: str) -> None:
    """Write every value that the space knows; in its own library, read them again."""
    height = 1 + max(len(f.levels) if isinstance(f, Categorical) else 2 for f in space.features)
    codes = np.empty((height, len(space)))
    for j, feature in enumerate(space.features):
        if isinstance(feature, Continuous):
            codes[:, j] = np.resize([feature.low, feature.high], height)
        else:
            codes[:, j] = np.resize(np.arange(len(feature.levels)), height)
        if feature.missing:
            codes[-1, j] = np.nan
    frame = space.rows(codes, library)
    if library == space.library:
        again = space.codes(frame)
        near = np.where(space.continuous, 1e-2 * np.abs(codes) + 10.0**-space.decimals, 0.0)
        if not (np.isnan(codes) == np.isnan(again)).all() or (np.abs(again - codes) > near).any():
            raise Damage(f"{library} cannot hold its values")
