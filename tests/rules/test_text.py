"""Every form of a rule is read as what it says, and written as it was."""

from __future__ import annotations

import json
import math

import pytest

from ifonly.rules import Rule, parse
from ifonly.rules.change_rules import AtMost, Changes, Fixed, OnlyChange, Steps
from ifonly.rules.intervals import Between, Compare, Monotone, Shift
from ifonly.rules.joint.pairs import Determines
from ifonly.rules.joint.products import Products
from ifonly.rules.json import from_plain, kinds, to_plain
from ifonly.rules.levels import Missing, OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.logic import And, Equivalent, Implies, Not, Or
from ifonly.rules.percent import PercentShift
from ifonly.rules.shorthands import Causes, Forbid, Together
from ifonly.rules.transitions import Takes
from ifonly.space import Space

SALES = OneOf("occupation", ("Sales",))
BOTH = OneOf("occupation", ("Sales", "Service"))
OLD, LONG = Compare("age", ">", 30), Compare("hours_per_week", ">=", 40)
AGE, DEBT, RACE = Fixed("age"), Fixed("debt"), Fixed("race")

CANONICAL: dict[str, Rule] = {
    "race fixed": RACE,
    "only age, hours_per_week change": OnlyChange(("age", "hours_per_week")),
    "age between 30 and 60": Between("age", 30, 60),
    "age between -inf and inf": Between("age"),
    "income between 0.5 and 1e+20": Between("income", 0.5, 1e20),
    "income at most 200000": Between("income", high=200_000),
    "income at least -0.5": Between("income", low=-0.5),
    "occupation in Sales, Service": BOTH,
    "occupation is Sales": SALES,
    "occupation not Farming": OneOf("occupation", ("Farming",), other=True),
    "occupation not in Farming, Sales": OneOf("occupation", ("Farming", "Sales"), other=True),
    'occupation in "none, yet", none': OneOf("occupation", ("none, yet", "none")),
    'plan in 1, 2.5, "10", 10, "3 years"': OneOf("plan", (1, 2.5, "10", 10, "3 years")),
    'plan not "in between"': OneOf("plan", ("in between",), other=True),
    "married is True": OneOf("married", (True,)),
    'plan is "True"': OneOf("plan", ("True",)),
    "age only increases": Monotone("age", up=True),
    "debt only decreases": Monotone("debt", up=False),
    "education only increases": Monotone("education", up=True),
    "age increases": Shift("age", "increases"),
    "age decreases": Shift("age", "decreases"),
    "age increases by between 2 and 5": Shift("age", "increases", 2, 5),
    "age changes": Changes("age"),
    "age changes by at most 5": Shift("age", "changes", most=5),
    "age changes by at least 2": Shift("age", "changes", least=2),
    "age changes by at least 0": Shift("age", "changes"),
    "hours_per_week in steps of 5": Steps("hours_per_week", 5),
    "at most 3 features change": AtMost(3),
    "at most 1 feature changes": AtMost(1),
    "at most 1 of age, debt, loan change": AtMost(1, ("age", "debt", "loan")),
    "gender and race change together or not at all": Together(("gender", "race")),
    "age, gender and race change together or not at all": Together(("age", "gender", "race")),
    "occupation is Sales <=> hours_per_week >= 40": Equivalent((SALES, LONG)),
    "age > 30 <=> (race fixed and debt fixed)": Equivalent((OLD, And((RACE, DEBT)))),
    "education determines age: School -> 9, Masters -> 14.5": Determines(
        "education", "age", (("School", 9.0), ("Masters", 14.5))
    ),
    'occupation determines plan: Sales -> 1, "none, yet" -> "10"': Determines(
        "occupation", "plan", (("Sales", 1), ("none, yet", "10"))
    ),
    "referee is missing": Missing("referee"),
    'referee is "missing"': OneOf("referee", ("missing",)),
    "education causes age": Causes("education", "age"),
    "education: Bachelors -> Masters takes 2 of age": Takes(
        "education", (("Bachelors", "Masters", 2),), "age"
    ),
    "education: HS-grad -> Bachelors takes 4, Bachelors -> Masters takes 2 of age": Takes(
        "education", (("HS-grad", "Bachelors", 4), ("Bachelors", "Masters", 2)), "age"
    ),
    "education only: School -> HS-grad takes 2, HS-grad -> Bachelors of age": Takes(
        "education", (("School", "HS-grad", 2), ("HS-grad", "Bachelors", 0)), "age", only=True
    ),
    "education only: School -> HS-grad": Takes("education", (("School", "HS-grad", 0),), only=True),
    "hours_per_week >= 40": LONG,
    "1 * age > 30": Linear(((1, "age"),), ">", ((30, ""),)),
    "30 < 1 * age": Linear(((30, ""),), "<", ((1, "age"),)),
    "debt + loan <= 0.4 * income": Linear(((1, "debt"), (1, "loan")), "<=", ((0.4, "income"),)),
    "-debt - 2 * loan + 3 = income - 1e-07": Linear(
        ((-1, "debt"), (-2, "loan"), (3, "")), "=", ((1, "income"), (-1e-7, ""))
    ),
    "income changes by at most 10%": PercentShift("income", "changes", most=10),
    "income increases by between 2.5% and 10%": PercentShift("income", "increases", 2.5, 10),
    "loan / income <= 0.5": Products(((1, ("loan",), ("income",)),), "<=", ((0.5, (), ()),)),
    "-2 * debt * loan / income + 1 / age = debt - 3": Products(
        ((-2, ("debt", "loan"), ("income",)), (1, (), ("age",))),
        "=",
        ((1, ("debt",), ()), (-3, (), ())),
    ),
    "married + debt <= 1": Linear(((1, "married"), (1, "debt")), "<=", ((1, ""),)),
    "words_unique <= words": Linear(((1, "words_unique"),), "<=", ((1, "words"),)),
    '"age at start" <= age': Linear(((1, "age at start"),), "<=", ((1, "age"),)),
    "education increases => age increases by at least 2": Implies(
        Shift("education", "increases"), Shift("age", "increases", 2)
    ),
    "if occupation is Sales then hours_per_week >= 40": Implies(SALES, LONG),
    "if (occupation in Sales, Service and age > 30) then hours_per_week >= 40": Implies(
        And((BOTH, OLD)), LONG
    ),
    "if (if age > 30 then debt fixed) then (age changes => race changes)": Implies(
        Implies(OLD, DEBT), Implies(Changes("age"), Changes("race"))
    ),
    "forbid education=Doctorate, age<25": Forbid(
        (OneOf("education", ("Doctorate",)), Compare("age", "<", 25))
    ),
    "forbid (occupation in Sales, Service), not (age fixed), age=-5": Forbid(
        (BOTH, Not(AGE), Compare("age", "=", -5))
    ),
    "(age fixed and debt fixed) or not (age > 30)": Or((And((AGE, DEBT)), Not(OLD))),
    "age fixed and (debt fixed or race fixed)": And((AGE, Or((DEBT, RACE)))),
    "(age fixed and debt fixed) and race fixed": And((And((AGE, DEBT)), RACE)),
    "not (not (age fixed))": Not(Not(AGE)),
    "(forbid age>30, married=True) and race fixed": And(
        (Forbid((OLD, OneOf("married", (True,)))), RACE)
    ),
}

