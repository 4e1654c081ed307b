"""A file that cannot be read or written is named, and nothing is half written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, FileError
from ifonly.models.files.load import load_model

Refused = Callable[..., Exception]

DATA = pd.DataFrame(
    {
        "age": [22, 35, 41, 58, 63, 29],
        "income": [1200.5, 3400.0, 5100.25, 2800.0, 900.0, 4100.0],
        "job": ["Sales", "Service", "Sales", "Professional", "Service", "Professional"],
    }
)


def approve(frame: pd.DataFrame) -> np.ndarray:
    return (frame["income"] > 3000).to_numpy(dtype=float)


LENDER = ifonly.as_model(approve, classes=["refused", "granted"])


def explain(rows: Any = None, model: Any = LENDER, data: Any = DATA, **options: Any) -> Any:
    rows = DATA[:2] if rows is None else rows
    return ifonly.explain(model, rows, data=data, **{"k": 2, **options})


def test_a_model_file_that_is_absent_is_named(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "lender.skops").write_bytes(b"")
    path = tmp_path / "lendr.skops"
    refused(FileError, "lendr.skops", hint="lender.skops", ask=lambda: explain(model=path))


def test_a_folder_without_any_model_file_is_said_to_have_none(
    refused: Refused, tmp_path: Path
) -> None:
    path = tmp_path / "model.skops"
    (tmp_path / "notes.csv").touch()
    refused(FileError, "model.skops", hint="no model file", ask=lambda: explain(model=path))


def test_an_empty_model_file_is_named(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "lender.skops"
    path.write_bytes(b"")
    refused(
        FileError, "lender.skops", "cannot be read", hint="again", ask=lambda: explain(model=path)
    )


def test_a_model_file_that_runs_code_is_refused(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "lender.pkl"
    path.write_bytes(b"not even a pickle")
    refused(
        FileError,
        "lender.pkl",
        "runs code",
        hint="--trust-pickle",
        ask=lambda: explain(model=str(path)),
    )


def test_a_model_file_of_an_unknown_kind_is_named(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "lender.docx"
    path.write_text("x")
    refused(FileError, "lender.docx", hint=r"\.skops", ask=lambda: explain(model=path))


@pytest.mark.parametrize("content", ["", "{}", "[1]", "not json", '{"format": "another"}'])
def test_json_that_is_not_of_answers_is_refused(refused: Refused, content: str) -> None:
    refused(
        FileError, "saved answers", hint="to_json", ask=lambda: ifonly.Answers.from_json(content)
    )


def test_levels_that_parquet_cannot_hold_leave_nothing_half_written(
    refused: Refused, tmp_path: Path
) -> None:
    data = DATA.assign(mixed=pd.Series([1, "one"] * 3, dtype=object))
    answers = explain(data[:2], data=data)
    path = tmp_path / "answers.parquet"
    refused(DataError, "Parquet", "mixed", hint="to_json", ask=lambda: answers.to_parquet(path))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_absent_leaves_nothing_half_written(
    refused: Refused, tmp_path: Path
) -> None:
    path = tmp_path / "absent" / "answers.parquet"
    refused(FileError, "answers.parquet", hint="folder", ask=lambda: explain().to_parquet(path))
    assert list(tmp_path.iterdir()) == []


def test_a_model_file_that_needs_a_module_of_its_own_names_it(
    refused: Refused, tmp_path: Path
) -> None:
    path = tmp_path / "own.pkl"
    path.write_bytes(b"cown_module_of_nobody\nModel\n.")  # a pickle of a class in that module
    refused(
        FileError,
        "own_module_of_nobody",
        hint="PYTHONPATH",
        ask=lambda: load_model(path, trust_pickle=True),
    )
