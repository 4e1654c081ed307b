"""Every rule holds on its own: what one line means does not depend on the lines around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.rules import Rule, parse
from ifonly.testing import random_codes, random_grammar, random_model, random_space
from ifonly.testing.grammar import rule_of

DATA = pd.DataFrame({"age": [*range(20, 60)] * 3, "edu": ["A"] * 40 + ["B"] * 40 + ["C"] * 40})
ROW = pd.DataFrame({"age": [30], "edu": ["A"]})
MODEL = ifonly.as_model(lambda f: (f["edu"] != "A").astype(float), classes=[0, 1])
PAIRS = {
    "two times for one move": [
        "edu: A -> B takes 4 of age",
        "edu: A -> B takes 1 of age",
        "edu not C",
    ],
    "two tables of all moves": ["edu only: A -> B", "edu only: A -> C"],
    "a table and a table with time": [
        "edu only: A -> B, A -> C",
        "edu only: A -> B takes 3 of age",
    ],
}


def each_alone(answers: ifonly.Answers, lines: list[str]) -> bool:
    """Whether every answer of every row satisfies each line, parsed by itself."""
    rules = [parse(line, answers.space) for line in lines]
    held = [rule.holds(answers.space, answers.x, answers.points) for rule in rules]
    return bool((np.all(held, axis=0) | ~answers.filled).all())


@pytest.mark.parametrize("lines", PAIRS.values(), ids=PAIRS.keys())
@pytest.mark.parametrize("method", ["auto", "edits"])
def test_two_lines_on_the_moves_of_one_category_both_hold(lines: list[str], method: str) -> None:
    asked: dict[str, Any] = {"data": DATA, "k": 2, "target": 1, "method": method}
    answers = ifonly.explain(MODEL, ROW, rules=lines, **asked)
    assert each_alone(answers, lines)
    assert answers.record["rules"] == lines
    explainer = ifonly.Explainer(MODEL, data=DATA, rules=lines[:1], method=method)
    apart = explainer.explain(ROW, k=2, target=1, row_rules={0: lines[1:]})
    assert np.array_equal(answers.filled, apart.filled)
    assert np.array_equal(answers.points, apart.points)


def test_no_answer_makes_a_move_that_only_one_of_two_lines_allows() -> None:
    answers = ifonly.explain(
        MODEL, ROW, data=DATA, rules=PAIRS["two tables of all moves"], target=1
    )
    free = ifonly.explain(MODEL, ROW, data=DATA, rules=["edu only: A -> B, A -> C"], target=1)
    assert not answers.filled.any()
    assert {*free.frame()["edu"]} == {"B", "C"}


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(25))
def test_an_answer_satisfies_each_line_whatever_else_is_stated(seed: int) -> None:
    space = random_space(seed)
    rng = np.random.default_rng(seed)
    rules: list[Rule] = random_grammar(space, seed, 2)
    if any(len(getattr(feature, "levels", ())) > 1 for feature in space.features):
        rules += [rule_of("takes", space, rng) for _ in range(3)]
    lines = [str(rule) for rule in rules]
    rows = space.rows(random_codes(space, 12, seed + 1))
    answers = ifonly.explain(
        random_model(space, "linear", seed), rows, space=space, rules=lines, k=2
    )
    assert each_alone(answers, lines)
    assert answers.record["rules"] == lines
