"""torch modules, with gradients by torch itself.

How rows become its input nothing tells, so the user says it: 'units', or a transform of their own.
What a module gives is read from its last layer and checked on its output: a Sigmoid or a Softmax
gives probabilities, numbers outside [0, 1] are logits, and where neither tells, the user must say.
The gradient is always that of logits: a Sequential is asked without its last layer, any other
module with probabilities in double precision, so that a saturated model still shows the way.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.errors import MissingExtra, ModelError, OptionError
from ifonly.models.adapters.table import TableModel, check_scores, run
from ifonly.space import Space

SQUASHING = ("Sigmoid", "Softmax")
"""Last layers that make probabilities of logits."""


@dataclass(frozen=True, eq=False)
class TorchModule:
    """A module and its input; `gives` says what comes out."""

    module: Any
    space: Space
    classes: tuple[Any, ...]
    gives: str
    transform: TableModel | None = None
    """What makes the module's input of codes; None: units [n, w] in the space's order."""

    def scores(self, codes: Any) -> Any:
        """[n, c] probabilities of codes [n, d], or the numbers that a regression predicts."""
        import torch

        with torch.no_grad():
            logits = self._logits(*self.given(codes))
            scores = torch.softmax(logits, dim=1) if self.classes else logits
        if isinstance(codes, np.ndarray):
            return check_scores(scores.double().cpu().numpy(), len(codes), self.classes)
        return scores

    def decide(self, codes: Any) -> None:
        """None: the scores decide."""

    def given(self, codes: Any) -> tuple[Any, ...]:
        """The tensors that the module is called with for codes [n, d].

        A transform that returns tensors has made them as the module wants them.
        """
        import torch

        if self.transform is None:
            # In the codes' own precision, on the module's device: the units are many more.
            placed = torch.as_tensor(codes).to(self.home().device)
            return (self._input(self.space.units(placed)),)
        made = run(self.transform.ask, self.transform.frame(np.asarray(codes)))
        return tuple(
            part.to(self.home().device) if torch.is_tensor(part) else self._input(_plain(part))
            for part in (made if isinstance(made, tuple) else (made,))
        )

    @property
    def double(self) -> bool:
        """Whether the module computes in double precision."""
        import torch

        return bool(next(self.module.parameters(), torch.empty(0)).dtype == torch.float64)

    def home(self) -> Any:
        """An empty tensor where the module lives: searches with its gradient run there."""
        import torch

        first = next(self.module.parameters(), torch.empty(0))
        return torch.empty(0, dtype=torch.float32, device=first.device)

    def behind(self, matrix: np.ndarray, offset: np.ndarray) -> TorchModel:
        """The model over units, where its input is `units @ matrix + offset`."""
        import torch

        first = torch.nn.Linear(*matrix.shape).double()
        with torch.no_grad():
            first.weight.copy_(torch.from_numpy(matrix.T))
            first.bias.copy_(torch.from_numpy(offset))
        whole = torch.nn.Sequential(first.to(self._input(matrix)), self.module)
        return TorchModel(whole.eval(), self.space, self.classes, self.gives)

    def _input(self, units: Any) -> Any:
        import torch

        first = next(self.module.parameters(), torch.empty(0))
        return torch.as_tensor(units).to(device=first.device, dtype=first.dtype).detach()

    def _logits(self, *inputs: Any) -> Any:
        """[n, c] as torch tensors; two classes with one output are (0, output)."""
        import torch

        output = self.module(*inputs)
        output = output[:, None] if output.ndim == 1 else output
        if self.gives == "probabilities":
            share = output.clamp(1e-15, 1 - 1e-15)
            output = torch.logit(share) if output.shape[1] == 1 else torch.log(share)
        if len(self.classes) == 2 and output.shape[1] == 1:
            output = torch.cat([torch.zeros_like(output), output], dim=1)
        return output


@dataclass(frozen=True, eq=False)
class TorchModel(TorchModule):
    """A module over units, which has a gradient."""

    def logits(self, units: Any) -> Any:
        """[n, c] the logits of units [n, w], in the namespace that came in."""
        import torch

        with torch.no_grad():
            return _like(self._logits(self._input(units)), units)

    def logits_gradient(self, units: Any, weights: Any) -> tuple[Any, Any]:
        """[n, c] the logits, and [n, w] the derivative of their sum under weights [n, c]."""
        import torch

        with torch.enable_grad():
            inputs = self._input(units).requires_grad_(True)
            logits = self._logits(inputs)
            wanted = torch.as_tensor(weights, dtype=logits.dtype, device=logits.device)
            (gradient,) = torch.autograd.grad((logits * wanted).sum(), inputs)
        return _like(logits.detach(), units), _like(gradient, units)


def adapt(
    module: Any,
    space: Space,
    probe: np.ndarray,
    *,
    transform: TableModel | None = None,
    classes: tuple[Any, ...] | None = None,
    gives: str | None = None,
) -> TorchModule:
    """A module as a model over a space; `probe` [n, d] are codes to see what it gives."""
    import torch

    if getattr(module, "training", False):
        with suppress(NotImplementedError):  # an exported program is what it was exported as
            module.eval()
    kind = TorchModel if transform is None else TorchModule
    trial = kind(module, space, (), "logits", transform)
    given = trial.given(probe)
    try:
        with torch.no_grad():
            output = module(*given).double().cpu().numpy()
    except (RuntimeError, TypeError) as error:
        shapes = " and ".join(str(tuple(part.shape)) for part in given)
        raise ModelError(
            f"The module failed on {'units' if transform is None else 'input'} of shape "
            f"{shapes}: {error}",
            "With inputs='units' it is asked with numbers scaled to [0, 1] and categories one-hot, "
            "in the order of `data`. Give the transform that it was trained behind: "
            "ifonly.as_model(module, inputs=transform).",
        ) from error
    output = output[:, None] if output.ndim == 1 else output
    if classes == ():
        return trial
    gives = gives or _output_kind(module, output)
    if gives == "probabilities":
        module, gives = _unsaturated(module)
    known = classes or tuple(range(max(2, output.shape[1])))
    return kind(module, space, known, gives, transform)


def undeclared(module: Any) -> OptionError:
    """The error for a module of which nobody has said what its input is."""
    return OptionError(
        f"{type(module).__name__} is a torch module, which does not say how a row becomes its "
        "input.",
        "Say it: ifonly.as_model(module, inputs=transform), with the fitted scikit-learn "
        "transformer that it was trained behind, or a function from a frame like `data` to its "
        "input; inputs='units' where it takes ifonly's units: numbers scaled to [0, 1] by the "
        "range of `data`, categories one-hot. On the command line: --inputs.",
    )


def is_module(model: Any) -> bool:
    """Whether a model is a torch module; torch is loaded already if it is one."""
    loaded = sys.modules.get("torch")
    return loaded is not None and isinstance(model, loaded.nn.Module)


def load(path: Path) -> Any:
    """The module in a .pt2 file, as torch.export saves it."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("torch", "torch") from None
    return torch.export.load(str(path)).module()


