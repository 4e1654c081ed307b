"""Saved models that are folders: MLflow's and AutoGluon's.

MLflow writes a file MLmodel that names the model's own file for each flavour, and that file is
opened as it would be by itself: a .skops file needs no trust, a pickle does. What only MLflow can
open, and AutoGluon's predictors, hold pickles.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ifonly.errors import FileError, MissingExtra

FLAVORS = {
    "sklearn": "pickled_model",
    "xgboost": "data",
    "lightgbm": "data",
    "catboost": "data",
    "onnx": "data",
}
"""Where each flavour of MLflow names the file that the library itself can open."""


def is_mlflow(folder: Path) -> bool:
    """Whether a folder is a model that MLflow has saved."""
    return (folder / "MLmodel").is_file()


def is_autogluon(folder: Path) -> bool:
    """Whether a folder is a predictor of AutoGluon."""
    return (folder / "predictor.pkl").is_file()


def own_file(folder: Path) -> Path | None:
    """The file of MLflow's folder that holds the model itself, where its library can open it."""
    return next(_own_files(folder.resolve()), None)


def open_mlflow(folder: Path) -> Any:
    """The model of a folder that only MLflow can open, with `predict`."""
    import mlflow.pyfunc

    return mlflow.pyfunc.load_model(str(folder))


def _own_files(folder: Path) -> Iterator[Path]:
    try:
        import yaml
    except ImportError:
        raise MissingExtra("PyYAML", "all") from None
    try:
        stated = yaml.safe_load((folder / "MLmodel").read_text(encoding="utf-8"))["flavors"]
        named = [stated[flavor][key] for flavor, key in FLAVORS.items() if flavor in stated]
        paths = [(folder / name).resolve() for name in named]
    except (yaml.YAMLError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise FileError(
            f"{folder.name}/MLmodel does not describe a model: {type(error).__name__}: {error}",
            "Save the model again with mlflow.",
        ) from error
    for path in paths:
        if not path.is_relative_to(folder):
            raise FileError(
                f"{folder.name}/MLmodel names {str(path)!r}, which lies outside its folder.",
                "Copy the folder as MLflow has written it.",
            )
        if path.is_file():
            yield path
