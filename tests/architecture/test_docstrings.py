"""Every public name says what it takes, returns and raises, and shows an example that runs.

The names are collected from the package. That the examples run is a matter of `--doctest-modules`.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import ifonly
from ifonly import errors
from ifonly.models import Differentiable
from ifonly.refine import Refiner
from ifonly.search.searcher import Prover
from ifonly.select import Diverse
from ifonly.select.exchange import Chooser

# What is for developers of ifonly, not for its users: whole modules, and single names.
PARTS = {"errors", "objective"}
INTERNAL = {"models.Counted", "rules.Box", "rules.Rule", "rules.Scene"}
FURTHER = {
    "scale": "Progress Run Summary answers_table dask explain open_run ray schema spark to_delta",
    "contract": "DecisionRecord Handler Limits canonical row_hash",
    "contract.records.record_file": "faults_of read_record write_record",
    "contract.records.signing": "make_keys read_private read_public signed",
    "serve.store": "Entry Fault Head Kept Report Store Written open_store read_key verify",
    "client": "Client Job",
}
"""What pages name beside `ifonly.__all__`; some of it needs an extra."""
FOR_PARTS = {
    *(
        f"contract.Handler.{one}"
        for one in ("codes", "each_rule", "frame", "row", "rules", "target")
    ),
    *(f"scale.Summary.{one}" for one in ("from_plain", "of", "to_plain")),
    *(f"serve.store.Store.{one}" for one in ("append_all", "check_key", "extent", "replay")),
    "serve.store.Kept.of",
}
"""Methods that other parts of ifonly call, and no user."""
# What these methods do is documented once, by the protocol.
PROTOCOLS = (Chooser, Differentiable, Diverse, Prover, Refiner)
IMPLEMENTED = {name for one in PROTOCOLS for name in dir(one) if not name.startswith("_")}

WITHOUT_EXAMPLE = {
    "Answers.plot": "needs matplotlib and draws",
    "Audit.plot": "needs matplotlib and draws",
    "Answers.plot_importance": "needs matplotlib and draws",
    "Answers.to_parquet": "writes a file",
    "Answers.acted_features": "needs a causal model",
    "Answers.name": "for the parts of ifonly that render",
    "Answers.asked_further": "for the parts of ifonly that ask the model again",
    "Answers.taken": "for `answers[...]`, which the example of Answers shows",
    "scale.ray": "needs Ray; tests/scale/engines runs it",
    "scale.spark": "needs Spark; tests/scale/engines runs it",
    "scale.to_delta": "needs Delta Lake; tests/scale/engines runs it",
    "select.Ways.marked": "needs a problem, which `select` of every selector is given",
}


def test_every_parameter_is_documented_and_nothing_else() -> None:
    offences = {}
    for name, thing in public():
        stated, documented = parameters(thing), in_section(thing, "Parameters")
        if stated != documented:
            offences[name] = sorted(stated ^ documented)
    assert offences == {}


def test_every_further_name_documents_its_parameters_or_its_fields() -> None:
    offences = {}
    for name, thing in further():
        missing = parameters(thing) ^ in_section(thing, "Parameters")
        if missing and set(missing) != described(thing):
            offences[name] = sorted(missing)
    assert offences == {}


def test_every_further_name_says_what_it_returns_and_raises() -> None:
    silent = [name for name, one in further() if inspect.isfunction(one) and returns(one)]
    known = dict(further())
    assert [name for name in silent if "Returns" not in sections(known[name])] == []
    raising = [name for name, one in further() if raises(one)]
    assert [name for name in raising if "Raises" not in sections(known[name])] == []


def test_every_further_function_has_an_example() -> None:
    """Methods of a server's client and of a store, and fields, are shown by the guides."""
    found = {name for name, one in further() if inspect.isfunction(one) and name.count(".") < 4}
    found = {name for name in found if name.rpartition(".")[0] in FURTHER}
    shown = {name for name, one in further() if ">>>" in document(one)}
    assert found - shown == {name for name in WITHOUT_EXAMPLE if name.startswith("scale.")}


def test_every_function_that_returns_something_says_what() -> None:
    returning = [(name, f) for name, f in public() if inspect.isfunction(f) and returns(f)]
    assert [name for name, f in returning if "Returns" not in sections(f)] == []


def test_every_name_that_raises_an_error_of_ours_says_so() -> None:
    raising = [(name, thing) for name, thing in public() if raises(thing)]
    assert len(raising) > 10, "the errors are not recognised any longer"
    assert [name for name, thing in raising if "Raises" not in sections(thing)] == []


