"""Loading: the paper's tables come whole, with their roles, and a table out of reach says why."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pytest

from ifonly.datasets import load
from ifonly.errors import DataError, FileError, OptionError

FOLDER = os.environ.get("IFONLY_DATA")
needs_data = pytest.mark.skipif(
    not FOLDER, reason="IFONLY_DATA is not set: the authors' tables are not here to compare with"
)
BUNDLED = {"adult": 32_561, "german_credit": 1_000, "compas": 7_214}
LENDING_CLUB = (
    "emp_length,annual_inc,open_acc,credit_years,"
    "grade,home_ownership,purpose,addr_state,loan_status"
)


@needs_data
@pytest.mark.parametrize("name", [*BUNDLED, "lending_club"])
def test_a_table_equals_the_authors_row_for_row(name: str) -> None:
    expected = pd.read_csv(Path(FOLDER or "") / f"{name}.csv.gz")
    pd.testing.assert_frame_equal(load(name).frame, expected, check_exact=True)


@needs_data
@pytest.mark.parametrize("name", [*BUNDLED, "lending_club"])
def test_the_roles_of_the_columns_are_the_authors(name: str) -> None:
    schema = json.loads((Path(FOLDER or "") / "schema.json").read_text())[name]
    data = load(name)
    assert list(data.continuous) == schema["continuous"]
    assert list(data.categorical) == schema["categorical"]
    assert data.outcome.name == schema["outcome"]
    assert data.desired == schema["desired_class"]
    assert {c: data.features[c].nunique() for c in data.categorical} == schema["levels"]


@pytest.mark.parametrize(("name", "rows"), BUNDLED.items())
def test_a_bundled_table_has_every_row_and_nothing_missing(name: str, rows: int) -> None:
    data = load(name)
    assert len(data.features) == len(data.outcome) == rows
    assert not data.frame.isna().any(axis=None)
    assert set(data.outcome) == {0, 1}


@pytest.mark.parametrize("name", BUNDLED)
def test_every_feature_is_either_continuous_or_categorical(name: str) -> None:
    data = load(name)
    assert sorted([*data.continuous, *data.categorical]) == sorted(data.features.columns)
    for feature in data.continuous:
        assert pd.api.types.is_integer_dtype(data.features[feature])


def test_the_bundled_tables_together_take_well_under_a_megabyte() -> None:
    tables = [file for file in files("ifonly.datasets").iterdir() if file.name.endswith(".gz")]
    assert sorted(file.name for file in tables) == sorted(f"{name}.csv.gz" for name in BUNDLED)
    assert sum(len(file.read_bytes()) for file in tables) < 500_000


@pytest.mark.parametrize("name", BUNDLED)
def test_the_readme_states_source_and_licence_of_each_bundled_table(name: str) -> None:
    data = load(name)
    readme = (files("ifonly.datasets") / "README.md").read_text(encoding="utf-8")
    [line] = [line for line in readme.splitlines() if line.startswith(f"| {name} |")]
    assert data.licence in line
    assert data.source.split()[0] in line


def test_the_split_is_the_papers() -> None:
    from sklearn.model_selection import train_test_split

    data = load("german_credit")
    train, test = data.split()
    expected = train_test_split(data.frame, test_size=0.2, random_state=17)
    pd.testing.assert_frame_equal(train.frame, expected[0])
    pd.testing.assert_frame_equal(test.frame, expected[1])
    assert (len(train.features), len(test.features)) == (800, 200)
    assert train.categorical == data.categorical


def test_a_loaded_table_can_be_changed_without_changing_the_next_one() -> None:
    first = load("compas")
    first.features["priors_count"] = -1
    assert (load("compas").features["priors_count"] >= 0).all()


def test_loading_a_table_does_not_import_scikit_learn() -> None:
    code = "import sys; from ifonly.datasets import load; load('compas'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "ifonly.datasets" in loaded
    assert "sklearn" not in loaded


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(OptionError) as caught:
        load("german_credits")
    assert str(caught.value) == (
        "There is no data set 'german_credits'.\n\nHint: Did you mean 'german_credit'?"
    )


def test_lending_club_without_the_variable_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("IFONLY_DATA", raising=False)
    with pytest.raises(FileError) as caught:
        load("lending_club")
    assert str(caught.value) == (
        "lending_club does not come with ifonly, and IFONLY_DATA is not set.\n\n"
        "Hint: Get LendingClub's former public download of its loans of 2007 to 2011, prepare it "
        "as the README of ifonly.datasets says, save it as lending_club.csv.gz and set the "
        "environment variable IFONLY_DATA to its folder."
    )


def test_lending_club_in_an_empty_folder_names_the_file_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IFONLY_DATA", str(tmp_path))
    with pytest.raises(FileError) as caught:
        load("lending_club")
    assert f"there is no {tmp_path / 'lending_club.csv.gz'}" in str(caught.value)
    assert "Hint: Get LendingClub's" in str(caught.value)


def test_lending_club_is_read_from_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(tmp_path, f"{LENDING_CLUB}\n10,24000.0,3,27,B,RENT,debt,Other,1\n", monkeypatch)
    data = load("lending_club")
    assert data.features.loc[0, "annual_inc"] == 24_000
    assert data.outcome.tolist() == [1]


def test_lending_club_with_other_columns_lists_the_right_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(tmp_path, "grade,loan_status\nA,1\n", monkeypatch)
    with pytest.raises(DataError) as caught:
        load("lending_club")
    assert "has the columns ['grade', 'loan_status']" in str(caught.value)
    assert LENDING_CLUB.replace(",", ", ") in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"not compressed", gzip.compress(b""), gzip.compress(b"a")[:9]],
    ids=["plain", "empty", "cut off"],
)
def test_lending_club_that_is_no_compressed_table_names_the_file(
    content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "lending_club.csv.gz").write_bytes(content)
    monkeypatch.setenv("IFONLY_DATA", str(tmp_path))
    with pytest.raises(FileError, match=r"lending_club\.csv\.gz cannot be read as a CSV file: "):
        load("lending_club")


def put(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder the one in IFONLY_DATA, with this text as its LendingClub table."""
    (folder / "lending_club.csv.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setenv("IFONLY_DATA", str(folder))
