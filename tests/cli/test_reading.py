"""The words of a CSV file are read as they were written, and as the model was fitted."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ifonly import Answers
from ifonly.errors import DataError
from ifonly.models.adapters.table import encoded_levels
from ifonly.tables.columns import Words
from ifonly.tables.files import read_table

TEXT = (
    "None",
    "N/A",
    "<NA>",
    " x",
    "=1+1",
    "a,b",
    'a "b"',
    "a\nb",
    "a\r\nb",
    "é",
    "1_0",
)
CODES = ("01", "-007", "00")
NUMBERS = ("1", "-5", "1e5", "0.10", "+2.5", "inf", " 7", "12345678901")
EITHER = ("NA", "nan", "null", "NULL", "NaN")
TRUTH = ("True", "False")


def drawn(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Columns of a few words each, some of them empty, so that every mixture comes up."""
    columns = {}
    for name in ("a", "b", "c", "d"):
        sources = [TEXT, NUMBERS, EITHER, TRUTH, CODES]
        chosen = [sources[i] for i in rng.permutation(len(sources))[: rng.integers(1, 4)]]
        words = [str(rng.choice(source)) for source in chosen for _ in range(2)]
        columns[name] = rng.choice([*words, ""], n)
    return pd.DataFrame(columns, dtype=object)


