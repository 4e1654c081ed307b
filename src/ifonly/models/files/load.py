"""Saved models, by the ending of their file, or the kind of their folder.

A file that runs code when it is opened is refused unless its user trusts it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

from ifonly.errors import FileError, IfonlyError, MissingExtra, OptionError, absent
from ifonly.models.adapters import autogluon, catboost, lightgbm, onnx, torch, xgboost
from ifonly.models.files import folders, skops

UNSAFE = {
    ".pkl": "joblib.load(path)",
    ".pickle": "joblib.load(path)",
    ".joblib": "joblib.load(path)",
    ".pt2": "torch.export.load(path).module()",
}
"""Files that can run code when they are opened, and how Python opens them."""
CONVERTED = {
    ".pmml": "PMML is not read. Open it with the package sklearn-pmml-model, whose "
    "PMMLForestClassifier and others are scikit-learn estimators, and save that as .skops; or "
    "convert the model to .onnx where it was trained.",
    ".pt": "Build the module, load its weights with load_state_dict, and give "
    "ifonly.as_model(module, inputs=...); or save it with torch.export as .pt2.",
    ".keras": "Wrap it in Python: ifonly.as_model(model.predict, inputs=..., classes=[...]); or "
    "convert it to .onnx.",
}
"""What to do with files that are not read."""
CONVERTED |= {".pth": CONVERTED[".pt"], ".h5": CONVERTED[".keras"]}


def load_model(path: Path, *, trust_pickle: bool = False, trust: Collection[str] = ()) -> Any:
    """The model in a file or folder.

    `trust_pickle` opens files that can run code; `trust` allows a .skops file further types, each
    by its exact name.
    """
    if path.is_dir():
        return _load_folder(path, trust_pickle=trust_pickle, trust=trust)
    if not path.is_file():
        raise absent(path, "model file", LOADERS)
    ending = path.suffix.lower()
    if ending not in LOADERS:
        raise FileError(
            f"{path.name} has an ending that no loader knows.",
            CONVERTED.get(ending, f"Known: {', '.join(LOADERS)}."),
        )
    if ending in UNSAFE and not trust_pickle:
        raise _untrusted(path, UNSAFE[ending])
    if trust and ending != ".skops":
        raise OptionError(
            f"{path.name} names no types that could be trusted.", "--trust is for .skops files."
        )
    load: Callable[[Path], Any] = LOADERS[ending]
    if ending == ".skops":
        load = partial(skops.load, trust=trust)
    return _opened(path, load)


def _load_folder(path: Path, *, trust_pickle: bool, trust: Collection[str]) -> Any:
    """The model in a folder of MLflow or AutoGluon."""
    if folders.is_mlflow(path):
        own = folders.own_file(path)
        if own is not None:
            return load_model(own, trust_pickle=trust_pickle, trust=trust)
        load, in_python = folders.open_mlflow, "mlflow.pyfunc.load_model(path)"
    elif folders.is_autogluon(path):
        load, in_python = autogluon.load, "autogluon.tabular.TabularPredictor.load(path)"
    else:
        raise FileError(
            f"{str(path)!r} is a folder, and not one of MLflow or AutoGluon.",
            "MLflow's has a file MLmodel, AutoGluon's a file predictor.pkl. Give the model's file.",
        )
    if not trust_pickle:
        raise _untrusted(path, in_python)
    return _opened(path, load)


def _untrusted(path: Path, in_python: str) -> FileError:
    return FileError(
        f"{path.name} runs code when it is opened.",
        f"If you trust its source, pass --trust-pickle on the command line, or load it in "
        f"Python with {in_python}. A .skops or .onnx file needs no trust.",
    )


def _opened(path: Path, load: Callable[[Path], Any]) -> Any:
    """What a loader makes of a path; its errors as ours."""
    try:
        return load(path)
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
    ".xgb": xgboost.load,
    ".txt": lightgbm.load,
    ".lgb": lightgbm.load,
    ".cbm": catboost.load,
    ".cb": catboost.load,
    ".pt2": torch.load,
    ".pkl": _load_pickle,
    ".pickle": _load_pickle,
    ".joblib": _load_pickle,
}
