"""Rules that data suggest hold in every row, are found where they are, and not by chance."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.api.types import is_numeric_dtype

import ifonly
from ifonly import Space
from ifonly.errors import DataError, OptionError, RuleError
from ifonly.rules import as_rules, from_plain, parse, to_plain

N = 300
Columns = dict[str, Any]


def whole(rng: np.random.Generator, high: int = 60) -> np.ndarray:
    return rng.integers(0, high, N)


def garage(rng: np.random.Generator) -> Columns:
    kind = rng.choice(["none", "open", "closed"], N)
    return {"garage": kind, "area": np.where(kind == "none", 0, rng.integers(15, 60, N))}


def missing_year(rng: np.random.Generator) -> Columns:
    kind = rng.choice(["none", "open", "closed"], N)
    return {"garage": kind, "year": np.where(kind == "none", np.nan, 1950 + whole(rng))}


def missing_kind(rng: np.random.Generator) -> Columns:
    area = np.where(rng.random(N) < 0.3, 0, 1 + whole(rng))
    kind = pd.Series(rng.choice(["open", "closed"], N)).where(area > 0)
    return {"area": area, "garage": kind}


def total(rng: np.random.Generator) -> Columns:
    first, second = whole(rng), whole(rng)
    return {"all": first + second, "first": first, "second": second}


def double(rng: np.random.Generator) -> Columns:
    first, second, third = (rng.integers(0, 900, N) / 10 for _ in range(3))
    return {"a": first, "b": second, "c": third, "d": np.round(2 * first - second + 3 * third, 1)}


def rounded(rng: np.random.Generator) -> Columns:
    first, second = rng.integers(0, 9000, N) / 100, rng.integers(0, 9000, N) / 100
    return {"first": first, "second": second, "all": np.round(first + second, 1)}


def measured(rng: np.random.Generator) -> Columns:
    first, second = rng.normal(size=N), rng.normal(size=N)
    return {"first": first, "second": second, "all": first + second}


def one_hot(rng: np.random.Generator) -> Columns:
    chosen = rng.integers(0, 3, N)
    return {name: (chosen == i).astype(int) for i, name in enumerate(("red", "green", "blue"))}


def chain(rng: np.random.Generator) -> Columns:
    low = rng.normal(size=N).round(2)
    middle = (low + np.abs(rng.normal(size=N))).round(2)
    return {"low": low, "middle": middle, "high": (middle + rng.exponential(size=N)).round(2)}


def copies(rng: np.random.Generator) -> Columns:
    number, level = whole(rng), rng.choice(["a", "b", "c"], N)
    names = {"a": "x", "b": "y", "c": "z"}
    return {
        "number": number,
        "again": number,
        "year": 2020 - number,
        "level": level,
        "other": [names[one] for one in level],
    }


def education(rng: np.random.Generator) -> Columns:
    level = rng.choice(["school", "college", "master"], N)
    years = {"school": 9, "college": 12, "master": 12}
    return {"education": level, "years": [years[one] for one in level]}


def banded(rng: np.random.Generator) -> Columns:
    age = 18 + whole(rng)
    return {"age": age, "group": np.select([age < 30, age < 60], ["young", "middle"], "old")}


def job(rng: np.random.Generator) -> Columns:
    kind = rng.choice(["none", "clerk", "nurse"], N)
    return {"job": kind, "years": np.where(kind == "none", 0, rng.integers(0, 5, N))}


SHOWN: dict[Callable[[np.random.Generator], Columns], list[str]] = {
    garage: [
        "garage is none <=> area = 0",
        "if garage not none then area at least 15",
    ],
    missing_year: ["garage is none <=> year is missing"],
    missing_kind: ["area = 0 <=> garage is missing"],
    total: ["all = first + second"],
    double: ["b + d = 2 * a + 3 * c"],
    rounded: ["all <= first + second + 0.06 and all >= first + second - 0.06"],
    measured: ["all <= first + second + 1.5e-06 and all >= first + second - 1.5e-06"],
    one_hot: ["red + green + blue = 1"],
    chain: ["low <= middle", "middle <= high"],
    copies: [
        "again = number",
        "number + year = 2020",
        "level determines other: a -> x, b -> y, c -> z",
    ],
    education: ["education determines years: college -> 12, master -> 12, school -> 9"],
    banded: ["group is old <=> age at least 60", "group is young <=> age at most 29"],
    job: ["if job is none then years = 0"],
}
"""Tables, and the rules that hold in them: all of them, and none that follows from others."""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", SHOWN, ids=lambda make: make.__name__)
def test_each_kind_is_found_and_nothing_that_follows(make: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    noise = {"size": rng.normal(size=N).round(3), "city": rng.choice(["p", "q", "r"], N)}
    found = ifonly.suggest_rules(pd.DataFrame({**make(rng), **noise}))
    assert list(found) == SHOWN[make]
    assert all(0 < one.rows <= N and one.meaning.endswith(".") for one in found.found)


def random_table(rng: np.random.Generator) -> pd.DataFrame:
    """Some of the tables side by side, with gaps and a few rows that break what they show."""
    makers = rng.permutation(np.array(list(SHOWN), dtype=object))[: int(rng.integers(1, 6))]
    frame = pd.DataFrame(
        {f"{name} {i}": v for i, make in enumerate(makers) for name, v in make(rng).items()}
    )
    for name in frame.columns[rng.random(len(frame.columns)) < 0.2]:
        values = frame[name].astype(float) if is_numeric_dtype(frame[name]) else frame[name]
        frame[name] = values.where(rng.random(N) < 0.9)
    if rng.random() < 0.3:
        frame = frame.assign(**{frame.columns[0]: rng.permutation(frame.iloc[:, 0].to_numpy())})
    return frame


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_every_suggested_rule_holds_parses_and_passes_through_json(seed: int) -> None:
    frame = random_table(np.random.default_rng(seed))
    space = Space.infer(frame)
    x = space.codes(frame)
    for line in ifonly.suggest_rules(frame):
        rule = parse(line, space)
        assert rule.holds(space, x, x[:, None]).all(), line
        assert str(rule) == line
        assert from_plain(json.loads(json.dumps(to_plain(rule)))) == rule


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_columns_that_are_shuffled_suggest_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_table(rng)
    shuffled = {name: frame[name].iloc[rng.permutation(N)].array for name in frame.columns}
    assert list(ifonly.suggest_rules(pd.DataFrame(shuffled))) == []


@pytest.mark.parametrize("make", SHOWN, ids=lambda make: make.__name__)
def test_one_row_that_breaks_a_rule_is_enough(make: Any) -> None:
    frame = pd.DataFrame(make(np.random.default_rng(0)))
    space = Space.infer(frame)
    for line in SHOWN[make]:
        rule = parse(line, space)
        x = space.codes(frame)
        others = x[:, None].repeat(N, axis=1)  # a row with one value of each other row
        for j in (space.index(name) for name in rule.names):
            mixed = others.copy()
            mixed[:, :, j] = x[None, :, j]
            broken = np.argwhere(~rule.holds(space, x, mixed) & ~np.isnan(mixed).any(axis=2))
            if len(broken):
                codes = np.vstack([x, mixed[tuple(broken[0])]])
                found = ifonly.suggest_rules(space.rows(codes), space=space)
                assert line not in found
                break
        else:
            assert "missing" in line, "no row breaks the rule"


def test_a_handful_of_rows_is_no_evidence() -> None:
    rng = np.random.default_rng(0)
    kind = np.repeat(["none", "open", "closed"], [5, 145, 150])
    few = pd.DataFrame(
        {"garage": kind, "area": np.where(kind == "none", 0, rng.integers(15, 60, N))}
    )
    assert list(ifonly.suggest_rules(few)) == []
    assert list(ifonly.suggest_rules(few[:10])) == []


def test_an_order_that_any_pairing_keeps_is_not_suggested() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"children": rng.integers(0, 6, N), "age": rng.integers(18, 80, N)})
    assert list(ifonly.suggest_rules(frame)) == []


def test_a_list_of_levels_that_is_too_long_is_not_suggested() -> None:
    city = np.arange(N) % 60
    frame = pd.DataFrame({"city": city.astype(str), "state": (city // 20).astype(str)})
    assert list(ifonly.suggest_rules(frame)) == []


def test_suggestions_are_a_frozen_sequence_of_texts_that_prints() -> None:
    rng = np.random.default_rng(0)
    found = ifonly.suggest_rules(pd.DataFrame({**garage(rng), **total(rng)}))
    assert found[0] == "all = first + second"
    assert list(found[1:]) == list(found)[1:]
    assert isinstance(found[1:], type(found))
    assert found[0] in found
    assert str(found).splitlines()[0].split() == ["rule", "rows", "meaning"]
    assert "garage is none exactly where area is 0." in str(found)
    with pytest.raises(AttributeError):
        found.found = ()  # type: ignore[misc]
    assert str(found[:0]) == "No rule is suggested by 300 rows."
    assert list(ifonly.suggest_rules(pd.DataFrame(total(rng)), most=0)) == []


def test_any_library_and_any_space_will_do() -> None:
    columns = education(np.random.default_rng(0))
    frame = pd.DataFrame(columns)
    expected = SHOWN[education]
    assert list(ifonly.suggest_rules(pl.DataFrame(columns))) == expected
    space = Space.infer(frame, categorical=["years"])
    assert list(ifonly.suggest_rules(frame, space=space)) == expected


def test_what_cannot_be_used_is_refused() -> None:
    frame = pd.DataFrame(total(np.random.default_rng(0)))
    with pytest.raises(OptionError, match="most is -1"):
        ifonly.suggest_rules(frame, most=-1)
    with pytest.raises(DataError, match="not a DataFrame"):
        ifonly.suggest_rules([1, 2])
    with pytest.raises(RuleError, match="there are no data here"):
        as_rules("suggested", Space.infer(frame))