def test_every_public_name_has_an_example() -> None:
    """A protocol has none: it is for others to implement."""
    found = {name for name, thing in public() if not is_protocol(thing)}
    shown = {name for name, thing in public() if ">>>" in document(thing)}
    assert found - shown == {one for one in WITHOUT_EXAMPLE if not one.startswith("scale.")}


@cache
def public() -> tuple[tuple[str, Any], ...]:
    """Every public function and class, and the public methods of the classes."""
    found = dict(_listed())
    return tuple(item for name, thing in found.items() for item in _with_methods(name, thing))


@cache
def further() -> tuple[tuple[str, Any], ...]:
    """What pages name beside the root's names, with the public methods of classes."""
    found = [
        (f"{home}.{name}", getattr(import_module(f"ifonly.{home}"), name))
        for home, names in FURTHER.items()
        for name in names.split()
    ]
    every = (item for name, thing in found for item in _with_methods(name, thing))
    return tuple((name, thing) for name, thing in every if name not in FOR_PARTS)


def described(thing: Any) -> set[str]:
    """The fields of a class that have a text under them."""
    body = ast.parse(_source(thing)).body[0]
    if not isinstance(body, ast.ClassDef):
        return set()
    pairs = zip(body.body, body.body[1:], strict=False)
    return {
        one.target.id
        for one, text in pairs
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def _listed() -> Iterator[tuple[str, Any]]:
    for name in ifonly.__all__:
        thing = getattr(ifonly, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield name, thing
        if inspect.ismodule(thing) and name not in PARTS:
            own = [n for n, one in vars(thing).items() if _made_in(one, thing) and n[0] != "_"]
            for part in getattr(thing, "__all__", own):
                value, dotted = getattr(thing, part), f"{name}.{part}"
                if (inspect.isclass(value) or inspect.isfunction(value)) and dotted not in INTERNAL:
                    yield dotted, value


def _made_in(thing: Any, module: Any) -> bool:
    return getattr(thing, "__module__", None) == module.__name__


def _with_methods(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    yield name, thing
    for part in dir(thing) if inspect.isclass(thing) else ():
        method = inspect.unwrap(getattr(thing, part))
        method = getattr(method, "__func__", method)
        ours = inspect.isfunction(method) and method.__module__.startswith("ifonly.")
        if ours and part[0] != "_" and (part not in IMPLEMENTED or is_protocol(thing)):
            yield f"{name}.{part}", method


def is_protocol(thing: Any) -> bool:
    """Whether a thing is a protocol, or a method of one."""
    if inspect.isfunction(thing) and "." in thing.__qualname__:
        owner = inspect.getmodule(thing)
        thing = getattr(owner, thing.__qualname__.split(".")[0])
    return bool(getattr(thing, "_is_protocol", False))


def parameters(thing: Any) -> set[str]:
    """The parameters of a function, or those that an object of a class is made with."""
    if inspect.isclass(thing) and (issubclass(thing, enum.Enum) or is_protocol(thing)):
        return set()
    return set(inspect.signature(thing).parameters) - {"self", "cls"}


def returns(function: Any) -> bool:
    return inspect.signature(function).return_annotation not in ("None", None)


def raises(thing: Any) -> bool:
    """Whether a function, or the making of an object, raises an error of ours itself."""
    if inspect.isclass(thing):
        thing = vars(thing).get("__post_init__", vars(thing).get("__init__"))
        if not inspect.isfunction(thing) or thing.__module__.split(".")[0] != "ifonly":
            return False
    if "raise " not in (source := _source(thing)):
        return False
    raised = [one.exc for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Raise)]
    called = [one.func for one in raised if isinstance(one, ast.Call)]
    return any(isinstance(one, ast.Name) and hasattr(errors, one.id) for one in called)


def _source(thing: Any) -> str:
    try:
        return textwrap.dedent(inspect.getsource(thing))
    except OSError:  # the __init__ that a dataclass writes
        return ""


def document(thing: Any) -> str:
    return inspect.cleandoc(thing.__doc__ or "")


def sections(thing: Any) -> dict[str, str]:
    """The text below each underlined heading of a docstring."""
    parts = re.split(r"^(\w+)\n-{3,}$", document(thing), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def in_section(thing: Any, heading: str) -> set[str]:
    """The names that stand at the margin of a section: 'a, b' and '*rest' name a, b and rest."""
    text = sections(thing).get(heading, "")
    lines = [line for line in text.splitlines() if line and line[0] != " "]
    return {name.strip(" *") for line in lines for name in line.split(",")}
