"""Saved answers of every kind, and ways to damage the JSON of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import polars as pl
from sklearn.linear_model import LinearRegression, LogisticRegression

import ifonly

Path: TypeAlias = tuple[str | int, ...]


def _table(n: int = 120) -> pd.DataFrame:
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "income": draw.integers(0, 50, n),
            "debt": draw.normal(size=n).round(2),
            "job": draw.choice(["clerk", "nurse", "10"], n),
        }
    )


def _model(**classes: Any) -> Any:
    def grant(frame: Any) -> np.ndarray:
        income = np.asarray(frame["income"].to_numpy(), dtype=float)
        return np.asarray(np.nan_to_num(income) > 25)

    return ifonly.as_model(grant, **{"classes": ["no", "yes"], **classes})


def _priced() -> ifonly.Answers:
    data = _table().assign(
        grade=pd.Categorical(["low", "high"] * 60, ["low", "high"], ordered=True)
    )
    space = ifonly.Space.infer(
        data,
        labels={"income": "Monthly <income>", "yes": "granted"},
        weights={
            "income": ifonly.cost(up=2),
            "job": ifonly.cost(moves={("clerk", "nurse"): 0.5}),
            "debt": 3,
        },
    )
    rules = ["income only increases", "job: clerk -> nurse takes 2 of income"]
    explainer = ifonly.Explainer(_model(), data=data, space=space, rules=rules)
    return explainer.explain(data[:4], k=2, row_rules={1: ["income at most 20"]})


def _predicted() -> ifonly.Answers:
    data = _table().drop(columns="job").assign(age=np.arange(120) % 40)
    model = LinearRegression().fit(data, 3 * data["income"] + data["age"])
    return ifonly.explain(model, data[:3], data=data, k=2, target=(100, None))


def _missing() -> ifonly.Answers:
    data = _table().astype({"income": "Int64"})
    data.loc[::7, "income"] = pd.NA
    data.loc[::5, "job"] = None
    data.index = pd.date_range("2020-01-01", periods=len(data))
    return ifonly.explain(_model(), data[:4], data=data, k=2)


def _caused() -> ifonly.Answers:
    data = _table().assign(savings=lambda f: 2 * f["income"] + 1)
    causes = ifonly.CausalModel.fit({"income": ["savings"]}, data)
    return ifonly.explain(_model(), data[:3], data=data, k=2, causes=causes)


def _proved() -> ifonly.Answers:
    data = _table().drop(columns="job")
    model = LogisticRegression().fit(data, data["income"] > 25)
    return ifonly.explain(model, data[:3], data=data, k=2, certify=True)


def _polars() -> ifonly.Answers:
    data = pl.from_pandas(_table())
    return ifonly.explain(_model(), data[:3], data=data, k=2, rules=["income fixed or debt fixed"])


def _odd_levels() -> ifonly.Answers:
    data = _table()
    pairs = pd.Series([(1, "a"), (2, "b"), ("c",)] * 40, dtype=object)
    days = pd.Series(pd.date_range("2020", periods=2).to_list() * 60)
    data = data.assign(pair=pairs, part=pd.cut(data["debt"], 3), day=days)
    return ifonly.explain(_model(classes=[0, 1]), data[:3], data=data, k=2, categorical=["day"])


BASES = (_priced, _predicted, _missing, _caused, _proved, _polars, _odd_levels)


@cache
def saved(place: int) -> str:
    """The JSON of answers of one kind."""
    return BASES[place % len(BASES)]().to_json()


JUNK: tuple[Any, ...] = (
    *(None, True, 0, -1, 2, 0.5, 1e308, -1e-320, 10**30, 10**400, float("nan"), float("inf")),
    *("", "x", "<script>", "NaN", "inf", "found", "pandas", "polars", "int8", "category", "\ud800"),
    *([], {}, [[]], [None] * 3, [1, 2], ["a", "a"], {"a": 1, "b": 2}, {"pairs": [[[], 1]]}),
    *({"tuple": []}, {"tuple": [1]}, {"tuple": {}}, {"pairs": []}, {"pairs": [1]}, {"pairs": {}}),
    *({"float": "nan"}, {"float": "x"}, {"float": 3}, {"timestamp": "x"}, {"timestamp": "NaT"}),
    *({"timestamp": "2020-01-01T00:00:00"}, {"interval": {"tuple": [2, 1, "right"]}}),
    *({"cost": []}, {"cost": {"tuple": [1, 1, {"tuple": [1]}, 1]}}, {"unknown": 1}),
)


def paths(plain: Any, start: Path = ()) -> Iterator[Path]:
    """The way to every part of what JSON holds."""
    yield start
    if isinstance(plain, dict | list):
        for name in plain if isinstance(plain, dict) else range(len(plain)):
            yield from paths(plain[name], (*start, name))


def _replaced(content: str, draw: np.random.Generator) -> str:
    """One to three parts taken out, replaced by junk or by another part, or doubled."""
    plain = json.loads(content)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        places = [path for path in paths(plain) if path]
        at, other = (places[i] for i in draw.integers(0, len(places), 2))
        owner, last = _part(plain, at[:-1]), at[-1]
        way = draw.integers(0, 10)
        if way < 2:
            del owner[last]
        elif way < 4:
            owner[last] = deepcopy(_part(plain, other))
        elif way == 4 and isinstance(owner, list):
            owner.append(deepcopy(owner[last]))
        elif way == 5 and isinstance(owner[last], int | float) and abs(owner[last]) < 1e300:
            owner[last] += float(draw.choice([-1, 1, 0.5, 1e6]))
        else:
            owner[last] = deepcopy(JUNK[draw.integers(0, len(JUNK))])
    return json.dumps(plain)


def _part(plain: Any, path: Path) -> Any:
    for name in path:
        plain = plain[name]
    return plain


def _cut(content: str, draw: np.random.Generator) -> str:
    return content[: draw.integers(0, len(content))]


def _flipped(content: str, draw: np.random.Generator) -> str:
    """A few bytes with other bits."""
    data = bytearray(content.encode())
    for place in draw.integers(0, len(data), draw.integers(1, 4)):
        data[place] ^= 1 << int(draw.integers(0, 8))
    return data.decode("utf-8", errors=str(draw.choice(["replace", "surrogateescape"])))


def _nested(content: str, draw: np.random.Generator) -> str:
    """A part that lies inside very many lists or marks."""
    plain = json.loads(content)
    places = [path for path in paths(plain) if path]
    at = places[draw.integers(0, len(places))]
    _part(plain, at[:-1])[at[-1]] = "HERE"
    depth = int(draw.choice([5, 25, 300, 900, 20_000]))
    left, right = (("[", "]"), ('{"tuple": [', "]}"), ('{"pairs": [[1, ', "]]}"))[
        draw.integers(0, 3)
    ]
    return json.dumps(plain).replace('"HERE"', left * depth + "1" + right * depth)


WAYS: tuple[Callable[[str, np.random.Generator], str], ...] = (
    *[_replaced] * 12,
    *(_cut, _flipped, _flipped, _nested),
)


def damaged(content: str, draw: np.random.Generator) -> str:
    """The JSON of answers with some random damage."""
    return WAYS[draw.integers(0, len(WAYS))](content, draw)
