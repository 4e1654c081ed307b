"""Answers as an Arrow table whose schema is known before any row is answered.

Each row has a line of its own (`answer` is -1) with its values, its prediction and its score, and
behind it a line per answer. So a table holds all that `Answers` holds, in columns that every engine
has, and a part of a run is like every other.

    ids         the user's id column; else `file` and `row`
    answer      -1 for the row itself, then 0, 1, ...; nearest first
    status note of the row
    ...         features and carried columns, in the order of the data
    prediction wanted score distance price changed extra usual agreeing tolerated bound acted odd
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ifonly.answers import Answers
from ifonly.errors import MissingExtra, OptionError
from ifonly.explainer import Explainer
from ifonly.space import Categorical, Space
from ifonly.space.layout import columns_of
from ifonly.space.table.carry import column_order
from ifonly.space.table.frame import free_name

BEFORE = {"answer": "int32", "status": "string", "note": "string"}
AFTER = {
    "prediction": "",
    "wanted": "",
    **dict.fromkeys(("score", "distance", "price"), "float64"),
    "changed": "int32",
    "extra": "bool",
    **dict.fromkeys(("usual", "agreeing", "tolerated", "bound"), "float64"),
    "acted": "names",
    "odd": "names",
}
"""Our columns; the types of the outcomes are those of the model's classes. Where a feature has one
of these names, ours gets an underscore before it."""
FILE_AND_ROW = {"file": "string", "row": "int64"}
"""The ids of rows without a column for them."""


def arrow() -> Any:
    """The package pyarrow."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    return pyarrow


def schema(explainer: Explainer, ids: Mapping[str, Any] | None = None) -> Any:
    """The schema of every table of answers of an explainer.

    Parameters
    ----------
    explainer
        What answers.
    ids
        The id columns and their Arrow types, or the names of these; by default `file` and `row`.

    Returns
    -------
    pyarrow.Schema

    Raises
    ------
    OptionError
        An id column is a feature.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> schema(ifonly.Explainer(rich, data=data), {"customer": "int64"}).names[:6]
    ['customer', 'answer', 'status', 'note', 'income', 'prediction']
    """
    setting = explainer.setting
    return _schema(setting.space, setting.model.classes, FILE_AND_ROW if ids is None else ids)


def answers_table(answers: Answers, ids: Mapping[str, Any]) -> Any:
    """Answers as a table with the schema of their explainer.

    Parameters
    ----------
    answers
        The answers to some rows.
    ids
        [q] of each id column: what tells the rows apart, as Arrow arrays or lists.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> answers = ifonly.explain(rich, data[:1], data=data, k=1)
    >>> table = answers_table(answers, {"customer": [7]})
    >>> table.select(["customer", "answer", "income"]).to_pylist()
    [{'customer': 7, 'answer': -1, 'income': 10}, {'customer': 7, 'answer': 0, 'income': 41}]
    """
    pa = arrow()
    given = {name: one if isinstance(one, pa.Array) else pa.array(one) for name, one in ids.items()}
    own = _schema(
        answers.space, tuple(answers.record["classes"]), {n: one.type for n, one in given.items()}
    )
    # The lines [n]: every row, and behind it its answers.
    there = np.concatenate([np.ones((len(answers), 1), dtype=bool), answers.filled], axis=1)
    rows, places = np.nonzero(there)
    lines = _values(answers, rows, places - 1, there, own_names(answers.space, given))
    taken = pa.array(rows)
    arrays = [given[name].take(taken) for name in given]
    for field in list(own)[len(given) :]:
        arrays.append(_array(lines[field.name], field.type))
    return pa.Table.from_arrays(arrays, schema=own)


def _schema(space: Space, classes: Sequence[Any], ids: Mapping[str, Any]) -> Any:
    pa = arrow()
    both = sorted(set(ids) & set(space.names))
    if both:
        raise OptionError(
            f"The id column {both[0]!r} is a feature.",
            "Name a column that is none, or leave `id` out: the file and the number of a row tell.",
        )
    kinds = {"names": _names(), "": _type_of(classes) if classes else pa.float64()}
    ours = own_names(space, ids)
    values = {name: one for name, one in _value_types(space).items() if name not in ids}
    stated = {
        **ids,
        **{ours[name]: kind for name, kind in BEFORE.items()},
        **values,
        **{ours[name]: kinds.get(kind, kind) for name, kind in AFTER.items()},
    }
    return pa.schema([pa.field(name, _as_type(kind)) for name, kind in stated.items()])


def own_names(space: Space, ids: Iterable[str]) -> dict[str, str]:
    """What our columns are called beside the ids and the columns of a space."""
    taken = {*ids, *column_order(space)}
    return {name: free_name(name, taken) for name in (*BEFORE, *AFTER)}


def _names() -> Any:
    """The type of lists of names, called as Parquet calls it."""
    pa = arrow()
    return pa.list_(pa.field("element", pa.string()))


def _as_type(kind: Any) -> Any:
    return arrow().type_for_alias(kind) if isinstance(kind, str) else kind


