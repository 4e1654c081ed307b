"""The house rules that a file can be measured by: size, names, docstrings, paths."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

LINES_IN_A_FILE = 300
FILES_IN_A_FOLDER = 15
LINES_IN_A_FUNCTION = 60
POSITIONAL_PARAMETERS = 6
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}

# A path that exists on one machine only: a home folder or a workplace.
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:home|root|Users|work|opt)/\w|\b[A-Z]:\\Users\\")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def test_no_file_is_longer_than_300_lines(sources: list[Any]) -> None:
    counts = {str(source.path): len(source.text.splitlines()) for source in sources}
    assert {path: n for path, n in counts.items() if n > LINES_IN_A_FILE} == {}


def test_no_folder_of_the_package_or_its_tests_has_more_than_15_files(sources: list[Any]) -> None:
    folders = Counter(source.path.parent for source in sources)
    crowded = {str(path): n for path, n in folders.items() if n > FILES_IN_A_FOLDER}
    assert {path: n for path, n in crowded.items() if path.startswith(("src", "tests"))} == {}


def test_every_module_has_a_name_that_says_something(sources: list[Any]) -> None:
    parts = [(source.path, set(source.path.with_suffix("").parts)) for source in sources]
    assert [str(path) for path, names in parts if names & EMPTY_NAMES] == []


def test_every_module_has_a_docstring(sources: list[Any]) -> None:
    written = [source for source in sources if source.text.strip()]
    assert [str(s.path) for s in written if not ast.get_docstring(s.tree)] == []


def test_no_function_is_longer_than_60_lines(sources: list[Any]) -> None:
    """The docstring does not count: an example that runs is welcome."""
    found = [(place, length(f)) for s in sources for place, f in functions(s)]
    assert [(place, n) for place, n in found if n > LINES_IN_A_FUNCTION] == []


def test_no_function_takes_more_than_six_positional_parameters(sources: list[Any]) -> None:
    found = [(place, positional(f)) for s in sources for place, f in functions(s)]
    assert [(place, n) for place, n in found if n > POSITIONAL_PARAMETERS] == []


def test_no_tracked_file_names_a_path_of_one_machine(root: Path) -> None:
    offences = []
    for path in tracked(root):
        content = path.read_bytes()
        if b"\0" in content:
            continue
        for number, line in enumerate(content.decode("utf-8").splitlines(), start=1):
            if MACHINE_PATH.search(line):
                offences.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
    assert offences == []


def functions(source: Any) -> Iterator[tuple[str, Function]]:
    """Every function and method of a file, with the place to look at."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{source.path}:{node.lineno} {node.name}", node


def length(function: Function) -> int:
    """The lines of a function from `def` to its end, its docstring left out."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - ((docstring.end_lineno or 0) - docstring.lineno + 1)


def positional(function: Function) -> int:
    """The number of parameters that may be given by position, self and cls aside."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    bound = bool(parameters) and parameters[0].arg in {"self", "cls"}
    return len(parameters) - bound


def tracked(root: Path) -> list[Path]:
    """The files that git tracks or would; without git, those of the source folders."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        paths = [root / name for name in done.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for folder in ("src", "tests") for path in (root / folder).rglob("*")]
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
