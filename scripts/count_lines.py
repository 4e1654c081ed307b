"""Count the lines of code of the package, without docstrings, comments and blank lines.

    python scripts/count_lines.py [folder of a checkout]

It prints the total of src/ifonly, then one line per room: a package, or the files of the root.
Docstrings are those that Python knows: of modules, classes and functions. A string below a field
counts as code.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lines_of_code(text: str) -> int:
    """The number of lines of a file that hold code.

    >>> lines_of_code('"zero"\\nx = 1  # one\\n\\n# two\\ny = [\\n    2,\\n]\\n')
    4
    """
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {
        line
        for token in tokens
        if token.type not in SILENT
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            code -= set(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(code)


def lines_by_room(package: Path) -> Counter[str]:
    """The lines of code of each room of a package."""
    rooms: Counter[str] = Counter()
    for path in package.rglob("*.py"):
        inside = path.relative_to(package)
        room = f"{inside.parts[0]}/" if len(inside.parts) > 1 else "root"
        rooms[room] += lines_of_code(path.read_text(encoding="utf-8"))
    return rooms


def main() -> None:
    """Print the counts."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    rooms = lines_by_room(root / "src" / "ifonly")
    print(f"{rooms.total():7,}  src/ifonly")
    for room, lines in rooms.most_common():
        print(f"{lines:7,}  {room}")


if __name__ == "__main__":
    main()
