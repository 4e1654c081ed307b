"""No answer breaks a rule: thousands of rows, every method, judged by the independent checker.

What is judged are the frames that users get, after rounding, and once more after JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly import recipes
from ifonly.errors import RuleError
from ifonly.models import Dense
from ifonly.rules import Box, Rule
from ifonly.rules.json import to_plain
from ifonly.rules.rule import repaired
from ifonly.search import Edits, Neighbours, Union
from ifonly.space import Categorical, Space
from ifonly.testing import (
    MODEL_KINDS,
    random_codes,
    random_frame,
    random_grammar,
    random_model,
    random_rows,
)
from ifonly.testing.spaces import CODED

from .checker import Case, broken, values_of

SEARCHERS: dict[str, Any] = {
    "edits": Edits(width=6, depth=2),
    "neighbours": "neighbours",
    "auto": "auto",
    "union": Union((Edits(width=4, depth=2), Neighbours(count=6))),
}


def explain(model: Any, rows: pd.DataFrame, **options: Any) -> ifonly.Answers:
    """`ifonly.explain`, with rules of single rows."""
    own, target, seed = (options.pop(name) for name in ("row_rules", "target", "seed"))
    k = options.pop("k")
    explainer = ifonly.Explainer(model, **options)
    return explainer.explain(rows, row_rules=own, target=target, seed=seed, k=k)


INSIDE: dict[str, Callable[..., ifonly.Answers]] = {
    "gradient": partial(explain, method="gradient"),
    "exact": partial(explain, method="exact"),
    "diverse_cf": recipes.diverse_cf,
    "diverse_cf_sparse": recipes.diverse_cf_sparse,
    "no_diversity_cf": recipes.no_diversity_cf,
    "random_init_cf": recipes.random_init_cf,
    "single_cf": recipes.single_cf,
}
KINDS = (*MODEL_KINDS, "network", "tree", "forest")
OPEN = ("linear", "three classes", "regression", "network")
"""The kinds of models that have a gradient and can be read."""
DEEP = bool(os.environ.get("IFONLY_DEEP"))
SCALE = max(1, round(float(os.environ.get("IFONLY_SCALE", "1"))))
TABLES, ROWS, FEW = (SCALE, 68, 2 * SCALE) if DEEP else (1, 34, 2)
"""Tables per kind of model, and the rows of each: many for most methods, few for the slow ones."""
START = 10_000 * (1 + int(os.environ.get("IFONLY_SEED", "0"))) if DEEP else 0
"""The first seed: a deep run has other tables."""


@dataclass(frozen=True)
class Question:
    """A model, rows and rules."""

    model: Any
    space: Space
    data: pd.DataFrame | None
    """None where the model is asked over a space that is described."""
    rows: pd.DataFrame
    target: Any
    rules: list[Rule]
    row_rules: dict[int, list[Rule]]

    def ask(self, explain: Callable[..., ifonly.Answers], **options: Any) -> ifonly.Answers:
        """The answers of `explain`, or of a recipe."""
        options |= {"rules": self.rules, "row_rules": self.row_rules, "target": self.target}
        if self.data is None:
            return explain(self.model, self.rows, space=self.space, k=2, **options)
        coded = [CODED] if CODED in self.data else []
        return explain(self.model, self.rows, data=self.data, categorical=coded, k=2, **options)


def question_of(kind: str, seed: int, n: int, *, described: bool = False) -> Question:
    """n rows of a random table, two or three rules for all of them, and some for every third."""
    data = random_frame(seed)
    space = Space.infer(data, [CODED] if CODED in data else [])
    if described:
        space = replace(space, features=tuple(map(with_gaps, space.features)))
    x = random_rows(space, n, seed)
    drawn = random_grammar(space, seed, 20)
    rules = bearable(drawn[:12], 2 + seed % 2, space, x[:40])
    others = bearable(drawn[12:], 2, space, x[:40], rules)
    model = model_of(kind, space, seed)
    return Question(
        model,
        space,
        None if described else data,
        space.rows(x),
        {"three classes": 2, "regression": (0.1, float("inf"))}.get(kind, "opposite"),
        rules,
        {row: [others[row % 3]] for row in range(n) if row % 3 < len(others)},
    )


def with_gaps(feature: Any) -> Any:
    """The feature; what may be missing may also be filled in and taken away."""
    return replace(feature, fillable=feature.missing, erasable=feature.missing)


def bearable(
    drawn: Sequence[Rule], most: int, space: Space, x: np.ndarray, beside: Sequence[Rule] = ()
) -> list[Rule]:
    """The first rules that, beside others, leave most rows some way: no answer proves nothing."""
    rules: list[Rule] = []
    for rule in drawn:
        if len(rules) < most and _bearable([*beside, *rules, rule], space, x):
            rules.append(rule)
    return rules


def _bearable(rules: Sequence[Rule], space: Space, x: np.ndarray) -> bool:
    box = Box.whole(space, x)
    for rule in rules:
        box = rule.narrow(box)
    box = box.take(np.flatnonzero(~box.empty().any(axis=1)))
    points = random_codes(space, 8 * len(box.x), seed=0).reshape(len(box.x), 8, len(space))
    kept = np.random.default_rng(0).random(points.shape) < 0.6
    points = repaired(rules, box, box.clip(np.where(kept, box.x[:, None], points)))
    held = [rule.holds(space, box.x, points) for rule in rules]
    moved = ((points != box.x[:, None]) & ~np.isnan(points)).any(axis=-1)
    return bool(np.all([*held, moved], axis=0).any(axis=1).sum() > 0.7 * len(x))


def model_of(kind: str, space: Space, seed: int) -> Any:
    """One of the kit's models, a network, or trees fitted to what a network says."""
    if kind in MODEL_KINDS:
        return random_model(space, kind, seed)
    rng = np.random.default_rng(seed)
    codes = random_codes(space, 300, seed)
    first = rng.normal(size=(space.offsets[-1], 6)), rng.normal(size=6)
    second = rng.normal(size=(6, 1))
    middle = np.median(np.maximum(space.units(codes) @ first[0] + first[1], 0.0) @ second)
    network = Dense([first, (second, np.array([-middle]))], space, ("no", "yes"))
    if kind == "network":
        return network
    trees = {
        "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
        "forest": RandomForestClassifier(5, max_depth=5, random_state=0),
    }[kind].fit(codes, network.scores(codes).argmax(axis=1))
    return ifonly.as_model(
        lambda frame: trees.predict_proba(space.codes(frame)), classes=["no", "yes"]
    )


