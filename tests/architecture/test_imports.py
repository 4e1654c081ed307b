"""Imports point down only, third-party packages keep to their rooms, and `import ifonly` is light.

A *unit* is a module or package right under `ifonly`. Each has a layer; a unit imports from lower
layers, and from its own layer only where LAYERS says so. A new unit takes a place in LAYERS first.
An import counts wherever it stands: inside a function, or for the types alone.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

Graph: TypeAlias = dict[str, set[str]]

# From the top to the bottom. 'apart': units of one layer never import each other.
# 'together': they may, without a cycle.
LAYERS = [
    ("together", {"__main__", "cli", "paper"}),
    ("apart", {"mcp"}),
    ("apart", {"serve"}),
    ("apart", {"page"}),
    ("apart", {"client"}),
    ("apart", {"recipes"}),
    ("apart", {"api", "contract", "typical"}),
    ("apart", {"fairness", "scale"}),
    ("apart", {"explainer", "tables"}),
    ("apart", {"answers"}),
    ("apart", {"solve"}),
    ("apart", {"metrics", "render", "search", "refine", "select", "demands"}),
    ("apart", {"bounds"}),
    ("apart", {"problem"}),
    ("together", {"causal", "rules", "models", "objective", "plausible"}),
    ("apart", {"space"}),
    ("apart", {"errors", "status", "arrays"}),
]
LEVEL = {unit: level for level, (_, units) in enumerate(LAYERS) for unit in units}

# These import what they need; of the layers, only cli, paper and serve import them.
SIDE = {"datasets", "testing"}
SIDE_READERS = {"cli", "paper", "serve"} | SIDE

# Package -> the files or folders of ifonly that may import it, at the top or inside a function.
ROOMS = {
    "torch": ["models/adapters/torch", "search/device"],
    "onnxruntime": ["models/adapters/onnx"],
    "highspy": ["search/exact"],
    "ortools": ["search/exact"],
    "matplotlib": [
        *("render/plot", "render/plot_importance", "render/plot_curves", "paper/report/figures"),
    ],
    "lime": ["paper/experiments/lime"],
    "pydantic": ["contract", "serve"],
    "fastapi": ["serve"],
    "starlette": ["serve", "mcp"],
    "uvicorn": ["serve", "mcp"],
    "prometheus_client": ["serve/metrics"],
    "psycopg": ["serve/store"],
    "cryptography": ["contract/records/signing"],
    "mcp": ["mcp"],
    "anywidget": ["page/widget"],
    "traitlets": ["page/widget"],
    "typer": ["cli"],
    "rich": ["cli"],
    "xgboost": ["models"],
    "lightgbm": ["models"],
    "catboost": ["models"],
    "autogluon": ["models/adapters/autogluon"],
    "mlflow": ["models/files/folders", "serve/mlflow"],
    "dask": ["scale/on/dask"],
    "distributed": ["scale/on/dask"],
    "ray": ["scale/on/ray"],
    "pyspark": ["scale/on/spark"],
    "deltalake": ["scale/stores/delta"],
    "fsspec": ["scale/sources/places", "scale/stores"],
    "yaml": ["models/files/folders"],
}
# Slow to import: inside functions, except where a unit is imported only on request.
LAZY = {"sklearn": {"datasets", "paper"}, "scipy": {"datasets", "paper"}}

HEAVY = [*ROOMS, *LAZY, "polars"]


def test_every_unit_has_a_layer(shipped: list[Any]) -> None:
    units = {unit_of(source.dotted) for source in shipped}
    assert units - set(LEVEL) - SIDE - {""} == set(), "give the unit a place in LAYERS"


def test_imports_point_down(imports: Graph) -> None:
    offences = [
        f"{name} imports {target}"
        for name, targets in imports.items()
        for target in sorted(targets)
        if unit_of(name) not in SIDE | {""} and not allowed(unit_of(name), unit_of(target))
    ]
    assert offences == []


def test_units_import_each_other_without_a_cycle(imports: Graph, drawing: Any) -> None:
    assert cycle(drawing.room_graph(imports)) == []


def test_files_import_each_other_without_a_cycle(imports: Graph) -> None:
    assert cycle(imports) == []


def test_a_cycle_is_seen_wherever_its_imports_stand(tmp_path: Path, drawing: Any) -> None:
    files = {
        "__init__.py": "",
        "rows/__init__.py": "def f():\n    from ifonly.rows import late\n",
        "rows/late.py": "if TYPE_CHECKING:\n    from .early import x\n",
        "rows/early.py": "import ifonly.names\n",
        "names.py": "from ifonly.rows import f\n",
    }
    for name, text in files.items():
        path = tmp_path / "ifonly" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    graph = drawing.file_graph(tmp_path)
    names = ["ifonly.rows", "ifonly.rows.late", "ifonly.rows.early", "ifonly.names"]
    assert {name: graph[name] for name in names} == {
        name: {target} for name, target in zip(names, [*names[1:], names[0]], strict=True)
    }
    assert set(cycle(graph)) == set(names)
    assert set(cycle(drawing.room_graph(graph))) == {"names", "rows"}


def test_the_picture_shows_the_imports_as_they_are(imports: Graph, drawing: Any) -> None:
    shown = ElementTree.parse(drawing.PICTURE).find(".//{*}description")
    assert shown is not None
    wanted = drawing.described(drawing.room_graph(imports))
    assert shown.text == wanted, "run: python scripts/draw_imports.py"


def test_strategies_never_import_each_other(shipped: list[Any], imports: Graph) -> None:
    """A file that defines a searcher imports no other that does; Union and the package aside."""
    strategies = {
        source.dotted
        for source in shipped
        if unit_of(source.dotted) == "search" and defines_searcher(source.tree)
    }
    assert len(strategies) > 5, "the searchers are not recognised any longer"
    offences = [
        f"{source.path} imports {target}"
        for source in shipped
        if source.dotted in strategies
        for target in sorted(imports[source.dotted])
        if target in strategies - {source.dotted} or target == "ifonly.search"
    ]
    assert offences == []


def defines_searcher(tree: ast.AST) -> bool:
    """Whether a file has a class with a method `search(problem, k)` that is no protocol."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return any(
        isinstance(part, ast.FunctionDef)
        and part.name == "search"
        and [one.arg for one in part.args.args] == ["self", "problem", "k"]
        for node in classes
        if not any("Protocol" in ast.unparse(base) for base in node.bases)
        for part in node.body
    )


