"""What can stand after a feature.

about  = "fixed" | "changes" [by] | ("increases" | "decreases") [by] | "causes" feature
       | "only" ("increases" | "decreases") | ["only"] ":" move {"," move} ["of" feature]
       | "between" number "and" number | ("at most" | "at least") number
       | "in steps of" number | "is missing" | "determines" feature ":" pair {"," pair}
       | ("in" | "is" | "not in" | "is not" | "not") level {"," level}
       | ("=" | "==" | "!=") level | {"," feature} "and" feature "change together or not at all"
by     = "by" ("at least" amount | "at most" amount | "between" amount "and" amount)
amount = number ["%"]
move   = level "->" level ["takes" number]            pair = level "->" (level | number)

An amount in percent is a share of the row's own value. `relations.py` has comparisons, `groups.py`
what can stand after the name of a group of columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ifonly.errors import close
from ifonly.rules.change_rules import Changes, Fixed, Steps
from ifonly.rules.intervals import Between, Monotone, Shift
from ifonly.rules.joint.pairs import Determines
from ifonly.rules.language.cursor import Reader
from ifonly.rules.language.dates import limit_text
from ifonly.rules.language.groups import read_causes, read_group, read_together
from ifonly.rules.language.meant import MODAL
from ifonly.rules.language.names import name_text
from ifonly.rules.language.relations import SIGNS, read_relation
from ifonly.rules.levels import Missing, OneOf
from ifonly.rules.percent import PercentShift
from ifonly.rules.rule import Rule
from ifonly.rules.transitions import Move, Takes
from ifonly.space import Categorical

FORMS = (
    "fixed · changes · only increases · increases by at least 2 · between 30 and 60 · at most 5 · "
    "in A, B · not A · in steps of 5 · <= 5 · causes"
)
MEANT = {"=>": ">=", "=<": "<=", "≤": "<=", "≥": ">=", "≠": "!=", "<>": "!=", "!": "!="}


def read_about(reader: Reader, name: str) -> Rule:
    """The rule on a feature, or a group of columns, whose name is behind."""
    if name in reader.groups:
        return read_group(reader, name)
    levels = isinstance(reader.space.features[reader.space.index(name)], Categorical)
    verbs = [verb for verb in VERBS if reader.stands(verb)]
    if verbs:
        verb = reader.choose(verbs)
        reader.take(verb)
        return VERBS[verb](reader, name, verb)
    if levels and reader.stands("=", "==", "!="):
        sign = reader.take("=", "==", "!=")
        return OneOf(name, (reader.level(name),), other=sign == "!=")
    if reader.stands(*SIGNS, "+", "-", "*", "/"):
        return read_relation(reader, name)
    word = reader.word()
    if not word:
        raise reader.expected("a verb", f"After a feature: {FORMS}.")
    if word in MEANT:
        hint = f"Did you mean {MEANT[word]!r}?"
    else:
        pair = " ".join(reader.line[reader.at :].split()[:2])
        near = close(word, tuple(VERBS)) or close(pair, tuple(VERBS))
        # 'can' is near to 'and', and means neither that nor 'changes'.
        hint = near if near and word not in MODAL else f"After a feature: {FORMS}."
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
    percent: list[bool] = []

    def amount(hint: str) -> float:
        number = reader.number(hint)
        percent.append(bool(reader.take("%", "percent")))
        return number

    least, most = _ends(reader, f"{name_text(name)} {verb} by", how, amount)
    kind = PercentShift if percent[-1] else Shift
    if percent[0] and not percent[-1]:
        raise reader.expected("'%'", "Give both amounts in percent, or none.")
    return kind(name, verb, max(least, 0.0) if how == "at most" else least, most)


def _ends(
    reader: Reader, start: str, how: str, number: Callable[[str], float] | None = None
) -> tuple[float, float]:
    """The lowest and the highest number of 'between', 'at least' and 'at most'."""
    number = number or reader.number
    if how == "between":
        hint = f"For example: {start} between 30 and 60."
        low = number(hint)
        reader.want("and", hint=hint)
        return low, number(hint)
    end = number(f"For example: {start} {how} 5.")
    return (end, math.inf) if how == "at least" else (-math.inf, end)


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
    return OneOf(name, tuple(reader.levels(name)), other="not" in verb)


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
    "causes": lambda reader, name, verb: read_causes(reader, (name,)),
    ":": _moves,
    ",": lambda reader, name, verb: read_together(reader, (name,), verb),
    "and": lambda reader, name, verb: read_together(reader, (name,), verb),
}