def checked(question: Question, answers: ifonly.Answers) -> int:
    """The number of answers; raises where one of them breaks a rule."""
    levels = {f.name: f.levels for f in question.space.features if isinstance(f, Categorical)}
    plain: Mapping[Rule, Any] = {
        rule: json.loads(json.dumps(to_plain(rule)))
        for rules in (question.rules, *question.row_rules.values())
        for rule in rules
    }
    before = values_of(question.rows, levels)
    for frame in (answers.frame(), ifonly.Answers.from_json(answers.to_json()).frame()):
        assert len(frame) == answers.filled.sum()
        after = values_of(frame[list(question.space.names)], levels)
        for query, values in zip(frame["query"], after, strict=True):
            case = Case(before[query], values, levels)
            for rule in (*question.rules, *question.row_rules.get(query, ())):
                assert not broken(plain[rule], case), f"{rule}: {case.before} -> {case.after}"
    return int(answers.filled.sum())


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SEARCHERS)
def test_no_answer_of_a_searcher_breaks_a_rule(name: str) -> None:
    asked = found = 0
    for seed in range(TABLES * len(KINDS)):
        described = name in ("auto", "edits") and seed % 4 == 3
        seed += START + 1000 * list(SEARCHERS).index(name)
        question = question_of(KINDS[seed % len(KINDS)], seed, ROWS, described=described)
        method = SEARCHERS[name]
        answers = question.ask(explain, method=method, seed=seed)
        asked += len(answers)
        found += checked(question, answers)
    assert asked == TABLES * len(KINDS) * ROWS
    assert found > asked


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", INSIDE)
def test_no_answer_of_a_method_that_looks_inside_the_model_breaks_a_rule(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A descent that finds nothing takes all its steps, and proves nothing.
    monkeypatch.setattr(recipes, "PATIENT", replace(recipes.PATIENT, steps=600))
    asked = found = refused = 0
    for place, kind in enumerate(OPEN):
        seed = START + 100 * list(INSIDE).index(name) + 10 + place
        question = question_of(kind, seed, FEW)
        try:
            answers = question.ask(INSIDE[name], seed=seed)
        except RuleError as error:  # a product of two numbers that can change
            if "no solver can be given that" not in error.message:
                raise
            refused += FEW
            continue
        asked += len(answers)
        found += checked(question, answers)
    assert asked + refused == len(OPEN) * FEW
    assert found > asked / 4


def test_thousands_of_rows_are_asked() -> None:
    searched = len(SEARCHERS) * len(KINDS) * TABLES * ROWS
    assert searched + len(INSIDE) * len(OPEN) * FEW >= (2_000 * SCALE if DEEP else 1_000)
