"""The reference has every public name, every command and every route, as they are."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from tests.architecture.test_docstrings import further, public
from tests.site.conftest import ROOT, Site

import ifonly
from ifonly import scale
from ifonly.rules.language import grammar, relations, verbs

sys.path.insert(0, str(ROOT / "scripts"))
from write_comparison import pages as measured_pages
from write_reference import pages

REFERENCE = ROOT / "docs" / "reference"
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
ELSEWHERE = {
    "ifonly.paper.experiments.feasibility.causal_feasibility": "state-what-can-change.md",
}
"""What examples import and the reference does not have: parts of the paper's evaluation."""


def test_every_name_of_the_package_is_on_a_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    shown = re.findall(r"^::: ifonly\.(\S+)$", text, re.MULTILINE)
    roots = {name.split(".")[0] for name in shown}
    assert set(ifonly.__all__) - roots == set()
    assert len(shown) == len(set(shown)), "a name is shown twice"


def test_every_name_that_an_example_imports_is_on_a_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    shown = re.findall(r"^::: (ifonly\.\S+)$", text, re.MULTILINE)
    used = {name: page for page in PAGES for name in _used(page)}
    assert len(used) > 40
    lacking = {
        f"{page.name}: {name}"
        for name, page in used.items()
        if not any(name == one or name.startswith(f"{one}.") for one in shown)
    }
    assert lacking == {f"{page}: {name}" for name, page in ELSEWHERE.items()}


def _used(page: Path) -> set[str]:
    """The names of ifonly in the examples of a page, by where they are imported from."""
    used = set()
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("ifonly."):
                used |= {f"{node.module}.{one.name}" for one in node.names}
            if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("ifonly."):
                used.add(ast.unparse(node))
    whole = {name for name in used if re.fullmatch(r"[\w.]+", name)}
    return {name for name in whole if not any(other.startswith(f"{name}.") for other in whole)}


def test_every_public_name_and_method_has_a_place_in_the_built_reference(site: Site) -> None:
    built = "".join(page.read_text() for page in (site.folder / "reference").glob("*.html"))
    places = set(re.findall(r'id="(ifonly[\w.]*)"', built))
    names = [*(name for name, _ in public()), *(f"scale.{name}" for name in scale.__all__)]
    names += [name for name, _ in further()]
    missing = [name for name in names if not _shown(name, places)]
    assert missing == []


def _shown(name: str, places: set[str]) -> bool:
    """Whether a name has a place: its own, that of the root, or in a module of the same name."""
    module, _, rest = name.partition(".")
    own = {f"ifonly.{name}", f"ifonly.{name}.{rest}"}
    own |= {f"ifonly.{rest or module}"} if module != "scale" else set()
    return bool(own & places)


@pytest.mark.parametrize("name", sorted(pages()))
def test_what_a_script_writes_is_as_it_would_write_it_now(name: str) -> None:
    """`python scripts/write_reference.py` writes it again."""
    assert (REFERENCE / name).read_text(encoding="utf-8") == pages()[name]


def test_the_grammar_is_that_of_the_code() -> None:
    page = _squeezed((REFERENCE / "rule-language.md").read_text(encoding="utf-8"))
    for module in (grammar, verbs, relations):
        text = str(module.__doc__)
        rules = [line for line in text.splitlines() if re.match(r"\s*(\w+ += |\|)", line)]
        assert len(rules) > 2
        assert [line for line in rules if _squeezed(line) not in page] == []


@pytest.mark.parametrize("path", sorted(measured_pages()))
def test_the_figures_of_a_page_are_those_of_the_kept_benchmarks(path: str) -> None:
    """`python scripts/write_comparison.py` writes them again."""
    assert (ROOT / path).read_text(encoding="utf-8") == measured_pages()[path]


def test_the_comparison_names_a_release_and_a_place_of_every_peer() -> None:
    text = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    head = next(line for line in text.splitlines() if line.startswith("| | ifonly |"))
    peers = _cells(head)[2:]
    assert len(peers) == 8
    better, sources = text.split("## What each does better")[1].split("## Sources")
    for peer in peers:
        assert f"\n| {peer} | " in better
        (release, where) = re.findall(rf"\n\| {peer} \| ([^|]+) \| ([^|]+) \|", sources)[0]
        assert re.search(r"\d\.\d", release), peer
        assert "https://github.com/" in where or "aif360" in where, peer


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def test_every_page_of_the_folder_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = set(re.findall(r"[\w/-]+\.md", nav))
    docs = ROOT / "docs"
    found = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    decisions = {page for page in found if re.match(r"decisions/\d", page)}
    assert found - decisions - listed == set()
    assert {page for page in listed if not Path(docs, page).is_file()} == set()
