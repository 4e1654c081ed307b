"""Traits of tables that people have, each given to the tables of data_tables.

A trait makes a `Case` of a table: the table with the trait, and a pipeline that is fitted on it. It
gives None where the table has no columns for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from cases import NUMBERS, TEXT, Case, Kind, case, encoder, logistic
from data_tables import Table

DAY_0 = pd.Timestamp("1995-01-01")


def columns(kind: str, make: Callable[[pd.Series], Any]) -> Kind:
    """A trait of every column of a kind, 'number', 'whole' or 'text', in data and rows."""

    def trait(one: Table) -> Case | None:
        names = of_kind(kind, one.train)
        if not names:
            return None

        def changed(frame: pd.DataFrame) -> pd.DataFrame:
            made = frame.copy()
            for name in names:  # one of the tables has a column 'self'
                made[name] = make(frame[name])
            return made

        encode = encoder()
        encode.transformers = [
            (part, step, select(one.train)) for part, step, select in encode.transformers
        ]
        model = make_pipeline(encode, LogisticRegression(max_iter=2000))
        table = Table(changed(one.train), one.outcome, changed(one.rows))
        return case(model.fit(table.train, one.outcome), table)

    return trait


def of_kind(kind: str, data: pd.DataFrame) -> list[str]:
    """The names of the columns of text, of numbers, or of whole numbers with many values."""
    if kind == "text":
        return list(TEXT(data))
    whole = [name for name in NUMBERS(data) if data[name].dtype == "int64"]
    return list(NUMBERS(data)) if kind == "number" else [n for n in whole if data[n].nunique() > 5]


def odd(kind: str, make: Callable[[Any], Any]) -> Kind:
    """A value that the data do not have, in every second row."""

    def trait(one: Table) -> Case | None:
        names = of_kind(kind, one.train)
        if not names:
            return None
        rows = one.rows.astype({names[0]: object})
        rows.loc[rows.index[::2], names[0]] = [make(value) for value in rows[names[0]][::2]]
        return replace(logistic(one), rows=rows.infer_objects())

    return trait


def gaps(one: Table) -> Case:
    """A tenth of the values missing, in the data and in the rows."""
    rng = np.random.default_rng(0)
    data, rows = (part.mask(rng.random(part.shape) < 0.1) for part in (one.train, one.rows))
    return logistic(Table(data, one.outcome, rows))


def boosted_gaps(one: Table) -> Case | None:
    """Missing numbers that the model itself takes, and that answers may fill in."""
    names = of_kind("number", one.train)
    if len(names) < 2:
        return None
    rng = np.random.default_rng(0)
    data, rows = (
        part[names].mask(rng.random((len(part), len(names))) < 0.1)
        for part in (one.train, one.rows)
    )
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(data, one.outcome)
    return Case(model, model.predict, data, rows, {}, {"fillable": names})


def ordered(one: Table) -> Case | None:
    """Text as ordered categories."""
    names = of_kind("text", one.train)
    kinds = {
        name: pd.CategoricalDtype(sorted(one.train[name].unique()), ordered=True) for name in names
    }
    table = Table(one.train.astype(kinds), one.outcome, one.rows.astype(kinds))
    return logistic(table) if names else None


def dummies(one: Table, rule: bool = False) -> Case | None:
    """One column of False and True per level, and a rule that just one of them is True."""
    names = of_kind("text", one.train)
    if not names:
        return None
    data, rows = pd.get_dummies(one.train), pd.get_dummies(one.rows)
    table = Table(data, one.outcome, rows.reindex(columns=data.columns, fill_value=False))
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    made = case(model.fit(table.train, one.outcome), table)
    group = [name for name in data if name.startswith(f"{names[0]}_")]
    if not rule:
        return made
    if any(not name.isidentifier() for name in group):
        return None
    return replace(made, options={"rules": [f"{' + '.join(group)} = 1"]}, prepared={"one_hot": ()})


def library(convert: Callable[[pd.DataFrame], Any], both: bool = True) -> Kind:
    """Tables of another library, as data and rows or as data alone."""

    def trait(one: Table) -> Case:
        known = logistic(one)

        def pandas(frame: Any) -> pd.DataFrame:
            return frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()

        model = PandasOnly(known.model, pandas)
        rows = convert(one.rows) if both else one.rows
        return Case(model, model.predict, convert(one.train), rows)

    return trait


class PandasOnly:
    """A model of pandas frames that is asked with frames of another library."""

    def __init__(self, inner: Any, convert: Callable[[Any], pd.DataFrame]) -> None:
        self.inner, self.convert, self.classes_ = inner, convert, inner.classes_

    def predict_proba(self, frame: Any) -> Any:
        return self.inner.predict_proba(self.convert(frame))

    def predict(self, frame: Any) -> Any:
        return self.inner.predict(self.convert(frame))


def indexed(one: Table, rules: bool = False) -> Case:
    """Rows with an index of two levels, or with labels that single rules name."""
    known = logistic(one)
    if not rules:
        index = pd.MultiIndex.from_product([["a", "b"], range(5)], names=["branch", "number"])
        return replace(known, rows=one.rows.set_axis(index[: len(one.rows)]))
    rows = one.rows.set_axis([f"client {place}" for place in range(len(one.rows))])
    return replace(
        known, rows=rows, options={"row_rules": {"client 3": [f"{rows.columns[0]} fixed"]}}
    )


def ruled(line: str) -> Kind:
    """A rule about two columns of numbers, `a` and `b`."""

    def trait(one: Table) -> Case | None:
        many = [n for n in of_kind("number", one.train) if one.train[n].nunique() > 9]
        many = [n for n in many if one.train[n].min() > 0]
        if len(many) < 2:
            return None
        a, b = many[:2]
        most = float((one.train[a] / one.train[b]).max().round(2)) + 1
        made = line.replace("A", a).replace("B", b).replace("MOST", f"{most:g}")
        return logistic(one, rules=[made])

    return trait


def wide(one: Table) -> Case:
    """150 further columns of numbers."""
    rng = np.random.default_rng(0)

    def more(frame: pd.DataFrame) -> pd.DataFrame:
        extra = rng.normal(size=(len(frame), 150)).round(2)
        return pd.concat([frame, pd.DataFrame(extra).add_prefix("extra_")], axis=1)

    return logistic(Table(more(one.train), one.outcome, more(one.rows)))


def dated(one: Table) -> Case | None:
    """A whole number as a date so many days after another, and an identifier beside it."""
    names = of_kind("whole", one.train)
    if not names:
        return None
    name = names[0]

    def changed(frame: pd.DataFrame) -> pd.DataFrame:
        made = frame.copy()
        made[name] = DAY_0 + pd.to_timedelta(frame[name] % 9999, unit="D")
        made.insert(0, "id_of_row", [f"R-{place}" for place in range(len(frame))])
        return made

    encode = make_column_transformer(
        (FunctionTransformer(_years), [name]),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), TEXT(one.train)),
        (StandardScaler(), [other for other in NUMBERS(one.train) if other != name]),
    )
    table = Table(changed(one.train), one.outcome, changed(one.rows))
    model = make_pipeline(encode, LogisticRegression(max_iter=2000))
    return case(model.fit(table.train, one.outcome), table)


def _years(frame: pd.DataFrame) -> np.ndarray:
    return ((frame - DAY_0) / pd.Timedelta(days=365.25)).to_numpy(dtype=float)


def _decimal(values: pd.Series) -> pd.Series:
    return pd.Series([Decimal(str(value)) for value in values], index=values.index, dtype=object)


def _sparse(values: pd.Series) -> Any:
    return values.astype(pd.SparseDtype("float64", 0.0))


def _smaller(values: pd.Series) -> pd.Series:
    """Numbers that float16 has room for."""
    return (values / 100 if values.abs().max() > 6e4 else values).astype("float16")


TRAITS: dict[str, Kind] = {
    "dates and an identifier": dated,
    "missing values, imputed": gaps,
    "missing numbers, fillable": boosted_gaps,
    "an unseen level": odd("text", lambda _: "never seen"),
    "no level in the row alone": odd("text", lambda _: None),
    "no number in the row alone": odd("number", lambda _: np.nan),
    "a part of a whole number": odd("whole", lambda value: value + 0.5),
    "string[pyarrow]": columns("text", lambda values: values.astype("string[pyarrow]")),
    "string[python]": columns("text", lambda values: values.astype("string[python]")),
    "text as objects": columns("text", lambda values: values.astype(object)),
    "category": columns("text", lambda values: values.astype("category")),
    "ordered category": ordered,
    "Int64": columns("whole", lambda values: values.astype("Int64")),
    "int64[pyarrow]": columns("whole", lambda values: values.astype("int64[pyarrow]")),
    "Float64": columns("number", lambda values: values.astype("Float64")),
    "float32": columns("number", lambda values: values.astype("float32")),
    "float16": columns("number", _smaller),
    "Decimal": columns("whole", _decimal),
    "sparse columns": columns("whole", _sparse),
    "columns of bool": dummies,
    "a sum of bools": partial(dummies, rule=True),
    "Polars": library(pl.from_pandas),
    "Polars data, pandas rows": library(pl.from_pandas, both=False),
    "PyArrow table": library(pa.Table.from_pandas),
    "an index of two levels": indexed,
    "labels of the index in row_rules": partial(indexed, rules=True),
    "a rule in percent": ruled("A changes by at most 10%"),
    "a ratio of columns": ruled("A / B <= MOST"),
    "150 further columns": wide,
    "no rows": lambda one: replace(logistic(one), rows=one.rows[:0]),
}
