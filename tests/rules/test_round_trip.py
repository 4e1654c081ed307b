"""Any rule over any space is read back from its text and from its JSON, whatever names it holds."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from ifonly.errors import RuleError
from ifonly.rules import Rule
from ifonly.rules.change_rules import AtMost, Changes, Fixed, OnlyChange, Steps
from ifonly.rules.intervals import SIGNS, WAYS, Between, Compare, Monotone, Shift
from ifonly.rules.joint.pairs import Determines
from ifonly.rules.joint.products import Products
from ifonly.rules.json import from_plain, to_plain
from ifonly.rules.language.cursor import Reader
from ifonly.rules.language.given import read_rules
from ifonly.rules.language.grammar import read_line
from ifonly.rules.levels import Missing, OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.logic import And, Equivalent, Implies, Not, Or
from ifonly.rules.percent import PercentShift
from ifonly.rules.shorthands import Causes, Forbid, Together
from ifonly.rules.transitions import Takes
from ifonly.space import Categorical, Continuous, Ordinal, Space

PIECES = [
    *("age", "a", "b", "Sales", "none", "yet", "x-y", "Ärztin", "größe", "3", "25", "1e5", "_"),
    *("fixed", "only", "between", "at", "most", "in", "is", "not", "increases", "changes"),
    *("causes", "takes", "of", "and", "or", "if", "then", "forbid", "together", "features", "inf"),
    *(
        ",",
        ":",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        "<",
        "<=",
        "=",
        "=>",
        "->",
        '"',
        "'",
        "\\",
        ".",
        "%",
        "#",
    ),
    *(
        "True",
        "False",
        "nan",
        "None",
        "missing",
        "determines",
        "<=>",
        "\n",
        "\t",
        "\u2028",
        "\xa0",
        "é",
        "日本",
        "",
        " ",
    ),
]
texts = st.one_of(
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), min_size=2, max_size=4).map(" ".join),
    st.lists(st.sampled_from(PIECES), min_size=2, max_size=3).map("".join),
    st.text(max_size=6),
)
bare = st.one_of(
    st.integers(-3, 30), st.booleans(), st.sampled_from([0.5, 1e20, -2.5, 1e-9]), st.integers()
)
numbers = st.one_of(
    st.integers(-50, 50).map(float), st.floats(allow_nan=False, allow_infinity=False)
).map(lambda number: number + 0.0)
amounts = numbers.map(abs)


@st.composite
def several(draw: st.DrawFn, least: int) -> list[str]:
    """Different texts, some of which begin as others do."""
    first = draw(st.lists(texts, min_size=least, max_size=least + 2, unique=True))
    longer = st.tuples(st.sampled_from(first), st.sampled_from(["", " ", ", "]), texts)
    more = draw(st.lists(longer.map("".join), max_size=3))
    return list(dict.fromkeys([*first, *more]))


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Three numbers, a category and an order, under names that are easily mistaken."""
    names = draw(several(5).flatmap(st.permutations))[:5]
    levels = st.tuples(several(1), st.lists(bare | numbers, max_size=3, unique=True)).map(
        lambda both: [*both[0], *both[1]]
    )
    kinds = draw(st.permutations(["number", "number", "number", "category", "order"]))
    features: list[Any] = []
    for name, kind in zip(names, kinds, strict=True):
        if kind == "number":
            features.append(Continuous(name, -100, 100, missing=draw(st.booleans())))
        else:
            category = Ordinal if kind == "order" else Categorical
            features.append(category(name, draw(levels), missing=True))
    return Space(tuple(features))


