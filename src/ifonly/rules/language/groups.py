"""What can stand after the name of columns that are one category, as rules on the columns.

about = "fixed" | "changes" | "causes" feature | ("in" | "is" | "not in" | "is not" | "not") levels
      | ("=" | "==" | "!=") level | {"," feature} "and" feature "change together or not at all"

A level is what a column's name has after the name of the group: `job in clerk, cook` of the columns
`job_clerk` and `job_cook`. An answer sets one column of a group, whatever the rules are.
"""

from __future__ import annotations

from ifonly.rules.change_rules import Changes, Fixed
from ifonly.rules.language.cursor import Reader
from ifonly.rules.levels import OneOf
from ifonly.rules.logic import And, Implies, Or
from ifonly.rules.rule import Rule
from ifonly.rules.shorthands import Causes, Together

FORMS = "fixed · changes · in A, B · not A · causes"
LEVELS = ("in", "is not", "is", "not in", "not", "==", "=", "!=")
VERBS = (*LEVELS, "fixed", "changes", "causes", ",", "and")


def read_group(reader: Reader, name: str) -> Rule:
    """The rule on a group whose name is behind."""
    columns = reader.groups[name].columns
    verbs = [verb for verb in VERBS if reader.stands(verb)]
    if not verbs:
        what = f"a verb for {name!r}, which is a group of columns,"
        raise reader.expected(what, f"After a group of columns: {FORMS}.")
    verb = reader.choose(verbs)
    reader.take(verb)
    if verb in LEVELS:
        levels = reader.levels(name) if verb[0] not in "=!" else [reader.level(name)]
        chosen = [column for column in columns if reader.groups[name].level(column) in levels]
        return _sets(reader, chosen, other="not" in verb or verb == "!=")
    if verb == "fixed":
        return And(tuple(map(Fixed, columns)))
    if verb == "changes":
        return _changes(columns)
    return (
        read_causes(reader, columns) if verb == "causes" else read_together(reader, columns, verb)
    )


def read_causes(reader: Reader, cause: tuple[str, ...]) -> Rule:
    """The rule that features which are behind cause the one that stands here."""
    effect = reader.columns()
    if len(cause) == len(effect) == 1:
        return Causes(*cause, *effect)
    return Implies(_changes(cause), _changes(effect))


def read_together(reader: Reader, first: tuple[str, ...], verb: str) -> Rule:
    """The rule that features change together, after the first of them and a comma or 'and'."""
    hint = "Several can change together; for anything else, write one rule for each."
    listed = [first, reader.columns()]
    while verb == ",":
        verb = reader.want(",", "and", hint=hint)
        listed.append(reader.columns())
    reader.want("change together or not at all", hint=hint)
    if all(len(columns) == 1 for columns in listed):
        return Together(tuple(name for (name,) in listed))
    changes = tuple(map(_changes, listed))
    return Implies(Or.of(*changes), And(changes))


def _changes(columns: tuple[str, ...]) -> Rule:
    return Or(tuple(map(Changes, columns))) if len(columns) > 1 else Changes(*columns)


def _sets(reader: Reader, columns: list[str], *, other: bool) -> Rule:
    """That one of some columns is set or, with `other`, that none is."""
    parts = []
    for column in columns:
        levels = reader.space.features[reader.space.index(column)].levels  # type: ignore[union-attr]
        parts.append(OneOf(column, tuple(level for level in levels if level == (not other))))
    if len(parts) == 1:
        return parts[0]
    return And(tuple(parts)) if other else Or(tuple(parts))