def test_third_party_packages_keep_to_their_rooms(shipped: list[Any]) -> None:
    offences = []
    for source in shipped:
        place = source.path.relative_to("src/ifonly").with_suffix("")
        for name in third_party(source.tree):
            rooms = ROOMS.get(name)
            if rooms is not None and not any(place.is_relative_to(room) for room in rooms):
                offences.append(f"{source.path} imports {name}, whose room is {rooms}")
    assert offences == []


def test_slow_packages_are_imported_inside_functions(shipped: list[Any]) -> None:
    offences = []
    for source in shipped:
        for name in third_party(source.tree, at_import=True):
            if name in LAZY and unit_of(source.dotted) not in LAZY[name]:
                offences.append(f"{source.path} imports {name} at the top")
    assert offences == []


def test_importing_ifonly_loads_nothing_heavy(root: Path) -> None:
    # Names are loaded on first use, so they are all used; two modules are there to be heavy.
    code = """
import sys, ifonly
[getattr(ifonly, name) for name in ifonly.__all__ if name not in ("datasets", "testing")]
print(*sys.modules, sep="\\n")
"""
    loaded = set(python(code, root).split())
    assert sorted(loaded & set(HEAVY)) == []


def test_importing_ifonly_changes_no_global_state(root: Path) -> None:
    assert python(GLOBAL_STATE, root).strip() == "unchanged"


GLOBAL_STATE = """
import locale, logging, os, random, signal, warnings
import array_api_compat, narwhals, numpy, pandas

def state():
    return [
        list(warnings.filters), dict(os.environ), random.getstate(), locale.getlocale(),
        list(logging.root.handlers), logging.root.level, signal.getsignal(signal.SIGINT),
        numpy.geterr(), numpy.get_printoptions(), repr(numpy.random.get_state()),
        pandas.options.d,
    ]

before = repr(state())
import ifonly

for name in ifonly.__all__:  # names are loaded on first use: use them all
    if name not in ("datasets", "testing"):
        getattr(ifonly, name)
print("unchanged" if repr(state()) == before else "changed")
"""


def unit_of(dotted: str) -> str:
    """The unit a dotted name belongs to: 'space' for 'ifonly.space.feature', '' for ifonly."""
    return dotted.split(".")[1] if "." in dotted else ""


def allowed(importer: str, target: str) -> bool:
    """Whether a unit of LAYERS may import another; the top of ifonly ('') is for its users."""
    if importer == target:
        return True
    if target in SIDE or target == "":
        return importer in SIDE_READERS
    if importer not in LEVEL or target not in LEVEL:
        return True  # test_every_unit_has_a_layer speaks of it
    if LEVEL[importer] == LEVEL[target]:
        return LAYERS[LEVEL[importer]][0] == "together"
    return LEVEL[importer] < LEVEL[target]


def cycle(graph: Graph) -> list[str]:
    """The names of some cycle, the first one again at the end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def third_party(tree: ast.AST, *, at_import: bool = False) -> Iterator[str]:
    """The first parts of what a file imports; with at_import, only what importing it runs."""
    for node in at_import_nodes(tree) if at_import else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def at_import_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported: no function bodies, no TYPE_CHECKING."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from at_import_nodes(node)


def python(code: str, root: Path) -> str:
    """What a fresh Python prints when it runs the code."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
