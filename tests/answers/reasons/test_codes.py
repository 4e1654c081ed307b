"""A table of reasons gives codes and sentences, and a table that does not fit is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.answers.reasons.codes import ReasonCodes
from ifonly.errors import DataError, FileError, IfonlyError, OptionError

DATA = pd.DataFrame({"income": [10, 30, 50, 70], "job": ["a", "b", "b", "a"]})
ODDS = ifonly.as_model(lambda f: f["income"] / 100 + 0.2 * (f["job"] == "b"), classes=["no", "yes"])
LINES = [
    {"feature": "income", "when": "low", "code": "I1", "sentence": "Only {value}, not {better}."},
    {"feature": "income", "when": "", "code": "I2", "sentence": "{feature}!"},
    {"feature": "job", "when": "a", "code": "J1", "sentence": "your job"},
    {"feature": "job", "code": "J2", "sentence": "another job"},
]


def answers(**options: Any) -> ifonly.Answers:
    return ifonly.explain(ODDS, DATA[:1], data=DATA, k=1, **options)


def test_a_line_of_a_level_counts_first_then_of_a_direction_then_of_any_case() -> None:
    table = ReasonCodes.of(LINES)
    assert table.find("income", None, "low")[0] == "I1"
    assert table.find("income", None, "missing")[0] == "I2"
    assert table.find("job", "a", "other")[0] == "J1"
    assert table.find("job", "b", "other")[0] == "J2"


def test_sentences_are_filled_from_a_list_a_frame_and_a_file(tmp_path: Path) -> None:
    frame = pd.DataFrame(LINES)
    frame.to_csv(tmp_path / "codes.csv", index=False)
    asked = answers()
    for codes in (LINES, frame, tmp_path / "codes.csv", str(tmp_path / "codes.csv")):
        first, second = asked.reasons(0, codes=codes)
        assert str(first) == "[I1] Only 10, not 70."
        assert str(second) == "[J1] Your job"


def test_the_users_labels_stand_in_sentences() -> None:
    space = ifonly.Space.infer(DATA, labels={"income": "Pay", ("job", "a"): "clerk"})
    told = answers(space=space).reasons(0)
    assert [one.sentence for one in told] == ["Pay is too low (10).", "Job is clerk."]
    assert [one.feature for one in told] == ["income", "job"]
    assert answers(space=space).reasons(0, codes=LINES).reasons[1].code == "J1"


@pytest.mark.parametrize(
    ("codes", "error", "said"),
    [
        (LINES[:2], OptionError, "no line for 'job'"),
        ([{"feature": "income"}], DataError, "no feature, code and sentence in line 1"),
        ([*LINES, LINES[0]], DataError, "two lines for 'income' when 'low'"),
        ([{**LINES[0], "sentence": "{valeu}"}], DataError, "Did you mean 'value'?"),
        ([LINES[0], *LINES[2:3]], None, ""),
        (5, OptionError, "codes is a int"),
        ({"income": "I1"}, OptionError, "codes is a dict"),
        ("nowhere.csv", FileError, "'nowhere.csv' cannot be read"),
    ],
    ids=["a feature", "columns", "twice", "a hole", "cases", "a number", "a mapping", "no file"],
)
def test_a_table_that_does_not_fit_is_refused(
    codes: Any, error: type[IfonlyError] | None, said: str
) -> None:
    if error is None:
        assert len(answers().reasons(0, codes=codes)) == 2
        return
    with pytest.raises(error) as caught:
        answers().reasons(0, codes=codes)
    assert said in str(caught.value)


def test_a_case_without_a_line_is_refused() -> None:
    lines = [{**LINES[0], "when": "high"}, *LINES[2:]]
    with pytest.raises(OptionError, match="no line for 'income' when it is 'low'"):
        answers().reasons(0, codes=lines)


def test_the_sample_has_a_line_for_every_feature_and_case_of_credit() -> None:
    table = ReasonCodes.of(ifonly.datasets.reason_codes())
    for frame in (
        ifonly.datasets.load("german_credit").features,
        ifonly.datasets.make_lender(50, seed=0).frame,
    ):
        space = ifonly.Space.infer(frame)
        table.check(space, ())
        for feature in space.features:
            for direction in ("low", "high") if hasattr(feature, "low") else ("other",):
                code, sentence = table.find(feature.name, None, direction)
                assert code
                assert sentence.endswith(".")
    assert np.all(ifonly.datasets.reason_codes()["sentence"].str.len() < 80)
