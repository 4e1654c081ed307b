"""Random rules from the whole language of rules, for any space, made from a seed.

Numbers lie on the value grid of their feature, beside it, and now and then outside its range; parts
are joined as a user joins them, with `&`, `|`, `~` and `implies`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ifonly.rules import Rule
from ifonly.rules.change_rules import AtMost, Changes, Fixed, OnlyChange, Steps
from ifonly.rules.intervals import SIGNS, WAYS, Between, Compare, Monotone, Shift
from ifonly.rules.joint.pairs import Determines
from ifonly.rules.levels import Missing, OneOf
from ifonly.rules.percent import PercentShift
from ifonly.rules.scene import is_flag
from ifonly.rules.shorthands import Causes, Forbid, Together
from ifonly.rules.transitions import Takes
from ifonly.space import Categorical, Continuous, Feature, Ordinal, Space
from ifonly.testing.relations import flag_sum, linear, products, span_of, value_of

Maker = Callable[[Space, np.random.Generator], Rule]


def random_grammar(space: Space, seed: int, count: int) -> list[Rule]:
    """Rules of a space, of any kind, some of them made of others.

    Parameters
    ----------
    space
        The features.
    seed
        The same seed gives the same rules.
    count
        The number of rules.

    Returns
    -------
    list of Rule

    Examples
    --------
    >>> from ifonly.testing import random_space
    >>> random_grammar(random_space(0), 0, 5) == random_grammar(random_space(0), 0, 5)
    True
    """
    rng = np.random.default_rng(seed)
    return [random_rule(space, rng, int(rng.integers(3))) for _ in range(count)]


def random_rule(space: Space, rng: np.random.Generator, depth: int) -> Rule:
    """One random rule.

    Parameters
    ----------
    space
        The features.
    rng
        The random generator.
    depth
        The depth of the rule: 0 has no parts, 1 has some of depth 0.

    Returns
    -------
    Rule

    Examples
    --------
    >>> from ifonly.testing import random_space
    >>> random_rule(random_space(0), np.random.default_rng(0), depth=0).names != ()
    True
    """
    kinds = [kind for kind in (JOINED if depth else SINGLE) if fits(kind, space)]
    return rule_of(str(rng.choice(kinds)), space, rng, depth)


def rule_of(kind: str, space: Space, rng: np.random.Generator, depth: int = 1) -> Rule:
    """One rule of a kind that fits the space."""
    if kind in SINGLE:
        return SINGLE[kind](space, rng)
    return JOINED[kind](lambda: random_rule(space, rng, int(rng.integers(depth))), rng)


def fits(kind: str, space: Space) -> bool:
    """Whether a space has the features that a kind of rule speaks of."""
    if kind in ("together", "causes", "determines") and len(space) < 2:
        return False
    return kind not in _NEEDS or bool(_some(space, _NEEDS[kind]))


def _some(space: Space, wanted: str) -> list[Any]:
    """The features of a space that are numbers, ordered, flags, categories, moving or gappy."""
    if wanted in ("gappy", "flag"):
        return [f for f in space.features if (f.missing if wanted == "gappy" else is_flag(f))]
    kinds = {"number": Continuous, "ordered": Continuous | Ordinal}
    chosen = [f for f in space.features if isinstance(f, kinds.get(wanted, Categorical))]
    return [f for f in chosen if wanted != "moving" or len(f.levels) > 1]  # type: ignore[union-attr]


def _one(space: Space, rng: np.random.Generator, wanted: str) -> Any:
    some = _some(space, wanted)
    return some[int(rng.integers(len(some)))]


def _names(space: Space, rng: np.random.Generator, least: int, most: int = 3) -> tuple[str, ...]:
    """Between `least` and `most` names of features, each once."""
    count = int(rng.integers(least, min(most, len(space)) + 1))
    return tuple(str(name) for name in rng.permutation(space.names)[:count])


def _amount(feature: Feature, rng: np.random.Generator) -> float:
    """A positive amount that such a feature can change by: a number, or places in its order."""
    if not isinstance(feature, Continuous):
        return float(rng.choice([1.0, 1.0, 2.0, 1.5]))
    digits = feature.decimals + int(rng.choice([0, 0, 0, 1, 2]))
    return float(max(np.round(rng.uniform(0, 0.6 * span_of(feature)), digits), feature.step))


def _between(space: Space, rng: np.random.Generator) -> Rule:
    feature = _one(space, rng, "number")
    low, high = sorted(value_of(feature, rng) for _ in range(2))
    ends = [(low, high), (low, math.inf), (-math.inf, high)]
    return Between(feature.name, *ends[int(rng.integers(3))])


def _compare(space: Space, rng: np.random.Generator) -> Rule:
    feature = _one(space, rng, "number")
    return Compare(feature.name, str(rng.choice(SIGNS)), value_of(feature, rng))


def _monotone(space: Space, rng: np.random.Generator) -> Rule:
    return Monotone(_one(space, rng, "ordered").name, bool(rng.random() < 0.5))


def _shift(space: Space, rng: np.random.Generator) -> Rule:
    feature, way = _one(space, rng, "ordered"), str(rng.choice(WAYS))
    least, most = sorted(_amount(feature, rng) for _ in range(2))
    amounts = [(least, most), (least, math.inf), (0.0, most), (0.0, math.inf)]
    return Shift(feature.name, way, *amounts[int(rng.integers(3 if way == "changes" else 4))])


def _percent(space: Space, rng: np.random.Generator) -> Rule:
    least, most = sorted(float(share) for share in np.round(rng.uniform(0, 80, 2), 1))
    amounts = [(least, most), (least, math.inf), (0.0, most)]
    name, way = _one(space, rng, "number").name, str(rng.choice(WAYS))
    return PercentShift(name, way, *amounts[int(rng.integers(3))])


def _steps(space: Space, rng: np.random.Generator) -> Rule:
    feature = _one(space, rng, "number")
    for _ in range(20):
        size = float(f"{rng.choice([1, 2, 2.5, 5]) * feature.step * 10 ** rng.integers(3):g}")
        if math.floor(feature.high / size + 1e-9) >= math.ceil(feature.low / size - 1e-9):
            return Steps(feature.name, size)
    return Steps(feature.name, feature.step)


def _one_of(space: Space, rng: np.random.Generator) -> Rule:
    feature = _one(space, rng, "category")
    count = int(rng.integers(1, len(feature.levels) + 1))
    chosen = [feature.levels[i] for i in rng.permutation(len(feature.levels))[:count]]
    rule = OneOf(feature.name, tuple(chosen))
    return ~rule if count < len(feature.levels) and rng.random() < 0.4 else rule


def _takes(space: Space, rng: np.random.Generator) -> Rule:
    feature = _one(space, rng, "moving")
    spent = _one(space, rng, "number") if fits("between", space) and rng.random() < 0.7 else None
    places = rng.permutation(len(feature.levels))
    pairs = list(pairwise(places))  # a chain
    pairs += [(b, a) for a, b in pairs if rng.random() < 0.3]
    moves = tuple(
        (
            feature.levels[a],
            feature.levels[b],
            0.0 if spent is None or rng.random() < 0.2 else _amount(spent, rng) / 2,
        )
        for a, b in pairs[: int(rng.integers(1, 5))]
    )
    return Takes(feature.name, moves, "" if spent is None else spent.name, bool(rng.random() < 0.5))


def _at_most(space: Space, rng: np.random.Generator) -> Rule:
    among = _names(space, rng, 1) if rng.random() < 0.4 else ()
    return AtMost(int(rng.integers(0 if among else 1, 3)), among)


def _determines(space: Space, rng: np.random.Generator) -> Rule:
    feature = _one(space, rng, "category")
    others = [other for other in space.features if other.name != feature.name]
    effect = others[int(rng.integers(len(others)))]
    count = int(rng.integers(1, len(feature.levels) + 1))
    pairs = []
    for level in (feature.levels[i] for i in rng.permutation(len(feature.levels))[:count]):
        if isinstance(effect, Continuous):  # as in data: on the grid, but for a few
            value = value_of(effect, rng)
            inside = min(max(value, effect.low), effect.high)
            pairs.append((level, value if rng.random() < 0.1 else round(inside, effect.decimals)))
        else:
            pairs.append((level, effect.levels[int(rng.integers(len(effect.levels)))]))
    return Determines(feature.name, effect.name, tuple(pairs))


def _causes(space: Space, rng: np.random.Generator) -> Rule:
    return Causes(*_names(space, rng, 2, 2))


SINGLE: dict[str, Maker] = {
    "fixed": lambda space, rng: Fixed(str(rng.choice(space.names))),
    "changes": lambda space, rng: Changes(str(rng.choice(space.names))),
    "only change": lambda space, rng: OnlyChange(_names(space, rng, 1, len(space))),
    "at most": _at_most,
    "steps": _steps,
    "between": _between,
    "compare": _compare,
    "monotone": _monotone,
    "shift": _shift,
    "one of": _one_of,
    "percent": _percent,
    "linear": linear,
    "flags": flag_sum,
    "products": products,
    "takes": _takes,
    "together": lambda space, rng: Together(_names(space, rng, 2)),
    "causes": _causes,
    "missing": lambda space, rng: Missing(_one(space, rng, "gappy").name),
    "determines": _determines,
}
"""The kinds of rules that have no parts."""


def _several(part: Callable[[], Rule], rng: np.random.Generator, least: int) -> Sequence[Rule]:
    return [part() for _ in range(int(rng.integers(least, 4)))]


JOINED: dict[str, Callable[[Callable[[], Rule], np.random.Generator], Rule]] = {
    "and": lambda part, rng: part() & part(),
    "or": lambda part, rng: part() | part(),
    "not": lambda part, rng: ~part(),
    "implies": lambda part, rng: part().implies(part()),
    "equivalent": lambda part, rng: part().equivalent(part()),
    "forbid": lambda part, rng: Forbid(tuple(_several(part, rng, 1))),
}
"""The kinds of rules that are made of others."""

_NEEDS = {
    **dict.fromkeys(("steps", "between", "compare", "linear", "percent"), "number"),
    **dict.fromkeys(("monotone", "shift"), "ordered"),
    **dict.fromkeys(("one of", "determines"), "category"),
    "takes": "moving",
    "flags": "flag",
    "products": "number",
    "missing": "gappy",
}