OTHER_WORDS = {
    "  age\t between  30 and   60 ": "age between 30 and 60",
    "age between 3e1 and +60.": "age between 30 and 60",
    "income at most .5": "income at most 0.5",
    "occupation in Sales": "occupation is Sales",
    "occupation is Sales, Service": "occupation in Sales, Service",
    "occupation = Sales": "occupation is Sales",
    "occupation == Sales": "occupation is Sales",
    "occupation != Sales": "occupation not Sales",
    "occupation is not Sales": "occupation not Sales",
    "occupation not in Sales": "occupation not Sales",
    "occupation in none, yet, Sales": 'occupation in "none, yet", Sales',
    "occupation in none, Sales": "occupation in none, Sales",
    "occupation is on and off and age fixed": 'occupation is "on and off" and age fixed',
    "'occupation' is \"Sales\"": "occupation is Sales",
    "plan in 1.0, 3 years": 'plan in 1, "3 years"',
    "plan not in between": 'plan not "in between"',
    "plan in 1 - 2, 1": 'plan in "1 - 2", 1',
    "age at start fixed": '"age at start" fixed',
    "age at start at most 5": '"age at start" at most 5',
    "only age at start, age change": 'only "age at start", age change',
    "income changes by at most 10 percent": "income changes by at most 10%",
    "income increases by between 5 and 10 %": "income increases by between 5% and 10%",
    "loan/income<=.5": "loan / income <= 0.5",
    "income / 2 >= loan": "0.5 * income >= loan",
    "loan * 2 * debt <= income": "2 * loan * debt <= income",
    "debt / loan / age <= - 3": "debt / loan / age <= -3",
    "married = 1": "married is True",
    "married != 0": "married not False",
    "married >= 1": "1 * married >= 1",
    "occupation in {Sales, Service}": "occupation in Sales, Service",
    "age==30": "age = 30",
    "30 <= age": "age >= 30",
    "age<-5": "age < -5",
    "age * 2 >= 3": "2 * age >= 3",
    "-1 * age >= -3 + 2": "-age >= -3 + 2",
    "debt-loan <= - 3": "debt - loan <= -3",
    "debt + -2 * loan <= age": "debt - 2 * loan <= age",
    "age fixed => race fixed": "if age fixed then race fixed",
    "if age changes then race changes": "age changes => race changes",
    "age fixed or debt fixed and race fixed": "age fixed or (debt fixed and race fixed)",
    "age fixed and debt fixed or race fixed": "(age fixed and debt fixed) or race fixed",
    "(((age fixed)))": "age fixed",
    "not age fixed and race fixed": "not (age fixed) and race fixed",
    "if age > 3 then age fixed or race fixed": "if age > 3 then (age fixed or race fixed)",
    "(if age > 3 then age fixed) or race fixed": "(if age > 3 then age fixed) or race fixed",
    "age changes => age fixed => debt fixed": "if age changes then (if age fixed then debt fixed)",
    "forbid occupation in Sales, none, age < 5": "forbid (occupation in Sales, none), age<5",
    "forbid education: School -> Masters, age<25": "forbid education: School -> Masters, age<25",
    "forbid age > 3 and debt > 4, race = White": "forbid (age > 3 and debt > 4), race=White",
    "race fixed and gender and race change together or not at all": (
        "race fixed and (gender and race change together or not at all)"
    ),
    "at most 2 feature changes": "at most 2 features change",
    "education: School->HS-grad takes 2 of age": "education: School -> HS-grad takes 2 of age",
}


@pytest.mark.parametrize("line", CANONICAL)
def test_a_line_is_read_written_and_kept_as_json_without_loss(line: str, people: Space) -> None:
    rule = parse(line, people)
    assert repr(rule) == repr(CANONICAL[line])
    kept = from_plain(json.loads(json.dumps(to_plain(rule), allow_nan=False)))
    assert repr(kept) == repr(rule)
    assert str(kept) == str(rule) == line


@pytest.mark.parametrize("line", OTHER_WORDS)
def test_a_line_in_other_words_is_written_in_the_usual_ones(line: str, people: Space) -> None:
    rule = parse(line, people)
    assert str(rule) == OTHER_WORDS[line]
    assert repr(parse(str(rule), people)) == repr(rule)


def test_every_kind_of_rule_is_among_the_lines() -> None:
    own = {kind for kind in kinds().values() if kind.__module__.startswith("ifonly.")}
    assert {type(rule) for rule in CANONICAL.values()} == own


def test_open_ends_are_infinite(people: Space) -> None:
    assert parse("age at most inf", people) == Between("age", -math.inf, math.inf)
