"""The examples of the README and of the guides run as they are written."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ifonly
from ifonly.rules import parse

ROOT = Path(__file__).parent.parent
GUIDES = ROOT / "docs" / "guides"
ELSEWHERE = {"agents.md", "ask-a-server.md", "serve.md", "millions-of-rows.md"}
"""Guides whose examples ask a server or an engine: tests/serve and tests/scale run them."""
FOLDERS = ("docs", "docs/concepts", "docs/guides", "docs/how-to", "docs/reference")
FOUND = [
    ROOT / "README.md",
    *(one for name in FOLDERS for one in sorted((ROOT / name).glob("*.md"))),
]
PAGES = [
    one
    for one in FOUND
    if one.name not in ELSEWHERE and "```python" in one.read_text(encoding="utf-8")
]
"""Every page with examples; those of the tutorials are run where they are written."""
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```\n)?", re.DOTALL)
"""The code of an example and, right under it, what it prints where that is shown."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_the_examples_of_a_page_run_and_print_what_is_shown(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = EXAMPLE.findall(page.read_text(encoding="utf-8"))
    assert examples
    names: dict[str, object] = {}
    for code, shown in examples:
        exec(code, names)
        printed = capsys.readouterr().out
        if shown:
            assert [line.rstrip() for line in printed.rstrip().split("\n")] == shown.split("\n")[
                :-1
            ]
    answers = names.get("answers")
    assert answers is None or all(status.answered for status in answers.status)  # type: ignore[attr-defined]


def test_the_table_of_the_language_says_the_same_in_text_and_in_python() -> None:
    page = (GUIDES / "state-what-can-change.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `(.+?)` \| `(.+?)` \| ", page, re.MULTILINE)
    assert len(lines) > 25
    frame = ifonly.datasets.make_lender(300, seed=0).frame
    space = ifonly.Space.infer(frame)
    points = np.repeat(space.codes(frame)[None], 40, axis=0)
    x = points[0, :40]
    for text, python in lines:
        rule = parse(text, space)
        same = eval(python, vars(ifonly.rules))
        held = rule.holds(space, x, points)
        assert str(rule) == text
        assert 0 < held.mean() < 1, text
        assert np.array_equal(held, same.holds(space, x, points)), text


CONTRIBUTED = """
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
from ifonly.problem.pool import Pool
from ifonly.rules import Rule
from ifonly.rules.rule import feature_of
"""


def test_the_searcher_and_the_rule_of_the_contributors_page_keep_the_laws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r" {3}```python\n(.*?) {3}```", page, re.DOTALL)
    classes = [textwrap.dedent(code) for code in blocks if "class " in code]
    own: Any = ModuleType("contributed")
    monkeypatch.setitem(sys.modules, "contributed", own)  # so that it can be pickled
    exec("\n".join([CONTRIBUTED, *classes]), vars(own))
    problems = [ifonly.testing.random_problem(seed, q=3) for seed in (0, 1)]
    ifonly.testing.check_searcher(own.RandomPoints(count=50), problems)
    space = ifonly.Space.describe({"name": "age", "low": 18, "high": 80, "missing": True})
    ifonly.testing.check_rule(own.Even("age"), space)


OWN = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")]


@pytest.mark.parametrize("page", sorted(OWN), ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"
