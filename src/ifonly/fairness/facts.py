"""What is known of each row before any group is looked at: all that the measures count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ifonly.answers import Answers
from ifonly.answers.questions.responsiveness import responsiveness
from ifonly.answers.reasons.measure import measured
from ifonly.answers.views import shown_features
from ifonly.fairness.one_pass import Pass
from ifonly.solve.source import MOST_MOVES

MOST_POINTS = 1_000_000
"""About how many rows the model is asked about for one question; beyond it, some rows are drawn."""


@dataclass(frozen=True, eq=False)
class Facts:
    """Of q rows, r of which were refused and searched, what the measures count."""

    accepted: np.ndarray
    """bool [q]"""
    refused: np.ndarray
    """[r] their positions among the q."""
    cost: np.ndarray
    """[r] the distance of the nearest answer; infinite without one."""
    proved_none: np.ndarray
    """bool [r]"""
    features: tuple[str, ...]
    """[f] the features as people read them: columns that are one category are one."""
    changed: np.ndarray
    """bool [r, f] what the nearest answer changes."""
    works: np.ndarray
    """bool [r, s] which actions of a common list are answers to each row."""
    responsive: np.ndarray
    """[r, f] the share of a feature's values that alone give the outcome; NaN where not known."""
    reasons: np.ndarray
    """[r, f] 1 where a feature is a principal reason of the outcome, NaN where not known."""
    flips: Mapping[str, np.ndarray] = field(default_factory=dict)
    """[r] by attribute: 1 where its change alone would give the outcome, NaN where not known."""
    follows: Mapping[str, np.ndarray] = field(default_factory=dict)
    """[r] the same, of its change with what follows from it causally."""
    demanded: Mapping[str, np.ndarray] = field(default_factory=dict)
    """[r] how far the nearest answer meets each demand; NaN without one."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """Of how many refused rows a question was asked, where it was not of all."""

    @classmethod
    def of(cls, one: Pass, works: np.ndarray, seed: int = 0) -> Facts:
        """The facts of a pass; `works` [r, s] are the common actions that are answers to a row."""
        answers, near = one.answers, one.nearest
        assert answers is not None, "a pass that was made by hand has no model"
        rows, found = np.arange(len(near)), near >= 0
        shown = shown_features(replace(one.space, labels={}))
        own = one.changed[rows, near] & found[:, None]
        changed = np.stack([own[:, each.columns].any(axis=1) for each in shown], axis=1)
        random = np.random.default_rng([seed, 1])
        asked: dict[str, int] = {}
        flips: dict[str, np.ndarray] = {}
        follows: dict[str, np.ndarray] = {}
        for name in map(str, one.groups.columns):
            if name in one.space.names:
                flips[name], follows_it = _flips(one, name, random, asked)
                follows |= {} if follows_it is None else {name: follows_it}
        wanted = answers.record.get("plausible") not in (None, False)
        demands = {"usual": answers.usual if wanted else None}
        demands |= {"agreement": answers.agreeing, "tolerated": answers.tolerated}
        return cls(
            accepted=one.accepted,
            refused=one.refused,
            cost=one.cost,
            proved_none=one.proved_none,
            features=tuple(each.name for each in shown),
            changed=changed,
            works=works,
            flips=flips,
            follows=follows,
            responsive=_of_features(one, "Responsiveness", _responsive, random, asked),
            reasons=_of_features(one, "Reasons", _reasons, random, asked),
            demanded={
                name: np.where(found, values[rows, near], np.nan)
                for name, values in demands.items()
                if values is not None
            },
            asked=asked,
        )


def _flips(
    one: Pass, name: str, random: np.random.Generator, asked: dict[str, int]
) -> tuple[np.ndarray, np.ndarray | None]:
    """[r] whether other values of a feature flip a row, alone; and with what follows from it."""
    assert one.answers is not None
    column, count = one.space.index(name), len(one.refused)
    rows = _drawn(count, min(one.space.count(column), 2 * MOST_MOVES), random)
    if len(rows) < count:
        asked[f"Change of {name} alone"] = len(rows)
    source = one.answers.asked_further().take(rows)
    both = []
    for causes in (None, source.setting.causes)[: 1 + (source.setting.causes is not None)]:
        alone = replace(source, setting=replace(source.setting, causes=causes))
        found, complete = alone.flips([column], np.ones(len(rows), dtype=bool))
        flips = np.full(count, np.nan)
        flips[rows] = np.where(found, 1.0, 0.0 if complete else np.nan)
        both.append(flips)
    return both[0], both[1] if len(both) > 1 else None


def _of_features(
    one: Pass,
    question: str,
    ask: Callable[[Answers], np.ndarray],
    random: np.random.Generator,
    asked: dict[str, int],
) -> np.ndarray:
    """[r, f] what is asked about every value of every feature, of as many rows as can be."""
    assert one.answers is not None
    known = one.answers.asked_further().setting.readable
    data = one.x if known is None or not known.given else known.data
    values = sum(len(np.unique(one.space.round(data)[:, j])) for j in range(len(one.space)))
    rows = _drawn(len(one.refused), min(values, 1000 * len(one.space)), random)
    told = ask(one.answers[rows.tolist()])
    share = np.full((len(one.refused), told.shape[1]), np.nan)
    share[rows] = told
    if len(rows) < len(share):
        asked[question] = len(rows)
    return share


def _responsive(answers: Answers) -> np.ndarray:
    """[n, f] the share of each feature's values that alone give the outcome."""
    share: np.ndarray = responsiveness(answers)["share"]
    return share.reshape(len(answers), -1) if len(answers) else np.zeros((0, _count(answers)))


def _reasons(answers: Answers) -> np.ndarray:
    """[n, f] 1 where a feature is a principal reason."""
    if not len(answers):
        return np.zeros((0, _count(answers)))
    found = measured(answers)
    listed = np.zeros((len(answers), len(found.features) + 1))  # the last takes what is no reason
    np.put_along_axis(listed, found.order, 1.0, axis=1)
    return listed[:, :-1]


def _count(answers: Answers) -> int:
    return len(shown_features(replace(answers.space, labels={})))


def _drawn(count: int, each: int, random: np.random.Generator) -> np.ndarray:
    """Positions of `count` rows, or of as many as can be asked about at `each` points a row."""
    most = max(1, MOST_POINTS // max(1, each))
    if count <= most:
        return np.arange(count)
    return np.sort(random.choice(count, most, replace=False))