def _value_types(space: Space) -> dict[str, Any]:
    """The types of features and carried columns: what Arrow makes of all levels, or of a number."""
    pa = arrow()
    kinds: dict[str, Any] = {}
    for place, feature in enumerate(space.features):
        levels = len(feature.levels) if isinstance(feature, Categorical) else 1
        codes = np.array(
            [[one.low if not isinstance(one, Categorical) else 0.0 for one in space.features]]
            * max(levels, 1)
        )
        codes[:, place] = np.arange(levels) if isinstance(feature, Categorical) else feature.low
        values = columns_of(space, codes, "pandas")[feature.name]
        kinds[feature.name] = _type_of(list(values))
    kinds |= dict.fromkeys((one.name for one in space.carry), pa.string())
    return {name: kinds[name] for name in column_order(space)}


def _type_of(values: Sequence[Any]) -> Any:
    """The type of some values; text where they have none in common."""
    pa = arrow()
    try:
        kind = pa.array(values, from_pandas=True).type
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.string()
    return pa.string() if pa.types.is_null(kind) or pa.types.is_nested(kind) else kind


def _array(values: Any, kind: Any) -> Any:
    """Values as an array of a type; in one of text, others are their text, and elsewhere null."""
    pa = arrow()
    if isinstance(values, pa.Array):
        return values
    try:
        return pa.array(values, kind, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([_one(value, kind) for value in values], kind)


def _one(value: Any, kind: Any) -> Any:
    pa = arrow()
    missing = pa.scalar(value, from_pandas=True).as_py() is None if np.isscalar(value) else False
    if value is None or missing:
        return None
    if pa.types.is_string(kind):
        return str(value)
    try:
        return pa.scalar(value, kind).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None  # the note of the row says what it has there


def _values(
    answers: Answers,
    rows: np.ndarray,
    places: np.ndarray,
    there: np.ndarray,
    names: Mapping[str, str],
) -> dict[str, Any]:
    """The columns of the lines [n] of a table, by name, before they are Arrow's."""
    pa = arrow()
    space, k = answers.space, answers.k

    def every(own: np.ndarray, each: np.ndarray) -> np.ndarray:
        return np.asarray(np.concatenate([own, each], axis=1)[there])

    zero = np.zeros((len(answers), 1))
    nothing = np.full((len(answers), 1), np.nan)
    codes = every(answers.x[:, None], answers.points)
    columns = columns_of(space, codes, "pandas")
    if answers.carried is not None:
        columns |= answers.carried.columns(rows)
    itself = places < 0
    wanted = np.empty(len(answers), dtype=object)
    predicted = np.empty(len(answers), dtype=object)
    for place, (one, other) in enumerate(zip(answers.wanted, answers.predicted, strict=True)):
        wanted[place], predicted[place] = one, other
    ranges = answers.regression
    if ranges:
        prediction = every(np.array(answers.predicted, dtype=float)[:, None], answers.score)
    else:
        prediction = np.where(itself, predicted[rows], _outcomes(answers, wanted)[rows, places])
    each = {name: getattr(answers, name) for name in ("usual", "agreeing", "tolerated")}
    bound = zero + np.nan if answers.bound is None else answers.bound[:, None]
    text = pa.array([str(one) for one in answers.status])
    ours = {
        "answer": pa.array(places, pa.int32()),
        "status": text.take(pa.array(rows)),
        "note": pa.array(answers.notes, pa.string()).take(pa.array(rows)),
        "prediction": prediction,
        "wanted": np.full(len(rows), np.nan) if ranges else wanted[rows],
        "score": every(answers.row_score[:, None], answers.score),
        "distance": every(zero, answers.distance()),
        "price": every(zero, answers.price()),
        "changed": every(zero, answers.changed().sum(axis=-1)).astype(np.int32),
        "extra": every(zero > 0, answers.extra),
        **{
            name: every(nothing, np.full((len(answers), k), np.nan) if one is None else one)
            for name, one in each.items()
        },
        "bound": every(bound, np.broadcast_to(bound * np.nan, (len(answers), k))),
        "acted": _named(answers.acted, space, there),
        "odd": _named(answers.odd, space, there),
    }
    return {**columns, **{names[name]: one for name, one in ours.items()}}


def _outcomes(answers: Answers, wanted: np.ndarray) -> np.ndarray:
    """[q, k] the class of each answer."""
    classes = np.array([*answers.record["classes"], None], dtype=object)[:-1]
    each = np.repeat(wanted[:, None], answers.k, axis=1)
    if answers.reached is not None:
        each = np.where(answers.reached < 0, each, classes[answers.reached])
    return each


def _named(flags: np.ndarray | None, space: Space, there: np.ndarray) -> Any:
    """For each line the names of the flagged features [q, k, d]; null for rows."""
    pa = arrow()
    lines = int(there.sum())
    kind = _names()
    if flags is None:
        return pa.nulls(lines, kind)
    every = np.concatenate([np.zeros_like(flags[:, :1]), flags], axis=1)[there]
    itself = np.concatenate([np.ones_like(there[:, :1]), np.zeros_like(there[:, 1:])], axis=1)[
        there
    ]
    _, columns = np.nonzero(every)
    ends = np.concatenate([[0], np.cumsum(every.sum(axis=1))]).astype(np.int32)
    names = pa.array(space.names, pa.string()).take(pa.array(columns))
    return pa.ListArray.from_arrays(pa.array(ends), names, type=kind, mask=pa.array(itself))
