"""ONNX files through onnxruntime: one matrix of all features, or one input a column.

What a graph gives is read off its outputs: a label and probabilities (as a matrix, or as the list
of dictionaries that some converters write), probabilities alone, or a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.errors import MissingExtra, ModelError
from ifonly.models.adapters.names import wanted_columns
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.threads import allowed_threads
from ifonly.models.protocol import Model
from ifonly.space import Space

_DTYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.str_,
}


@dataclass(frozen=True)
class Graph:
    """The bytes of an ONNX file. A session is opened when it is asked, so that a graph pickles."""

    content: bytes

    def __hash__(self) -> int:
        return hash(self.content)

    @property
    def session(self) -> Any:
        """An onnxruntime session, one for each graph of this process."""
        return _session(self)


@lru_cache(maxsize=8)
def _session(graph: Graph) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra("onnxruntime", "onnx") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # an error is raised; it need not be printed as well
    options.intra_op_num_threads = allowed_threads()
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(graph.content, options, providers=providers)


def adapt(graph: Graph, space: Space, probe: np.ndarray) -> Model:
    """A graph as a model over a space; `probe` [n, d] are codes to see what it gives."""
    inputs = {one.name: one.type for one in graph.session.get_inputs()}
    columns = wanted_columns(inputs, space) if len(inputs) > 1 else ()
    run = partial(_run, graph, inputs)
    table = TableModel(space, (), run, columns=columns)
    first, second = _outputs(run(table.frame(probe)))
    if second is None:
        if first.ndim == 2 and first.shape[1] > 1:
            return TableModel(
                space, tuple(range(first.shape[1])), partial(_scores, run), None, columns
            )
        return TableModel(space, (), partial(_scores, run), None, columns)
    classes = _classes(second, first)
    return TableModel(space, classes, partial(_scores, run), partial(_labels, run), columns)


def load(path: Path) -> Graph:
    """The graph in an .onnx file.

    It is opened from its bytes: weights in files beside it are then out of onnxruntime's reach.
    """
    graph = Graph(path.read_bytes())
    graph.session  # noqa: B018  a file that is no graph fails here
    return graph


def _run(graph: Graph, inputs: Mapping[str, str], frame: Any) -> list[Any]:
    if len(inputs) == 1:
        ((name, kind),) = inputs.items()
        return list(graph.session.run(None, {name: frame.to_numpy().astype(_dtype(kind))}))
    feed = {
        name: np.asarray(frame[name].to_numpy()).astype(_dtype(kind)).reshape(-1, 1)
        for name, kind in inputs.items()
    }
    return list(graph.session.run(None, feed))


def _dtype(kind: str) -> Any:
    if kind not in _DTYPES:
        raise ModelError(
            f"The graph expects an input of {kind}, which cannot be a column of a frame."
        )
    return _DTYPES[kind]


def _outputs(results: list[Any]) -> tuple[Any, Any]:
    """What a graph gave: (numbers, None), or (labels, probabilities)."""
    if len(results) == 1:
        return np.asarray(results[0]), None
    return np.asarray(results[0]), results[1]


def _scores(run: Any, frame: Any) -> Any:
    first, second = _outputs(run(frame))
    if second is None:
        return first
    if isinstance(second, list):
        return np.array([list(one.values()) for one in second])
    return second


def _labels(run: Any, frame: Any) -> Any:
    return _outputs(run(frame))[0]


def _classes(second: Any, labels: np.ndarray) -> tuple[Any, ...]:
    if isinstance(second, list):
        return tuple(second[0])
    if labels.dtype.kind in "iu":
        return tuple(range(np.shape(second)[1]))
    raise ModelError(
        "The graph gives labels that are text and probabilities that do not name them.",
        "Convert it with dictionaries of probabilities (zipmap), or with whole-number classes.",
    )
