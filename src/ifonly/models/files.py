"""Saved models, by the ending of their file.

A file that runs code when it is opened is refused unless its user trusts it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ifonly.errors import FileError, MissingExtra, nearest
from ifonly.models import catboost, lightgbm, onnx, torch, xgboost

PICKLES = (".pkl", ".pickle", ".joblib")
SKLEARN_TYPES = (
    "sklearn.tree._tree.",
    "sklearn._loss.",
    "sklearn.ensemble._hist_gradient_boosting.",
)
"""Parts of scikit-learn's own trees, which skops doubts and every saved forest holds."""


def load_model(path: Path, *, trust_pickle: bool = False) -> Any:
    """The model in a file; pickle and joblib files only where they are trusted."""
    if not path.is_file():
        raise FileError(
            f"There is no model file {str(path)!r}.",
            nearest(path.name, [other.name for other in path.parent.glob("*") if other.is_file()])
            if path.parent.is_dir()
            else f"There is no folder {str(path.parent)!r} either.",
        )
    ending = path.suffix.lower()
    if ending in PICKLES and not trust_pickle:
        raise FileError(
            f"{path.name} runs code when it is opened.",
            "If you trust its source, load it yourself in Python, or pass --trust-pickle on the "
            "command line. skops files need no trust.",
        )
    if ending not in LOADERS:
        raise FileError(
            f"{path.name} has an ending that no loader knows.", f"Known: {', '.join(LOADERS)}."
        )
    try:
        return LOADERS[ending](path)
    except (FileError, MissingExtra):
        raise
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "?", "boost") from None
    except Exception as error:
        raise FileError(
            f"{path.name} cannot be read as a model: {type(error).__name__}: {error}",
            "Save it again with the versions that are installed here.",
        ) from error


def _load_pickle(path: Path) -> Any:
    import joblib

    return joblib.load(path)


def _load_skops(path: Path) -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("skops", "all") from None
    doubted = skops.io.get_untrusted_types(file=path)
    unknown = [name for name in doubted if not name.startswith(SKLEARN_TYPES)]
    if unknown:
        raise FileError(
            f"{path.name} holds types that skops does not trust: {', '.join(unknown)}.",
            "Load it in Python with skops.io.load(path, trusted=[...]) once you have looked.",
        )
    return skops.io.load(path, trusted=doubted)


LOADERS: dict[str, Callable[[Path], Any]] = {
    ".skops": _load_skops,
    ".onnx": onnx.load,
    ".ubj": xgboost.load,
    ".json": xgboost.load,
    ".txt": lightgbm.load,
    ".cbm": catboost.load,
    ".pt2": torch.load,
    **dict.fromkeys(PICKLES, _load_pickle),
}