def _output_kind(module: Any, output: np.ndarray) -> str:
    """'probabilities' or 'logits', where the last layer or the numbers tell."""
    if output.min() < 0 or output.max() > 1:
        return "logits"
    sums = output.sum(axis=1)
    ended = [type(layer).__name__ for layer in module.modules()][-1:] if output.size else []
    if ended and ended[0] in SQUASHING and (output.shape[1] == 1 or np.allclose(sums, 1)):
        return "probabilities"
    raise ModelError(
        "The module's output lies between 0 and 1 and its last layer does not say whether that "
        "is a probability.",
        "Say it: ifonly.as_model(module, inputs=..., gives='probabilities'), or 'logits'.",
    )


def _unsaturated(module: Any) -> tuple[Any, str]:
    """The module without its last layer, or in double precision, and what it then gives."""
    import torch

    if isinstance(module, torch.nn.Sequential) and type(module[-1]).__name__ in SQUASHING:
        return module[:-1], "logits"
    return deepcopy(module).double(), "probabilities"


def _plain(made: Any) -> Any:
    """What a transform made, as an array: a frame or a sparse matrix too."""
    return np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64)


def _like(tensor: Any, units: Any) -> Any:
    """The tensor as an array of the namespace and precision of units."""
    if isinstance(units, np.ndarray):
        return tensor.cpu().numpy().astype(units.dtype)
    return tensor.to(dtype=units.dtype)
