"""What can stand after a feature, and comparisons of sums.

about  = "fixed" | "changes" [by] | ("increases" | "decreases") [by] | "causes" feature
       | "only" ("increases" | "decreases") | ["only"] ":" move {"," move} ["of" feature]
       | "between" number "and" number | ("at most" | "at least") number
       | "in steps of" number | "is missing" | "determines" feature ":" pair {"," pair}
       | ("in" | "is" | "not in" | "is not" | "not") level {"," level}
       | ("=" | "==" | "!=") level | {"," feature} "and" feature "change together or not at all"
by     = "by" ("at least" number | "at most" number | "between" number "and" number)
move   = level "->" level ["takes" number]            pair = level "->" (level | number)

    relation = sum sign sum              sign = "<" | "<=" | "=" | "==" | ">=" | ">"
    sum      = ["-"] term {("+" | "-") term}
    term     = number | [number "*"] feature | feature "*" number

A feature without a factor, compared with one number, is a `Compare`; all else is `Linear`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ifonly.errors import close
from ifonly.rules.change_rules import Changes, Fixed, Steps
from ifonly.rules.intervals import Between, Compare, Monotone, Shift
from ifonly.rules.joint.pairs import Determines
from ifonly.rules.language.cursor import Reader
from ifonly.rules.language.dates import limit_text
from ifonly.rules.language.names import NUMBER, Found, name_text
from ifonly.rules.levels import Missing, OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.rule import Rule
from ifonly.rules.shorthands import Causes, Together
from ifonly.rules.transitions import Move, Takes
from ifonly.space import Categorical

FORMS = (
    "fixed · changes · only increases · increases by at least 2 · between 30 and 60 · at most 5 · "
    "in A, B · not A · in steps of 5 · <= 5 · causes"
)
MEANT = {"=>": ">=", "=<": "<=", "≤": "<=", "≥": ">=", "≠": "!=", "<>": "!=", "!": "!="}


def read_about(reader: Reader, name: str) -> Rule:
    """The rule on a feature whose name is behind."""
    levels = isinstance(reader.space.features[reader.space.index(name)], Categorical)
    verbs = [verb for verb in VERBS if reader.stands(verb)]
    if verbs:
        verb = reader.choose(verbs)
        reader.take(verb)
        return VERBS[verb](reader, name, verb)
    if levels and reader.stands("=", "==", "!="):
        sign = reader.take("=", "==", "!=")
        return OneOf(name, (reader.level(name),), other=sign == "!=")
    if reader.stands(*SIGNS, "+", "-", "*"):
        return read_relation(reader, name)
    word = reader.word()
    if not word:
        raise reader.expected("a verb", f"After a feature: {FORMS}.")
    if word in MEANT:
        hint = f"Did you mean {MEANT[word]!r}?"
    else:
        pair = " ".join(reader.line[reader.at :].split()[:2])
        near = close(word, tuple(VERBS)) or close(pair, tuple(VERBS))
        hint = near or f"After a feature: {FORMS}."
    raise reader.trouble(f"{reader.after()}{word!r} is not a verb of a rule.", hint)


def _between(reader: Reader, name: str, verb: str) -> Rule:
    _only_numbers(reader, name, verb)
    return Between(name, *_ends(reader, name_text(name), verb))


def _steps(reader: Reader, name: str, verb: str) -> Rule:
    _only_numbers(reader, name, verb)
    return Steps(name, reader.number(f"For example: {name_text(name)} in steps of 5."))


def _shift(reader: Reader, name: str, verb: str) -> Rule:
    if not reader.take("by"):
        return Changes(name) if verb == "changes" else Shift(name, verb)
    hint = f"For example: {name_text(name)} {verb} by at least 2."
    how = reader.want("at least", "at most", "between", hint=hint)
    least, most = _ends(reader, f"{name_text(name)} {verb} by", how)
    return Shift(name, verb, max(least, 0.0) if how == "at most" else least, most)


def _ends(reader: Reader, start: str, how: str) -> tuple[float, float]:
    """The lowest and the highest number of 'between', 'at least' and 'at most'."""
    if how == "between":
        hint = f"For example: {start} between 30 and 60."
        low = reader.number(hint)
        reader.want("and", hint=hint)
        return low, reader.number(hint)
    number = reader.number(f"For example: {start} {how} 5.")
    return (number, math.inf) if how == "at least" else (-math.inf, number)


def _only(reader: Reader, name: str, verb: str) -> Rule:
    hint = f"For example: {name_text(name)} only increases."
    way = reader.want("increases", "decreases", ":", hint=hint)
    return _moves(reader, name, "only") if way == ":" else Monotone(name, up=way == "increases")


def _moves(reader: Reader, name: str, verb: str) -> Rule:
    _only_levels(reader, name, verb)
    moves = [_move(reader, name)]
    while reader.another(name):
        moves.append(_move(reader, name))
    if any(time for *_, time in moves) and not reader.stands("of"):
        raise reader.expected("'of'", "Say which number the time is of: takes 2 of age.")
    of = reader.name() if reader.take("of") else ""
    return Takes(name, tuple(moves), of, only=verb == "only")


def _move(reader: Reader, name: str) -> Move:
    before = reader.level(name)
    reader.want("->", hint="For example: Bachelors -> Masters takes 2.")
    after = reader.level(name)
    return before, after, reader.number("A time, such as 2.") if reader.take("takes") else 0.0


def _determines(reader: Reader, name: str, verb: str) -> Rule:
    _only_levels(reader, name, verb)
    hint = f"For example: {name_text(name)} determines grade: A -> 1, B -> 2."
    effect = reader.name()
    number = not isinstance(reader.space.features[reader.space.index(effect)], Categorical)
    reader.want(":", hint=hint)
    pairs: list[tuple[Any, Any]] = []
    while not pairs or reader.another(name):
        level = reader.level(name)
        reader.want("->", hint=hint)
        pairs.append((level, reader.number(hint) if number else reader.level(effect)))
    return Determines(name, effect, tuple(pairs))


def _one_of(reader: Reader, name: str, verb: str) -> Rule:
    _only_levels(reader, name, verb)
    levels = [reader.level(name)]
    while reader.another(name):
        levels.append(reader.level(name))
    return OneOf(name, tuple(levels), other="not" in verb)


def _together(reader: Reader, name: str, verb: str) -> Rule:
    hint = "Several can change together; for anything else, write one rule for each."
    names = [name, reader.name()]
    while verb == ",":
        verb = reader.want(",", "and", hint=hint)
        names.append(reader.name())
    reader.want("change together or not at all", hint=hint)
    return Together(tuple(names))


def _only_numbers(reader: Reader, name: str, verb: str) -> None:
    feature = reader.space.features[reader.space.index(name)]
    if isinstance(feature, Categorical):
        raise reader.trouble(
            f"{name!r} has levels, and {verb!r} bounds a number.",
            f"Name the allowed ones: '{name_text(name)} in {feature.levels[0]}, …'.",
            reader.last[0],
        )


def _only_levels(reader: Reader, name: str, verb: str) -> None:
    feature = reader.space.features[reader.space.index(name)]
    if not isinstance(feature, Categorical):
        low, high = (limit_text(feature.column, end) for end in (feature.low, feature.high))
        raise reader.trouble(
            f"{name!r} is a number, and {verb!r} is for levels.",
            f"Compare it, as in '{name_text(name)} = {low}', or bound it: "
            f"'{name_text(name)} between {low} and {high}'.",
            reader.last[0],
        )


VERBS: dict[str, Callable[[Reader, str, str], Rule]] = {
    "fixed": lambda reader, name, verb: Fixed(name),
    "changes": _shift,
    "increases": _shift,
    "decreases": _shift,
    "only": _only,
    "between": _between,
    "at most": _between,
    "at least": _between,
    "in steps of": _steps,
    "is missing": lambda reader, name, verb: Missing(name),
    "determines": _determines,
    "in": _one_of,
    "is not": _one_of,
    "is": _one_of,
    "not in": _one_of,
    "not": _one_of,
    "causes": lambda reader, name, verb: Causes(name, reader.name()),
    ":": _moves,
    ",": _together,
    "and": _together,
}


SIGNS = ("<=", ">=", "==", "!=", "=", "<", ">")
TURNED = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}

Part = tuple[float, str, bool]
"""A number, the feature that it multiplies or nothing, and whether the feature stands alone."""


def read_relation(reader: Reader, first: str | None = None) -> Rule:
    """The comparison that stands here, or goes on here after its first feature."""
    left = _sum(reader, first)
    place, sign = reader.at, reader.take(*SIGNS)
    if not sign:
        raise reader.expected("a sign", "Compare with <, <=, =, >= or >.")
    if sign == "!=":
        raise reader.trouble("'!=' is for levels.", "Write 'not (... = ...)'.", place)
    if sign == "=" and reader.stands("<"):
        raise reader.trouble("'=<' is not a comparison sign.", "Did you mean '<='?", place)
    sign = "=" if sign == "==" else sign
    right = _sum(reader)
    if reader.stands(*SIGNS):
        raise reader.trouble(
            f"{reader.after()}a second {reader.word()!r} follows.",
            "A rule compares two sides: write 'age between 30 and 60', or two rules with 'and'.",
        )
    for one, other, way in ((left, right, sign), (right, left, TURNED[sign])):
        if len(one) == len(other) == 1 and one[0][2] and not any(other[0][1:]):
            return Compare(one[0][1], way, other[0][0])
    return Linear(tuple(p[:2] for p in left), sign, tuple(p[:2] for p in right))


def number_stands(reader: Reader) -> bool:
    """Whether a number stands here, or the minus of a sum."""
    there = NUMBER.match(reader.line, reader.at) or reader.stands("-")
    return bool(there or reader.date())


def _sum(reader: Reader, first: str | None = None) -> list[Part]:
    parts = [_term(reader) if first is None else _feature(reader, first)]
    while sign := reader.take("+", "-"):
        times, name, _ = _term(reader)
        parts.append((times if sign == "+" else -times, name, False))
    return parts


def _term(reader: Reader) -> Part:
    names = reader.names_here()
    options: list[Found | None] = [name for name in names if name.plain]
    options += [None] * number_stands(reader)
    options += [name for name in names if not name.plain]
    if not options:
        raise reader.no_feature(what="a number or a feature")
    found = reader.choose(options)
    if found is not None:
        reader.move(found.end)
        return _feature(reader, str(found.value))
    if not (NUMBER.match(reader.line, reader.at) or reader.date()) and reader.take("-"):
        times, name, _ = _term(reader)
        return -times, name, False
    number = reader.number("For example: debt + loan <= 0.4 * income.")
    if not reader.take("*"):
        return number, "", False
    return number, _numeric(reader, reader.name()), False


def _feature(reader: Reader, name: str) -> Part:
    """The term of a feature whose name is behind."""
    _numeric(reader, name)
    if reader.take("*"):
        return reader.number("Write the number first: 0.4 * income."), name, False
    return 1.0, name, True


def _numeric(reader: Reader, name: str) -> str:
    feature = reader.space.features[reader.space.index(name)]
    if isinstance(feature, Categorical):
        raise reader.trouble(
            f"{name!r} has levels, and only numbers are compared and added.",
            f"Name the allowed ones: '{name_text(name)} in {feature.levels[0]}, …'.",
            reader.last[0],
        )
    return name
