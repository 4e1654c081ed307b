"""Rules as rows of a program, for one row's answer.

A rule is broken only where it is false, so it is stated as 'not false'; `not` goes down to the
leaves, where an odd number of nots makes it 'not true'.
"""

from __future__ import annotations

from ifonly.errors import RuleError
from ifonly.rules import Rule
from ifonly.rules.change_rules import AtMost, Changes, Fixed, OnlyChange, Steps
from ifonly.rules.intervals import Bounded
from ifonly.rules.levels import OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.logic import And, Implies, Not, Or
from ifonly.rules.shorthands import Meaning
from ifonly.rules.transitions import Takes
from ifonly.search.exact.program.expression import YES, Affine
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program
from ifonly.search.exact.rules.formula import Formula, all_of, any_of, imply
from ifonly.search.exact.rules.leaves import counted, related, stepped, timed, valued


def state(program: Program, row: Row, rule: Rule, when: Affine = YES) -> None:
    """State in a program that a rule holds for a row's answer; where `when` is 1, if it is given.

    A feature that the rule names does not go missing.
    """
    named = [row.parts[row.space.index(name)] for name in rule.names]
    there = [1.0 - part.missing for part in named]
    imply(program, when, all_of([*there, lowered(rule, row)]))


def lowered(rule: Rule, row: Row, wanted: bool = True) -> Formula:
    """That a rule is not false of an answer or, where it is not wanted, that it is not true."""
    match rule:
        case Not():
            return lowered(rule.rule, row, not wanted)
        case Meaning():
            return lowered(rule.meaning, row, wanted)
        case Implies():
            parts = [
                lowered(rule.condition, row, not wanted),
                lowered(rule.consequence, row, wanted),
            ]
            return any_of(parts) if wanted else all_of(parts)
        case And() | Or():
            parts = [lowered(part, row, wanted) for part in rule.parts]
            return all_of(parts) if isinstance(rule, And) == wanted else any_of(parts)
        case Fixed() | Changes():
            part = row.parts[row.space.index(rule.name)]
            return part.changes if isinstance(rule, Changes) == wanted else part.stays
        case OnlyChange():
            named = zip(row.space.names, row.parts, strict=True)
            return counted(0, [part for name, part in named if name not in rule.features], wanted)
        case AtMost():
            return counted(rule.count, [row.parts[j] for j in rule.columns(row.space)], wanted)
        case Bounded() | OneOf():
            return valued(rule, row, wanted)
        case Steps():
            return stepped(rule, row, wanted)
        case Takes():
            return timed(rule, row, wanted)
        case Linear():
            return related(rule, row, wanted)
    raise RuleError(
        f"The rule '{rule}' is a {type(rule).__name__}, which no solver can be told.",
        "State it with the rules of ifonly's own.",
    )
