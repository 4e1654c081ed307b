"""Rules as lines of text: how a line is read, and how rules join into one.

    rule        = disjunction [("=>" | "<=>") rule]
    disjunction = conjunction {"or" conjunction}
    conjunction = operand {"and" operand}
    operand     = "(" rule ")" | "not" operand | "if" rule "then" rule
                | "forbid" rule {"," rule} | "only" features "change"
                | "at most" number ("features change" | "of" features "change")
                | relation | feature about
    features    = feature {"," feature}

`verbs.py` has what is said about a feature, `relations.py` the relation. Names and levels are those
of the space, in quotes or not.

    race fixed                           only age, hours_per_week change
    age between 30 and 60                income at most 200000
    occupation in Sales, Service         occupation not Farming
    age only increases                   age changes by at most 5
    hours_per_week in steps of 5         at most 3 features change
    education causes age                 gender and race change together or not at all
    debt + loan <= 0.4 * income          forbid education=Doctorate, age<25
    loan / income <= 0.5                 income changes by at most 10%
    education increases => age increases by at least 2
    if occupation is Sales then hours_per_week >= 40
    education: Bachelors -> Masters takes 2 of age
    garage is none <=> area = 0          garage determines car: none -> no, open -> yes

A group of one-hot columns stands for them by its name (`groups.py`).
Names and levels may hold spaces: the longest that is known is meant. What could be read as
something else stands in quotes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ifonly.errors import RuleError, close
from ifonly.rules.change_rules import AtMost, OnlyChange
from ifonly.rules.language.cursor import Reader, Trouble
from ifonly.rules.language.names import Found
from ifonly.rules.language.relations import number_stands, read_relation
from ifonly.rules.language.verbs import read_about
from ifonly.rules.logic import And, Equivalent, Implies, Not, Or
from ifonly.rules.rule import Rule
from ifonly.rules.shorthands import Forbid
from ifonly.rules.suggested.suggestions import WORD


def read_line(reader: Reader) -> Rule:
    """The rule of a whole line."""
    if not reader.line:
        raise reader.trouble("the line is empty.", "Write a rule, such as 'race fixed'.")
    rule = _rule(reader)
    if reader.stands(")"):
        raise reader.trouble("this bracket was never opened.", "Drop it.")
    if reader.word():
        hint = close(reader.word(), JOINING) or "A rule ends here, or continues with 'and' or 'or'."
        raise reader.trouble(f"{reader.after()}{reader.word()!r} is not expected here.", hint)
    return rule


def _rule(reader: Reader) -> Rule:
    condition = _disjunction(reader)
    if reader.take("<=>"):
        return Equivalent((condition, _rule(reader)))
    return Implies(condition, _rule(reader)) if reader.take("=>") else condition


def _disjunction(reader: Reader) -> Rule:
    parts = [_conjunction(reader)]
    while reader.take("or"):
        parts.append(_conjunction(reader))
    return Or(tuple(parts)) if len(parts) > 1 else parts[0]


def _conjunction(reader: Reader) -> Rule:
    parts = [_operand(reader)]
    while reader.take("and"):
        parts.append(_operand(reader))
    return And(tuple(parts)) if len(parts) > 1 else parts[0]


def _operand(reader: Reader) -> Rule:
    """A rule without 'and' and 'or' outside its brackets, checked against the space."""
    names = reader.names_here()
    options: list[Callable[[Reader], Rule]] = [partial(_about, n) for n in names if n.plain]
    options += [OPENINGS[word] for word in OPENINGS if reader.stands(word)]
    options += [read_relation] * number_stands(reader)
    options += [partial(_about, name) for name in names if not name.plain]
    if not options:
        raise reader.no_feature(*OPENINGS, WORD)
    place = reader.at
    try:
        rule = reader.choose(options)(reader)
        rule.check(reader.space)
    except RuleError as error:
        raise Trouble(error.message, error.hint, place, reader.at) from None
    return rule


def _about(found: Found, reader: Reader) -> Rule:
    reader.move(found.end)
    return read_about(reader, str(found.value))


def _brackets(reader: Reader) -> Rule:
    place, listing = reader.at, reader.listing
    reader.take("(")
    reader.listing = False
    rule = _rule(reader)
    if not reader.take(")"):
        if reader.word():
            hint = "Close the bracket, or continue with 'and' or 'or'."
            raise reader.expected("')'", close(reader.word(), JOINING) or hint)
        raise reader.trouble("this bracket is not closed.", "Close it with ')'.", place)
    reader.listing = listing
    return rule


def _not(reader: Reader) -> Rule:
    reader.take("not")
    return Not(_operand(reader))


def _if(reader: Reader) -> Rule:
    reader.take("if")
    condition = _rule(reader)
    reader.want("then", hint="For example: if age >= 60 then hours <= 40.")
    return Implies(condition, _rule(reader))


def _forbid(reader: Reader) -> Rule:
    reader.take("forbid")
    listing, reader.listing = reader.listing, True
    conditions = [_rule(reader)]
    while reader.take(","):
        conditions.append(_rule(reader))
    reader.listing = listing
    return Forbid(tuple(conditions))


def _only_change(reader: Reader) -> Rule:
    reader.take("only")
    return OnlyChange(_features(reader))


def _at_most(reader: Reader) -> Rule:
    reader.take("at most")
    hint = "For example: at most 3 features change."
    place, count = reader.at, reader.number(hint)
    if not count.is_integer():
        raise reader.trouble(f"{count} features cannot be counted.", "Give a whole number.", place)
    if reader.take("of"):
        return AtMost(int(count), _features(reader))
    reader.want("features", "feature", "of", hint=hint)
    reader.want("change", "changes", hint=hint)
    return AtMost(int(count))


def _features(reader: Reader) -> tuple[str, ...]:
    names = [*reader.columns()]
    while reader.take(","):
        names += reader.columns()
    reader.want("change", "changes", hint="Features are separated by commas.")
    return tuple(names)


JOINING = ("and", "or", "=>", "<=>")
OPENINGS: dict[str, Callable[[Reader], Rule]] = {
    "(": _brackets,
    "not": _not,
    "if": _if,
    "forbid": _forbid,
    "only": _only_change,
    "at most": _at_most,
}
