"""`ifonly reproduce`: what it names, what it refuses, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_the_cells_of_a_quick_run_are_listed(run: Any) -> None:
    ran = run("reproduce", "--quick", "--list", "--only", "sets/compas/*/DiverseCF/*")
    names = ran.out.split()
    assert names == [
        "models/compas/ann/oversampled",
        *(f"sets/compas/ann/DiverseCF/k={k}" for k in (1, 4, 10)),
    ]


def test_the_published_models_need_their_folder(run: Any) -> None:
    ran = run("reproduce", "--models", "published", "--list")
    assert ran.code == 2
    assert "--published FOLDER" in ran.err


def test_a_folder_without_records_is_refused_cell_by_cell(run: Any, folder: Path) -> None:
    words = ("--models", "published", "--published", ".", "--only", "sets/compas/ann/SingleCF")
    ran = run("reproduce", *words, "--list")
    assert ran.code == 0
    ran = run("reproduce", *words)
    assert ran.code == 2
    assert "models.json" in ran.err


def test_a_pattern_that_fits_nothing_is_refused(run: Any) -> None:
    ran = run("reproduce", "--only", "adlt", "--list")
    assert ran.code == 2
    assert "adult" in ran.err


def test_a_folder_that_cannot_be_made_is_refused(run: Any, folder: Path) -> None:
    (folder / "taken").write_text("a file")
    ran = run("reproduce", "--only", "sets/compas/ann/SingleCF", "--out", "taken/here")
    assert ran.code == 2
    assert "cannot be made" in ran.err
