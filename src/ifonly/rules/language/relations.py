"""Comparisons of sums, products and ratios.

    relation = sum sign sum              sign = "<" | "<=" | "=" | "==" | ">=" | ">"
    sum      = ["-"] term {("+" | "-") term}
    term     = factor {("*" | "/") factor}                factor = number | feature

A feature without a factor, compared with one number, is a `Compare`, sums of features with their
factors are `Linear`, all else is `Products`. A feature is a number, or has the levels 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ifonly.rules.intervals import Compare
from ifonly.rules.joint.products import TURNED, Product, Products
from ifonly.rules.language.cursor import Reader
from ifonly.rules.language.dates import Written
from ifonly.rules.language.names import NUMBER, Found, name_text
from ifonly.rules.linear import Linear
from ifonly.rules.rule import Rule
from ifonly.rules.scene import is_flag
from ifonly.space import Categorical, Feature

SIGNS = ("<=", ">=", "==", "!=", "=", "<", ">")


@dataclass(frozen=True)
class Part:
    """A number, the features that multiply it and those that divide it."""

    times: float = 1.0
    over: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    alone: bool = False
    """Whether it is one feature and nothing else."""

    @property
    def bare(self) -> bool:
        """Whether it is a number and nothing else."""
        return not self.over and not self.under


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
        single = len(one) == len(other) == 1 and one[0].alone
        if single and other[0].bare and not is_flag(_feature(reader, one[0].over[0])):
            return Compare(one[0].over[0], way, other[0].times)
    if all(len(part.over) < 2 and not part.under for part in (*left, *right)):
        return Linear(_linear(left), sign, _linear(right))
    return Products(_products(left), sign, _products(right))


def number_stands(reader: Reader) -> bool:
    """Whether a number stands here, or the minus of a sum."""
    return _number_here(reader) or bool(reader.stands("-"))


def _number_here(reader: Reader) -> bool:
    return bool(NUMBER.match(reader.line, reader.at) or reader.date())


def _linear(parts: list[Part]) -> tuple[tuple[float, str], ...]:
    return tuple((part.times, part.over[0] if part.over else "") for part in parts)


def _products(parts: list[Part]) -> tuple[Product, ...]:
    return tuple((part.times, part.over, part.under) for part in parts)


def _sum(reader: Reader, first: str | None = None) -> list[Part]:
    parts = [_term(reader) if first is None else _product(reader, _numeric(reader, first))]
    while sign := reader.take("+", "-"):
        part = _term(reader)
        parts.append(replace(part, times=part.times if sign == "+" else -part.times, alone=False))
    return parts


def _term(reader: Reader) -> Part:
    found = _chosen(reader, number=number_stands(reader))
    if found is None and not _number_here(reader) and reader.take("-"):
        part = _term(reader)
        return replace(part, times=-part.times, alone=False)
    return _product(reader, _factor(reader, found))


def _product(reader: Reader, first: float | str) -> Part:
    """The term whose first factor is behind."""
    part = Part(first) if isinstance(first, float) else Part(over=(first,), alone=True)
    while sign := reader.take("*", "/"):
        place = reader.at
        factor = _factor(reader, _chosen(reader, number=_number_here(reader)))
        if isinstance(first, Written) or isinstance(factor, Written):
            hint = "For example: end - start <= 30 days."
            raise reader.trouble("dates and durations are not multiplied or divided.", hint, place)
        part = replace(part, alone=False)
        if isinstance(factor, float):
            if sign == "/" and not factor:
                hint = "Divide by another number."
                raise reader.trouble("nothing can be divided by 0.", hint, place)
            part = replace(part, times=part.times * factor if sign == "*" else part.times / factor)
        elif sign == "*":
            part = replace(part, over=(*part.over, factor))
        else:
            part = replace(part, under=(*part.under, factor))
    return part


def _chosen(reader: Reader, *, number: bool) -> Found | None:
    """The feature that stands here; None for a number, where one can be read."""
    names = reader.names_here()
    options: list[Found | None] = [name for name in names if name.plain]
    options += [None] * number
    options += [name for name in names if not name.plain]
    if not options:
        raise reader.no_feature(what="a number or a feature")
    return reader.choose(options)


def _factor(reader: Reader, found: Found | None) -> float | str:
    if found is None:
        return reader.number("For example: debt + loan <= 0.4 * income.")
    reader.move(found.end)
    return _numeric(reader, str(found.value))


def _numeric(reader: Reader, name: str) -> str:
    if name in reader.groups:
        columns = map(name_text, reader.groups[name].columns[:2])
        raise reader.trouble(
            f"{name!r} is a group of columns, and only numbers are compared and added.",
            f"Add up its columns: {' + '.join(columns)}.",
            reader.last[0],
        )
    feature = _feature(reader, name)
    if isinstance(feature, Categorical) and not is_flag(feature):
        raise reader.trouble(
            f"{name!r} has levels, and only numbers are compared and added.",
            f"Name the allowed ones: '{name_text(name)} in {feature.levels[0]}, …'.",
            reader.last[0],
        )
    return name


def _feature(reader: Reader, name: str) -> Feature:
    return reader.space.features[reader.space.index(name)]