def write(frame: pd.DataFrame, path: Path, rng: np.random.Generator) -> None:
    """Write words in one of the ways that programs write CSV."""
    frame.to_csv(
        path,
        index=False,
        encoding=str(rng.choice(["utf-8", "utf-8-sig"])),
        quoting=int(rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=str(rng.choice(["\n", "\r\n"])),
    )


def as_text(words: pd.Series[Any]) -> list[str | None]:
    return [word or None for word in words]


def plain(values: pd.Series[Any]) -> list[Any]:
    return [None if value != value else value for value in values]


@pytest.mark.parametrize("seed", range(40))
def test_words_that_are_text_come_back_as_they_were_written(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = drawn(rng, 30)
    write(frame, tmp_path / "table.csv", rng)
    levels = {name: ["text"] for name in frame.columns}
    read = read_table(tmp_path / "table.csv", words=Words(levels=levels))
    for name in frame.columns:
        assert plain(read[name]) == as_text(frame[name])


@pytest.mark.parametrize("seed", range(40))
def test_a_column_is_text_unless_all_its_words_are_numbers(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = drawn(rng, 30)
    write(frame, tmp_path / "table.csv", rng)
    read = read_table(tmp_path / "table.csv")
    for name in frame.columns:
        words = set(frame[name]) - {""}
        if words & set(NUMBERS) and words <= {*NUMBERS, *EITHER}:
            want: list[Any] = [float(w) if w in NUMBERS else None for w in frame[name]]
        elif words and words <= set(TRUTH):
            want = [{"True": True, "False": False}.get(word) for word in frame[name]]
        else:
            want = as_text(frame[name])
        assert plain(read[name]) == want
    few = frame.sample(3, random_state=seed)
    write(few, tmp_path / "few.csv", rng)
    rows = read_table(tmp_path / "few.csv", like=read)
    for name in frame.columns:
        assert plain(rows[name]) == plain(read.loc[few.index, name]), "rows are read like the table"


def test_numbers_come_back_to_the_last_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.arange(-1000, 1000).clip(
        -300, 300
    )
    pd.DataFrame({"x": values}).to_csv(tmp_path / "x.csv", index=False)
    assert read_table(tmp_path / "x.csv")["x"].tolist() == values.tolist()


def test_what_is_read_as_missing_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "t.csv").write_text("age,pets\n1,NA\nNA,?\n,Cat\nnull,?\n7,\n")
    frame = read_table(tmp_path / "t.csv", words=Words(["?"]), say=said.append)
    assert said == [
        "Read as missing in t.csv: age: 'NA' (1), empty (1), 'null' (1); pets: '?' (2), empty (1)."
    ]
    assert plain(frame["age"]) == [1, None, None, None, 7]
    assert plain(frame["pets"]) == ["NA", None, "Cat", None, None]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_another_separator_is_refused_with_a_hint(tmp_path: Path, separator: str) -> None:
    (tmp_path / "t.csv").write_text(f"age{separator}pets\n1{separator}Cat\n")
    with pytest.raises(DataError, match="separated by commas"):
        read_table(tmp_path / "t.csv")


def fitted(frame: pd.DataFrame, name: str, folder: Path, encoder: Any) -> tuple[Pipeline, Any]:
    """A model whose outcome hangs on a level, saved beside its training rows; and its classes."""
    level = frame[name].dropna().iloc[0]
    y = ((frame["age"] - 50) / 10 + 4 * (frame[name] == level) - 1 > 0).astype(int)
    columns = make_column_transformer((encoder, [name]), remainder="passthrough")
    model = make_pipeline(columns, LogisticRegression(max_iter=500)).fit(frame, y)
    skops.io.dump(model, folder / "own.skops")
    return model, y


ENCODERS = {
    "ignores": lambda: OneHotEncoder(handle_unknown="ignore"),
    "refuses": lambda: OneHotEncoder(),
    "orders": lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
}
LEVELS = {
    "words for missing": ["None", "Cat", "NA"],
    "padded codes": ["01", "02", "03"],
    "digits": ["1", "2", "3"],
    "truth": ["True", "False"],
    "numbers": [1, 2, 3],
    "decimals": [0.5, 1.0, 2.0],
    "truth values": [True, False],
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("case", LEVELS)
def test_the_command_and_the_model_agree_on_what_a_row_is(
    run: Any, folder: Path, encoder: str, case: str
) -> None:
    rng = np.random.default_rng(0)
    levels = pd.Series(LEVELS[case])
    frame = pd.DataFrame({"age": rng.integers(18, 80, 300)})
    frame["zone"] = levels.to_numpy()[rng.integers(0, len(levels), 300)]
    model, _ = fitted(frame, "zone", folder, ENCODERS[encoder]())
    frame.to_csv(folder / "own.csv", index=False)
    frame[:8].to_csv(folder / "few.csv", index=False)
    words = ("few.csv", "--data", "own.csv", "--model", "own.skops", "-k", "1", "--format", "json")
    stated = ("--categorical", "zone") if levels.dtype.kind in "if" else ()
    ran = run("explain", *words, *stated)
    answers = Answers.from_json(ran.out)
    assert list(answers.predicted) == model.predict(frame[:8]).tolist()
    found = answers.frame()
    assert (model.predict(found[["age", "zone"]]) == found["prediction"]).all()


def test_words_that_pandas_lost_before_the_model_was_fitted_are_missing_again(
    run: Any, folder: Path
) -> None:
    (folder / "own.csv").write_text("age,zone\n" + "30,None\n70,a\n20,b\n60,a\n" * 20)
    frame = pd.read_csv(folder / "own.csv")
    assert frame["zone"].isna().any()
    model, _ = fitted(frame, "zone", folder, OneHotEncoder(handle_unknown="ignore"))
    assert any(level != level for level in encoded_levels(model)["zone"])
    ran = run("explain", "own.csv", "--data", "own.csv", "--model", "own.skops", "--format", "json")
    assert "own.csv: zone: 'None' (20)" in ran.err
    assert list(Answers.from_json(ran.out).predicted) == model.predict(frame).tolist()


def test_a_level_that_the_encoder_never_saw_is_said(run: Any, folder: Path) -> None:
    frame = pd.DataFrame({"age": [30, 70, 20, 60] * 20, "zone": ["a", "b"] * 40})
    fitted(frame, "zone", folder, OneHotEncoder(handle_unknown="ignore"))
    frame.replace("b", "None").to_csv(folder / "own.csv", index=False)
    ran = run("explain", "own.csv", "--data", "own.csv", "--model", "own.skops", "--format", "csv")
    assert "The model's encoder does not know 'None' of 'zone'." in ran.err
