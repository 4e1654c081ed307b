"""skops files: scikit-learn models that are rebuilt from the names of types, without pickle.

A file names everything that it wants to have built. skops trusts some of these names; what else a
saved model needs is listed here one by one, and the rest only the user can trust. A prefix is never
enough: every module holds names of other modules, from which attributes lead to `os.system`.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ifonly.errors import FileError, MissingExtra

TRUSTED = frozenset(
    {
        "builtins.object",
        "functools.partial",
        "numpy.dtype",
        "numpy.number",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.feature_selection._univariate_selection.chi2",
        "sklearn.feature_selection._univariate_selection.f_classif",
        "sklearn.feature_selection._univariate_selection.f_regression",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.tree._tree.Tree",
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils.validation.check_array",
        "sklearn._loss.link.HalfLogitLink",
        "sklearn._loss.link.IdentityLink",
        "sklearn._loss.link.Interval",
        "sklearn._loss.link.LogLink",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.link.MultinomialLogit",
        "sklearn._loss.loss.AbsoluteError",
        "sklearn._loss.loss.ExponentialLoss",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn._loss.loss.HalfGammaLoss",
        "sklearn._loss.loss.HalfMultinomialLoss",
        "sklearn._loss.loss.HalfPoissonLoss",
        "sklearn._loss.loss.HalfSquaredError",
        "sklearn._loss.loss.HalfTweedieLoss",
        "sklearn._loss.loss.HalfTweedieLossIdentity",
        "sklearn._loss.loss.HuberLoss",
        "sklearn._loss.loss.PinballLoss",
        "sklearn._loss._loss.CyAbsoluteError",
        "sklearn._loss._loss.CyExponentialLoss",
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn._loss._loss.CyHalfGammaLoss",
        "sklearn._loss._loss.CyHalfMultinomialLoss",
        "sklearn._loss._loss.CyHalfPoissonLoss",
        "sklearn._loss._loss.CyHalfSquaredError",
        "sklearn._loss._loss.CyHalfTweedieLoss",
        "sklearn._loss._loss.CyHalfTweedieLossIdentity",
        "sklearn._loss._loss.CyHuberLoss",
        "sklearn._loss._loss.CyPinballLoss",
    }
)
"""What scikit-learn's trees, boosting, networks, imputers, selectors and searches hold. Each was
read: building one, with any content, or calling it with anything of this list, sets attributes and
fills arrays, and runs nothing else."""

LOADERS = frozenset(
    {
        "BytearrayNode",
        "BytesNode",
        "ConstructorFromReduceNode",
        "DTypeNode",
        "DefaultDictNode",
        "DictNode",
        "FunctionNode",
        "JsonNode",
        "ListNode",
        "LossNode",
        "MaskedArrayNode",
        "NdArrayNode",
        "ObjectNode",
        "PartialNode",
        "RandomGeneratorNode",
        "RandomStateNode",
        "SetNode",
        "SliceNode",
        "SparseMatrixNode",
        "TreeNode",
        "TupleNode",
        "TypeNode",
    }
)
"""The ways of skops to build a thing by its own name. Not among them: `MethodNode` and
`OperatorFuncNode`, which reach attributes of things and call them."""


def load(path: Path, trust: Collection[str] = ()) -> Any:
    """The model in a .skops file, if its types are trusted by skops, here or by `trust`."""
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("skops", "all") from None
    data = path.read_bytes()
    _check_loaders(path, data)
    asked = skops.io.get_untrusted_types(data=data)
    unknown = [name for name in asked if name not in TRUSTED and name not in trust]
    if unknown:
        allow = " ".join(f"--trust {name}" for name in unknown)
        raise FileError(
            f"{path.name} asks for types that are not trusted: {', '.join(unknown)}.",
            f"If you trust its source and these types, allow exactly them: {allow}; or load it in "
            f"Python with skops.io.load({path.name!r}, trusted={unknown}).",
        )
    for name in sorted(set(asked) - TRUSTED):
        _check_name(path, name)
    return skops.io.loads(data, trusted=asked)


def _check_loaders(path: Path, data: bytes) -> None:
    """Refuse a file that wants anything built in another way than by its name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        schema = json.loads(archive.read("schema.json"))
    for node in _nodes(schema):
        if node["__loader__"] not in LOADERS:
            raise FileError(
                f"{path.name} asks for a {node['__loader__']} of {node.get('__module__')}."
                f"{node.get('__class__')}, which would let the file call any function.",
                "Save the model without methods of objects and functions of `operator`. No option "
                "allows them.",
            )


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every dictionary of a schema that names a loader, however deep it lies."""
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            if isinstance(part.get("__loader__"), str):
                yield part
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)


def _check_name(path: Path, name: str) -> None:
    """Refuse a name that is not the thing's own: a module, or what a module imports."""
    home, _, own = name.rpartition(".")
    thing = getattr(import_module(home), own)
    if (
        isinstance(thing, ModuleType)
        or getattr(thing, "__module__", None) not in (home, None)
        or getattr(thing, "__name__", own) != own
    ):
        raise FileError(
            f"{path.name} asks for {name}, which is not the name under which it is defined.",
            "Trust types and functions by their own names only.",
        )
