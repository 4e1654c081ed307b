"""What a user states on the command line: rules of single rows, orders of levels, prices.

    --row-rule "3: income at most 30000"
    --ordinal "education: School, HS-grad, Bachelors"
    --weight "age=2"        --weight "income=up 3, down 1"
    --tolerance income=500  --tolerance 0.1

Names and levels that hold a comma, a colon or a sign stand in quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ifonly.demands.robust import Robust
from ifonly.errors import OptionError, TargetError
from ifonly.models.files.load import load_model
from ifonly.search import Engine
from ifonly.solve.method import MethodLike
from ifonly.space import Cost, cost
from ifonly.tables.orders import named, number_of, once, parts

_ROW_RULE = re.compile(r"\s*([+-]?\d+)\s*:\s*(.*\S)\s*", re.DOTALL)
_PRICE = re.compile(r"(up|down)\s+(\S+)")


def as_method(
    name: str, effort: str | None, device: str | None, needed: bool, tight: bool, rounded: bool
) -> MethodLike:
    """The method of a name, with the knobs that only the default method has."""
    knobs = {"needed": needed, "tight": tight, "round_numbers": rounded}
    stated = [] if effort is None else [f"--effort {effort}"]
    stated += [] if device is None else [f"--device {device}"]
    stated += [f"--no-{knob.replace('_', '-')}" for knob, on in knobs.items() if not on]
    if not stated:
        return name
    if name != "auto":
        raise OptionError(
            f"{stated[0]} has no effect with --method {name}.",
            "Leave it out, or leave --method out.",
        )
    return Engine(effort or "auto", device=device, **knobs)


def as_row_rules(texts: Iterable[str] | None, q: int) -> dict[int, list[str]]:
    """The rules of single rows of a file with q rows, by the rows' positions.

    >>> as_row_rules(["3: income at most 30000", "3: age fixed"], 9)
    {3: ['income at most 30000', 'age fixed']}
    """
    rules: dict[int, list[str]] = {}
    for text in texts or ():
        match = _ROW_RULE.fullmatch(text)
        if not match:
            raise OptionError(
                f"--row-rule {text!r} is not the position of a row and a rule.",
                "Count rows from 0, as in --row-rule '3: income at most 30000'.",
            )
        row = int(match[1])
        if not 0 <= row < q:
            count = f"{q} row{'s' * (q != 1)}"
            raise OptionError(
                f"--row-rule {text!r} names row {row}, and the file has {count}.",
                "Rows are counted in the order of the file, from 0.",
            )
        rules.setdefault(row, []).append(match[2])
    return rules


def as_groups(texts: Iterable[str] | None) -> list[list[str]] | None:
    """The groups of columns that are one category each; nothing where they are to be found.

    >>> as_groups(["job_a, job_b"]), as_groups(["none"]), as_groups(None)
    ([['job_a', 'job_b']], [], None)
    """
    if texts is None:
        return None
    return [parts(text) for text in texts if text != "none"]


def as_weights(texts: Iterable[str], names: Iterable[str]) -> dict[str, float | Cost]:
    """The price of changing each feature, or its prices up and down.

    >>> as_weights(["age=2", "income=up 3"], ["age", "income"])
    {'age': 2.0, 'income': Cost(up=3.0, down=1.0, moves=(), other=1.0)}
    """
    weights: dict[str, float | Cost] = {}
    for text in texts:
        name, rest = named(text, "=", names)
        price = _price(rest)
        if not name or price is None:
            raise OptionError(
                f"--weight {text!r} does not state a price.",
                "Give a positive number, --weight 'age=2', or one each way, --weight 'income=up 3, "
                "down 1'; to keep a feature as it is, --rule 'age fixed'.",
            )
        weights[once(name, weights, "--weight")] = price
    return weights


def as_tolerance(texts: Iterable[str], names: Iterable[str]) -> float | dict[str, float] | None:
    """By how much changed numbers may be off: a share of each change, or an amount per feature.

    >>> as_tolerance(["income=500", "age=1"], ["age", "income"]), as_tolerance(["0.1"], ["age"])
    ({'income': 500.0, 'age': 1.0}, 0.1)
    """
    stated = list(texts)
    if len(stated) == 1 and (share := _positive(stated[0])) is not None:
        return share
    amounts: dict[str, float] = {}
    for text in stated:
        name, rest = named(text, "=", names)
        amount = _positive(rest)
        if not name or amount is None:
            raise OptionError(
                f"--tolerance {text!r} does not state an amount.",
                "Give --tolerance income=500 for each feature, or one share of all changes, "
                "--tolerance 0.1.",
            )
        amounts[once(name, amounts, "--tolerance")] = amount
    return amounts or None


def as_target(text: str, classes: tuple[Any, ...]) -> Any:
    """The target that a text means to a model: a class by its text, or a range LOW..HIGH.

    >>> as_target("1", (0, 1)), as_target("200..250.5", ()), as_target("..9", ())
    (1, (200.0, 250.5), (-inf, 9.0))
    """
    for known in classes:
        if str(known) == text or (isinstance(known, float) and number_of(text) == known):
            return known
    ends = re.fullmatch(r"(.*)\.\.(.*)", text)
    low, high = (ends[1], ends[2]) if ends else ("", "")
    bounds = (number_of(low or "-inf"), number_of(high or "inf"))
    if ends and (low or high) and None not in bounds:
        return bounds
    if not classes:
        raise TargetError(
            f"The model predicts numbers, and {text!r} is not a range of them.",
            "Give --target LOW..HIGH, such as 200..250; an end may be left out.",
        )
    return text


def as_workers(text: str) -> int | str:
    """A number of processes, or a word."""
    return int(text) if text.isdecimal() else text


def _price(text: str) -> float | Cost | None:
    """The price, or the prices each way, that a text states; nothing where they are not positive.

    A way that is not named costs 1.
    """
    if number_of(text) is not None:
        return _positive(text)
    ways = [_PRICE.fullmatch(part) for part in parts(text)]
    prices = {way[1]: _positive(way[2]) for way in ways if way}
    up, down = prices.get("up", 1.0), prices.get("down", 1.0)
    if len(prices) < len(ways) or up is None or down is None:
        return None
    return cost(up=up, down=down)


def _positive(text: str) -> float | None:
    number = number_of(text)
    return number if number is not None and 0 < number < math.inf else None


def as_robust(
    paths: Sequence[Path],
    share: float | None,
    deviations: float | None,
    trust_pickle: bool,
    trust: Sequence[str] | None,
) -> Robust | None:
    """The other models that must agree, by their files."""
    if not paths:
        for name, given in (("share", share), ("deviations", deviations)):
            if given is not None:
                hint = "Name the other models, --robust FILE."
                wrong = f"--robust-{name} {given:g} has no effect without --robust."
                raise OptionError(wrong, hint)
        return None
    each = [load_model(one, trust_pickle=trust_pickle, trust=trust or ()) for one in paths]
    return Robust(each, 1.0 if share is None else share, deviations)
