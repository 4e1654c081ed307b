"""Models that the service opens: files as the command line opens them, and the demo."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from ifonly.errors import FileError, OptionError
from ifonly.serve.open import Demo, ModelFile


@pytest.fixture
def source(tmp_path: Path) -> ModelFile:
    data = pd.DataFrame({"income": np.arange(40), "paid": np.arange(40) > 20})
    joblib.dump(LogisticRegression().fit(data[["income"]], data["paid"]), tmp_path / "m.joblib")
    data.to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "rules.txt").write_text("income only increases\n")
    return ModelFile(
        tmp_path / "m.joblib",
        tmp_path / "train.csv",
        outcome="paid",
        rules=tmp_path / "rules.txt",
        rule=("income at most 38",),
        trust_pickle=True,
        units={"income": "EUR"},
    )


def test_a_recipe_can_be_pickled_and_opens_model_data_and_rules(source: ModelFile) -> None:
    handler = pickle.loads(pickle.dumps(source)).load()
    said = handler.answer("model", {})
    assert said.rules == ["income at most 38", "income only increases"]
    assert said.features[0].unit == "EUR"


def test_an_order_of_levels_is_stated_as_text_and_read_as_the_data_hold_it(
    source: ModelFile, tmp_path: Path
) -> None:
    data = pd.DataFrame({"size": np.arange(40) % 3, "income": np.arange(40)})
    wanted = np.arange(40) > 20
    joblib.dump(LogisticRegression(max_iter=999).fit(data, wanted), tmp_path / "m.joblib")
    data.assign(paid=wanted).to_csv(tmp_path / "train.csv", index=False)
    ordered = replace(source, ordinal=("size: 2, 0, 1",), rule=("size only increases",))
    handler = pickle.loads(pickle.dumps(ordered)).load()
    size = handler.answer("model", {}).features[0]
    assert size.kind == "ordinal"
    assert [one.value for one in size.levels] == [2, 0, 1]
    with pytest.raises(OptionError, match="does not state an order"):
        replace(source, ordinal=("size",)).load()


def test_the_stamp_changes_with_the_content_of_a_file_and_not_with_its_time(
    source: ModelFile,
) -> None:
    before = source.stamp()
    text = source.data.read_bytes()
    source.data.unlink()
    source.data.write_bytes(text)
    assert source.stamp() == before
    assert source.rules is not None
    source.rules.write_text("income only decreases\n")
    assert source.stamp() != before


def test_a_file_that_is_gone_has_no_stamp(source: ModelFile) -> None:
    source.path.unlink()
    with pytest.raises(FileError, match="There is no file"):
        source.stamp()


def test_the_demo_is_the_model_of_the_command() -> None:
    handler = Demo().load()
    assert "race fixed" in handler.answer("model", {}).rules
    assert Demo().stamp() == Demo().stamp()
