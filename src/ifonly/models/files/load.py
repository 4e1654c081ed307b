"""Saved models, by the ending of their file.

A file that runs code when it is opened is refused unless its user trusts it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from ifonly.errors import FileError, IfonlyError, MissingExtra, OptionError, absent
from ifonly.models.adapters import catboost, lightgbm, onnx, torch, xgboost
from ifonly.models.files import skops

UNSAFE = {
    ".pkl": "joblib.load(path)",
    ".pickle": "joblib.load(path)",
    ".joblib": "joblib.load(path)",
    ".pt2": "torch.export.load(path).module()",
}
"""Files that can run code when they are opened, and how Python opens them."""


def load_model(path: Path, *, trust_pickle: bool = False, trust: Collection[str] = ()) -> Any:
    """The model in a file.

    `trust_pickle` opens files that can run code; `trust` allows a .skops file further types, each
    by its exact name.
    """
    if not path.is_file():
        raise absent(path, "model file", LOADERS)
    ending = path.suffix.lower()
    if ending not in LOADERS:
        raise FileError(
            f"{path.name} has an ending that no loader knows.", f"Known: {', '.join(LOADERS)}."
        )
    if ending in UNSAFE and not trust_pickle:
        raise FileError(
            f"{path.name} runs code when it is opened.",
            f"If you trust its source, pass --trust-pickle on the command line, or load it in "
            f"Python with {UNSAFE[ending]}. A .skops or .onnx file needs no trust.",
        )
    if trust and ending != ".skops":
        raise OptionError(
            f"{path.name} names no types that could be trusted.", "--trust is for .skops files."
        )
    try:
        return skops.load(path, trust) if ending == ".skops" else LOADERS[ending](path)
    except IfonlyError:
        raise
    except ModuleNotFoundError as error:
        if error.name in ("catboost", "lightgbm", "xgboost"):
            raise MissingExtra(error.name, "boost") from None
        raise FileError(
            f"{path.name} needs the module {error.name!r}, which cannot be imported.",
            "Install it, or put the folder that holds it on PYTHONPATH.",
        ) from error
    except Exception as error:
        raise FileError(
            f"{path.name} cannot be read as a model: {type(error).__name__}: {error}",
            "Save it again with the versions that are installed here.",
        ) from error


def _load_pickle(path: Path) -> Any:
    import joblib

    return joblib.load(path)


LOADERS: dict[str, Callable[[Path], Any]] = {
    ".skops": skops.load,
    ".onnx": onnx.load,
    ".ubj": xgboost.load,
    ".json": xgboost.load,
    ".txt": lightgbm.load,
    ".cbm": catboost.load,
    ".pt2": torch.load,
    ".pkl": _load_pickle,
    ".pickle": _load_pickle,
    ".joblib": _load_pickle,
}
