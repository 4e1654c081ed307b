"""Draw which room of the package imports which: docs/pictures/imports.svg.

    python scripts/draw_imports.py

A room is a package or a file right under src/ifonly. Every import counts, inside a function or
under TYPE_CHECKING too. The picture leaves out an arrow where other arrows lead there as well; all
imports stand in its description, which a test compares with the code.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "imports.svg"
SWEEPS = 40
"""How often the nodes of a layer are put in the order of their neighbours."""

Graph = dict[str, set[str]]
"""What each name imports."""
Node = tuple[str, str, int]
"""A room, named twice, or an arrow from one room to another where it crosses a layer."""


def file_graph(source: Path) -> Graph:
    """The files of the package by their dotted names, and the files that each one imports."""
    files = {}
    for path in sorted((source / "ifonly").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph: Graph = {}
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        graph[name] = set(_imported(tree, package, files)) - {name}
    return graph


def room_graph(files: Graph) -> Graph:
    """The rooms, and the rooms that each one imports; ifonly itself is for its users."""
    graph: Graph = {}
    for name, targets in files.items():
        graph.setdefault(room_of(name), set()).update(map(room_of, targets))
    return {room: targets - {room, ""} for room, targets in graph.items() if room}


def room_of(dotted: str) -> str:
    """The room of a file: 'space' for 'ifonly.space.feature', '' for ifonly itself."""
    return dotted.split(".")[1] if "." in dotted else ""


def described(graph: Graph) -> str:
    """All imports of a graph as text, a line per name."""
    return "\n".join(" ".join([f"{name}:", *sorted(graph[name])]) for name in sorted(graph))


def draw(graph: Graph, path: Path) -> None:
    """Write the picture; the ending of the path says in which format."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
    from matplotlib.path import Path as Curve

    matplotlib.rcParams |= {"svg.hashsalt": "ifonly", "svg.fonttype": "none"}
    arrows, at = _arranged(graph)
    figure = Figure(figsize=(11, 1 + max(y for _, y in at.values())), layout="constrained")
    axes = figure.add_subplot(aspect="equal")
    axes.axis("off")
    for nodes in arrows:
        x, y = at[nodes[0]]
        corners, codes = [(x, y - 0.22)], [Curve.MOVETO]
        for upper, lower in pairwise(nodes):
            (a, top), (b, bottom) = at[upper], at[lower]
            end = bottom + (0.24 if lower is nodes[-1] else 0.0)
            corners += [(a, (top + end) / 2), (b, (top + end) / 2), (b, end)]
            codes += [Curve.CURVE4] * 3
        arrow = FancyArrowPatch(path=Curve(corners, codes), arrowstyle="-|>", mutation_scale=12)
        arrow.set(color="#667788")
        axes.add_patch(arrow)
    for (name, target, _), (x, y) in at.items():
        if name == target:
            box = FancyBboxPatch((x - 0.45, y - 0.2), 0.9, 0.4, boxstyle="round,pad=0.02")
            box.set(facecolor="#eaf1f8", edgecolor="#2b5c8a")
            axes.add_patch(box)
            axes.text(x, y, name, ha="center", va="center", fontsize=12, color="#12293d")
    axes.autoscale_view()
    vector = path.suffix == ".svg"
    metadata = {"Description": described(graph), "Date": None} if vector else None
    figure.savefig(path, metadata=metadata, dpi=100)


def _imported(tree: ast.AST, package: str, files: Collection[str]) -> Iterator[str]:
    """The files that a syntax tree imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            origin = ".".join([*(above if node.level else ()), *filter(None, [node.module])])
            named = {f"{origin}.{alias.name}" for alias in node.names}
            yield from named.intersection(files)
            if origin in files and not named.issubset(files):
                yield origin


def _arranged(graph: Graph) -> tuple[list[list[Node]], dict[Node, tuple[float, float]]]:
    """The nodes of each arrow from top to bottom, and where each node is drawn.

    A room is right above the highest that it imports. Neighbours in the next layer pull each node
    to their middle, from above and from below by turns.
    """
    level: dict[str, int] = {}
    reach: Graph = {}
    for room in TopologicalSorter(graph).static_order():
        level[room] = 1 + max((level[target] for target in graph[room]), default=-1)
        reach[room] = graph[room].union(*(reach[target] for target in graph[room]))
    arrows: list[list[Node]] = []
    for room in sorted(graph):
        for target in sorted(graph[room].difference(*[reach[t] for t in graph[room]] or [()])):
            across = [(room, target, n) for n in range(level[room] - 1, level[target], -1)]
            arrows.append([(room, room, level[room]), *across, (target, target, level[target])])
    near: dict[Node, list[Node]] = {(room, room, n): [] for room, n in level.items()}
    for upper, lower in (pair for nodes in arrows for pair in pairwise(nodes)):
        near.setdefault(upper, []).append(lower)
        near.setdefault(lower, []).append(upper)
    rows = [[node for node in near if node[2] == n] for n in range(1 + max(level.values()))]
    at = {node: place for row in rows for node, place in _places(row, dict.fromkeys(row, 0.0))}
    for sweep in range(SWEEPS):
        side = 1 if sweep % 2 else -1
        for row in rows[::-side]:
            pull = {node: at[node][0] for node in row}
            for node in row:
                pulling = [at[other][0] for other in near[node] if other[2] == node[2] + side]
                pull[node] = sum(pulling) / len(pulling) if pulling else pull[node]
            at |= dict(_places(sorted(row, key=pull.__getitem__), pull))
    return arrows, at


def _places(
    row: list[Node], wanted: dict[Node, float]
) -> Iterator[tuple[Node, tuple[float, float]]]:
    """Where the nodes of a layer stand: side by side, near to where each is wanted."""
    places: list[float] = []
    for left, node in zip([None, *row], row, strict=False):
        gap = 0.0 if left is None else (_width(left) + _width(node)) / 2
        places.append(max(wanted[node], places[-1] + gap) if places else wanted[node])
    shift = sum(places[i] - wanted[node] for i, node in enumerate(row)) / len(row)
    for place, node in zip(places, row, strict=True):
        yield node, (place - shift, 1.1 * node[2])


def _width(node: Node) -> float:
    return 1.25 if node[0] == node[1] else 0.4


if __name__ == "__main__":
    draw(room_graph(file_graph(ROOT / "src")), Path(sys.argv[1]) if sys.argv[1:] else PICTURE)
