"""Answers are taken apart by row: each part says what the whole says of these rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import ifonly
from ifonly.errors import OptionError

RNG = np.random.default_rng(1)
DATA = pd.DataFrame(
    {
        "income": RNG.integers(0, 90, 300),
        "debt": RNG.integers(0, 40, 300),
    }
)


def fitted() -> Any:
    forest = RandomForestClassifier(20, random_state=0)
    wanted = DATA["income"] - DATA["debt"] > 25
    return forest.fit(DATA, wanted)


@pytest.fixture(scope="module")
def answers() -> ifonly.Answers:
    model = fitted()
    explainer = ifonly.Explainer(model, data=DATA, rules=["debt only decreases"])
    targets = (~model.predict(DATA[:8])).tolist()
    targets[3] = not targets[3]
    return explainer.explain(DATA[:8], k=3, target=targets, row_rules={2: ["income fixed"]})


TAKEN = [3, -1, slice(2, 6), slice(None, None, -2), [5, 0], [True] + [False] * 7, slice(0)]


@pytest.mark.parametrize("rows", TAKEN, ids=str)
def test_a_part_says_what_the_whole_says_of_its_rows(answers: ifonly.Answers, rows: Any) -> None:
    part = answers[rows]
    places = np.atleast_1d(np.arange(8)[rows])
    assert len(part) == len(places)
    whole = answers.frame()
    for new, old in enumerate(places):
        own = part.frame().query("query == @new").drop(columns="query")
        other = whole.query("query == @old").drop(columns="query")
        assert own.to_dict("list") == other.to_dict("list")
        assert part.sentences()[new] == answers.sentences()[old]
        assert str(part.why(new)) == str(answers.why(int(old)))
        assert part.record["row_rules"][new] == answers.record["row_rules"][old]


def test_a_part_can_be_asked_further_and_again(answers: ifonly.Answers) -> None:
    part = answers[[6, 2]]
    wide = answers.frontier([1.0])[1.0]
    assert np.array_equal(part.frontier([1.0])[1.0].points, wide.points[[6, 2]])
    assert part.importance()["sufficient"].between(0, 1).all()
    again = ifonly.explain_again(part.record, fitted(), DATA.iloc[[6, 2]], data=DATA)
    assert np.array_equal(again.points, part.points)


def test_a_loop_goes_row_by_row(answers: ifonly.Answers) -> None:
    rows = list(answers)
    assert [len(row) for row in rows] == [1] * 8
    assert [row.status[0] for row in rows] == list(answers.status)


def test_a_row_that_is_not_there_is_named(answers: ifonly.Answers) -> None:
    with pytest.raises(OptionError, match="There is no row 8"):
        answers[8]


def test_pages_and_json_go_to_a_path_or_come_back(answers: ifonly.Answers, tmp_path: Path) -> None:
    page, saved = tmp_path / "page.html", tmp_path / "answers.json"
    assert answers.to_html(page) is None
    assert answers.to_json(saved) is None
    assert page.read_text(encoding="utf-8") == answers.to_html()
    assert (
        ifonly.Answers.from_json(saved.read_text(encoding="utf-8")).frame().equals(answers.frame())
    )