def leaves(space: Space) -> st.SearchStrategy[Rule]:
    """The rules that have no rules inside."""
    name = st.sampled_from(space.names)
    number = st.sampled_from([f.name for f in space.features if isinstance(f, Continuous)])
    category = st.sampled_from([f for f in space.features if isinstance(f, Categorical)])
    ordered = st.sampled_from([f.name for f in space.features if type(f) is not Categorical])
    named = number.filter(bool)  # a sum has the empty name for a number alone
    ends = st.tuples(numbers, numbers).map(sorted)
    spans = st.tuples(amounts, amounts).map(sorted)
    group = st.lists(name, min_size=1, max_size=4).map(tuple)
    terms = st.lists(
        st.tuples(st.one_of(st.just(1.0), st.just(-1.0), numbers), named | st.just("")), max_size=3
    )
    several_named = st.lists(named, max_size=2)
    factors = st.lists(
        st.tuples(st.just(1.0) | numbers, several_named, several_named), min_size=1, max_size=3
    )
    return st.one_of(
        st.builds(Fixed, name),
        st.builds(Changes, name),
        st.builds(OnlyChange, group),
        st.builds(AtMost, st.integers(0, 9), group | st.just(())),
        st.builds(Steps, number, st.sampled_from([0.5, 1.0, 5.0, 1e-3])),
        st.builds(lambda n, two: Between(n, *two), number, ends),
        st.builds(Between, number, low=numbers),
        st.builds(Between, number, high=numbers | st.sampled_from([math.inf, -math.inf])),
        st.builds(Compare, number, st.sampled_from(SIGNS), numbers),
        st.builds(Monotone, ordered, st.booleans()),
        st.builds(lambda n, way, two: Shift(n, way, *two), ordered, st.sampled_from(WAYS), spans),
        st.builds(Shift, ordered, st.sampled_from(WAYS), amounts),
        st.builds(
            lambda n, way, two: PercentShift(n, way, *two), number, st.sampled_from(WAYS), spans
        ),
        st.builds(Shift, ordered, st.sampled_from(WAYS)),
        category.flatmap(listed),
        category.flatmap(lambda feature: moves(feature, named)),
        category.flatmap(lambda feature: pairs(feature, space)),
        st.builds(Missing, st.sampled_from([f.name for f in space.features if f.missing])),
        st.builds(Causes, name, name),
        st.builds(Together, st.lists(name, min_size=2, max_size=4)),
        st.builds(linear, terms, st.sampled_from(SIGNS), terms),
        st.builds(linear, factors, st.sampled_from(SIGNS), factors, st.just(Products)),
    )


def listed(feature: Categorical) -> st.SearchStrategy[Rule]:
    levels = st.lists(st.sampled_from(feature.levels), min_size=1, max_size=3)
    return st.builds(OneOf, st.just(feature.name), levels, st.booleans())


def moves(feature: Categorical, number: st.SearchStrategy[str]) -> st.SearchStrategy[Rule]:
    level = st.sampled_from(feature.levels)
    timed = st.lists(st.tuples(level, level, amounts), min_size=1, max_size=3)
    free = st.lists(st.tuples(level, level, st.just(0.0)), min_size=1, max_size=3)
    name = st.just(feature.name)
    return st.one_of(
        st.builds(Takes, name, timed, number, st.booleans()),
        st.builds(Takes, name, free, st.just(""), st.booleans()),
    )


def pairs(feature: Categorical, space: Space) -> st.SearchStrategy[Rule]:
    """Some levels, each with a value of another feature."""
    others = st.sampled_from([f for f in space.features if f.name != feature.name])
    levels = st.lists(
        st.sampled_from(feature.levels), min_size=1, max_size=3, unique_by=lambda one: str(one)
    )

    @st.composite
    def drawn(draw: st.DrawFn) -> Rule:
        effect = draw(others)
        values = st.sampled_from(effect.levels) if isinstance(effect, Categorical) else numbers
        listed = [(level, draw(values)) for level in draw(levels)]
        try:
            return Determines(feature.name, effect.name, tuple(listed))
        except RuleError:  # 1 and True, or 1 and 1.0
            reject()

    return drawn()


def linear(left: Any, sign: str, right: Any, kind: Any = Linear) -> Rule:
    """A comparison of two sums that do not cancel out."""
    try:
        return kind(left, sign, right)
    except RuleError:
        reject()


def trees(space: Space) -> st.SearchStrategy[Rule]:
    """Rules inside rules, a few deep."""

    def grown(inner: st.SearchStrategy[Rule]) -> st.SearchStrategy[Rule]:
        parts = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(
            st.builds(And, parts),
            st.builds(Or, parts),
            st.builds(Not, inner),
            st.builds(Implies, inner, inner),
            st.builds(lambda *two: Equivalent(two), inner, inner),
            st.builds(Forbid, st.lists(inner, min_size=1, max_size=3)),
        )

    return st.recursive(leaves(space), grown, max_leaves=5)


@pytest.mark.sample(4)
@given(case=spaces().flatmap(lambda space: st.tuples(st.just(space), trees(space))))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_rule_is_what_its_text_and_its_json_say(case: tuple[Space, Rule]) -> None:
    space, rule = case
    text = str(rule)
    read = read_line(Reader(text, space))  # at the first reading, without a second try
    assert repr(read) == repr(rule), text
    assert str(read) == text
    kept = json.dumps([to_plain(rule)], allow_nan=False)
    assert repr(from_plain(json.loads(kept)[0])) == repr(rule)
    for line in (text, f"{text} # it's so", f"\t{text}\t# {text} # '\"\r"):
        assert read_rules(f"# one\n\n{line}\n", space) == read_rules(kept, space) == (rule,)
