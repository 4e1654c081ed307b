"""How a comparison of sums is read: `debt + loan <= 0.4 * income`, `age >= 30`, `40 < hours`.

    relation = sum sign sum              sign = "<" | "<=" | "=" | "==" | ">=" | ">"
    sum      = ["-"] term {("+" | "-") term}
    term     = number | [number "*"] feature | feature "*" number

A feature without a factor, compared with one number, is a `Compare`; all else is `Linear`.
"""

from __future__ import annotations

from ifonly.rules.intervals import Compare
from ifonly.rules.language.cursor import Reader
from ifonly.rules.language.names import NUMBER, Found
from ifonly.rules.language.spelling import name_text
from ifonly.rules.linear import Linear
from ifonly.rules.rule import Rule
from ifonly.space import Categorical

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
        raise reader.trouble("'=<' is no sign.", "Did you mean '<='?", place)
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
    return bool(NUMBER.match(reader.line, reader.at) or reader.stands("-"))


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
    if not NUMBER.match(reader.line, reader.at) and reader.take("-"):
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
