"""The project's Python files, parsed once for every architecture test."""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("src", "tests", "benchmarks", "scripts")


@dataclass(frozen=True)
class Source:
    """One Python file: where it lies, its text and its syntax tree."""

    path: Path  # from the root of the project

    @cached_property
    def text(self) -> str:
        return (ROOT / self.path).read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))

    @property
    def shipped(self) -> bool:
        """Whether the file is part of the package."""
        return self.path.parts[:2] == ("src", "ifonly")

    @property
    def dotted(self) -> str:
        """The name a shipped file is imported by: 'ifonly.space.feature', 'ifonly.space'."""
        parts = self.path.with_suffix("").parts[1:]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def sources() -> list[Source]:
    """Every Python file of the project, shipped or not."""
    found = [path for folder in CODE for path in (ROOT / folder).rglob("*.py")]
    return [Source(path.relative_to(ROOT)) for path in sorted(found)]


@pytest.fixture(scope="session")
def shipped(sources: list[Source]) -> list[Source]:
    """Every Python file of the package."""
    return [source for source in sources if source.shipped]


@pytest.fixture(scope="session")
def drawing() -> ModuleType:
    """The script that reads the imports of the package and draws them."""
    spec = importlib.util.spec_from_file_location("drawing", ROOT / "scripts" / "draw_imports.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def imports(drawing: ModuleType) -> dict[str, set[str]]:
    """The files of the package by their dotted names, and the files that each one imports."""
    graph: dict[str, set[str]] = drawing.file_graph(ROOT / "src")
    return graph
