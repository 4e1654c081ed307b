"""What cannot be audited is refused, and the message says what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, OptionError, OutputError, TargetError

Ask = Callable[..., ifonly.Audit]
LETTERS = pd.Series(list("ab") * 40, name="letter")


@pytest.mark.parametrize(
    ("kind", "told", "hint", "given"),
    [
        (DataError, "'sexx'", "Did you mean 'sex'", {"groups": ["sexx"]}),
        (DataError, "'religion'", "a Series or DataFrame", {"groups": ["religion"]}),
        (DataError, "2 lines", "in the order of `rows`", {"groups": LETTERS[:2]}),
        (DataError, "another index", "loc", {"groups": LETTERS.set_axis(range(1, 81))}),
        (DataError, "only 'a'", "Leave it out", {"groups": pd.Series(["a"] * 80)}),
        (DataError, "only 'missing'", "Leave it out", {"groups": pd.Series([None] * 80)}),
        (DataError, "numbers, from 10", "cuts={'income'", {"groups": ["income"]}),
        (DataError, "80 groups", "Join", {"groups": LETTERS + np.arange(80).astype(str)}),
        (DataError, "of type int", "names of columns", {"groups": 3}),
        (DataError, "'a'; numbers", "to_numeric", {"groups": LETTERS, "cuts": {"letter": [1]}}),
        (OptionError, "empty", "at least one column", {"groups": []}),
        (OptionError, "'age'", "attributes are 'sex'", {"cuts": {"age": [30]}}),
        (
            OptionError,
            "[45, 25]",
            "increase",
            {"groups": ["income"], "cuts": {"income": [45, 25]}},
        ),
        (OptionError, "share is 0", "above 0", {"share": 0}),
        (OptionError, "share is True", "above 0", {"share": True}),
        (OptionError, "within is -1", "0 or more", {"within": -1}),
        (OptionError, "least is 0", "1 or more", {"least": 0}),
        (OptionError, "seed is -1", "0 or more", {"seed": -1}),
        (OptionError, "'group'", "Did you mean 'groups'", {"group": ["sex"]}),
        (TargetError, "'opposite'", "target='yes'", {"target": "opposite"}),
        (TargetError, "one per row", "target='yes'", {"target": ["yes"] * 80}),
        (TargetError, "'maybe'", "yes", {"target": "maybe"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_audited_is_refused(
    audited: Ask,
    refused: Callable[..., Exception],
    kind: type[Exception],
    told: str,
    hint: str,
    given: dict[str, Any],
) -> None:
    refused(
        kind, told, hint=hint.replace("(", r"\(").replace("{", r"\{"), ask=lambda: audited(**given)
    )


def test_two_values_that_read_alike_are_refused(audited: Ask) -> None:
    with pytest.raises(DataError, match="both read '1'"):
        audited(groups=pd.Series([1, "1"] * 40, dtype=object))


def test_a_table_of_5000_groups_is_refused(rows: pd.DataFrame, audited: Ask) -> None:
    many = pd.concat([rows] * 63, ignore_index=True)[:5000]
    with pytest.raises(DataError, match="5,000 groups"):
        audited(rows=many, groups=pd.Series([f"n{i}" for i in range(5000)], name="id"))


def test_a_report_that_cannot_be_written_is_an_error(audited: Ask, tmp_path: Path) -> None:
    result = audited(k=1)
    for write in (result.to_html, result.to_json):
        with pytest.raises(OutputError, match="cannot be written"):
            write(tmp_path / "nowhere" / "report")


def test_an_unknown_attribute_or_method_is_refused(audited: Ask) -> None:
    result = audited(k=1)
    with pytest.raises(OptionError, match="attribute 'age'"):
        result.plot("age")
    with pytest.raises(OptionError, match="method is 'best'"):
        result.difference("best")  # type: ignore[arg-type]
