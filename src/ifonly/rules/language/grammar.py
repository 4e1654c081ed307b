"""How rules join into one, and how those begin that do not begin with a feature.

    rule        = disjunction ["=>" rule]
    disjunction = conjunction {"or" conjunction}
    conjunction = operand {"and" operand}
    operand     = "(" rule ")" | "not" operand | "if" rule "then" rule
                | "forbid" rule {"," rule} | "only" features "change"
                | "at most" number ("features change" | "of" features "change")
                | relation | feature about
    features    = feature {"," feature}

`sums.py` has the relation, `verbs.py` what is said about a feature. Names and levels are those of
the space, in quotes or not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ifonly.errors import RuleError
from ifonly.rules.change_rules import AtMost, OnlyChange
from ifonly.rules.language.cursor import Reader, Trouble, close
from ifonly.rules.language.names import Found
from ifonly.rules.language.sums import number_stands, read_relation
from ifonly.rules.language.verbs import read_about
from ifonly.rules.logic import And, Implies, Not, Or
from ifonly.rules.rule import Rule
from ifonly.rules.shorthands import Forbid


def read_line(reader: Reader) -> Rule:
    """The rule of a whole line."""
    if not reader.line:
        raise reader.trouble("the line is empty.", "Write a rule, such as 'race fixed'.")
    rule = _rule(reader)
    if reader.stands(")"):
        raise reader.trouble("this bracket was never opened.", "Drop it.")
    if reader.word():
        hint = close(reader.word(), JOINING) or "A rule ends here, or goes on with 'and' or 'or'."
        raise reader.trouble(f"{reader.after()}{reader.word()!r} is too much.", hint)
    return rule


def _rule(reader: Reader) -> Rule:
    condition = _disjunction(reader)
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
        raise reader.no_feature(*OPENINGS)
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
            hint = "Close the bracket, or go on with 'and' or 'or'."
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
    names = [reader.name()]
    while reader.take(","):
        names.append(reader.name())
    reader.want("change", "changes", hint="Features are separated by commas.")
    return tuple(names)


JOINING = ("and", "or", "=>")
OPENINGS: dict[str, Callable[[Reader], Rule]] = {
    "(": _brackets,
    "not": _not,
    "if": _if,
    "forbid": _forbid,
    "only": _only_change,
    "at most": _at_most,
}
