"""Preparing: the script makes the bundled tables out of the raw files, and nothing by guess."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import os
import sys
import zipfile
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

FOLDER = os.environ.get("IFONLY_DATA")
SCRIPT = Path(__file__).parents[2] / "scripts" / "prepare_datasets.py"
RAW_FILES = {
    "adult": "adult_raw.data.gz",
    "german_credit": "german_raw.data.gz",
    "compas": "compas_raw.csv.gz",
}
ADULT = (
    b"38, ?, 1, 7th-8th, 4, Married-AF-spouse, Armed-Forces, Wife, Black, Male, 0, 0, 13, ?, >50K\n"
)
GERMAN = b"A11 6 A34 A410 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 2\n"
COMPAS = (
    b"id,name,sex,age_cat,race,priors_count,c_charge_degree,priors_count,two_year_recid\n"
    b"1,somebody,Male,25 - 45,Other,3,F,4,1\n"
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prepare_datasets", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(
    not FOLDER, reason="IFONLY_DATA is not set: the raw files are not here to prepare again"
)
@pytest.mark.parametrize("name", RAW_FILES)
def test_a_bundled_table_is_what_the_script_makes_of_the_raw_file(
    script: ModuleType, name: str
) -> None:
    content = gzip.decompress((Path(FOLDER or "") / RAW_FILES[name]).read_bytes())
    raw = script.RAW[name]
    table = raw.prepare(script.read(wheel_with(raw.member, content), raw))
    bundled = (files("ifonly.datasets") / f"{name}.csv.gz").read_bytes()
    assert gzip.decompress(script.compress(table)) == gzip.decompress(bundled)


def test_an_adult_row_is_grouped(script: ModuleType) -> None:
    [row] = script.prepare_adult(ADULT).to_dict("records")
    assert row == {
        "age": 38,
        "workclass": "Other/Unknown",
        "education": "School",
        "marital_status": "Married",
        "occupation": "Other/Unknown",
        "race": "Other",
        "gender": "Male",
        "hours_per_week": 13,
        "income": 1,
    }


def test_a_german_row_is_put_in_words_and_a_bad_risk_is_0(script: ModuleType) -> None:
    [row] = script.prepare_german_credit(GERMAN).to_dict("records")
    assert row["account_check_status"] == "<0 DM"
    assert row["purpose"] == "others"
    assert row["credits_this_bank"] == 2
    assert row["foreign_worker"] == "yes"
    assert row["risk"] == 0


def test_a_compas_row_keeps_no_name_and_the_first_of_two_equal_columns(script: ModuleType) -> None:
    table = script.prepare_compas(COMPAS)
    assert table.columns.tolist() == script.COMPAS_COLUMNS
    assert table.loc[0, "priors_count"] == 3
    assert "somebody" not in table.to_csv()


def test_a_level_that_no_group_names_is_refused(script: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"levels that no group names: \['13th'\]"):
        script.prepare_adult(ADULT.replace(b"7th-8th", b"13th"))


def test_a_raw_file_with_another_checksum_is_refused(script: ModuleType) -> None:
    raw = script.RAW["adult"]
    with pytest.raises(SystemExit, match=f"has checksum [0-9a-f]{{64}}, not {raw.sha256}"):
        script.read(wheel_with(raw.member, ADULT), raw)


def test_a_raw_file_with_the_right_checksum_is_read(script: ModuleType) -> None:
    raw = replace(script.RAW["adult"], sha256=hashlib.sha256(ADULT).hexdigest())
    assert script.read(wheel_with(raw.member, ADULT), raw) == ADULT


def test_the_same_table_gives_the_same_bytes_with_no_date_in_them(script: ModuleType) -> None:
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    packed = script.compress(table)
    assert packed == script.compress(table.copy())
    assert packed[4:8] == bytes(4)
    assert gzip.decompress(packed) == b"a,b\n1,x\n2,y\n"


@pytest.mark.parametrize("name", RAW_FILES)
def test_a_bundled_file_has_no_date_in_it(name: str) -> None:
    assert (files("ifonly.datasets") / f"{name}.csv.gz").read_bytes()[4:8] == bytes(4)


def wheel_with(member: str, content: bytes) -> bytes:
    """A wheel that holds one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, content)
    return buffer.getvalue()
