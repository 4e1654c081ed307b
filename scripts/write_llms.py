"""Write `llms.txt` into the built site, and the Markdown of its pages beside them.

Programs that read text find there what each page is about: `python scripts/write_llms.py SITE`.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def main(site: Path) -> None:
    """Copy the pages, and write the list of them."""
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    lines = [f"# {told['site_name']}", "", f"> {told['site_description']}"]
    for section in told["nav"]:
        ((title, pages),) = section.items()
        lines += ["", f"## {title}", ""]
        for page in _pages(pages):
            lines.append(_line(page))
            (site / page).parent.mkdir(exist_ok=True)
            shutil.copy(DOCS / page, site / page)
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _pages(entry: Any) -> Iterator[str]:
    """The pages of an entry of the navigation."""
    if isinstance(entry, str):
        yield entry
    for one in (
        entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    ):
        yield from _pages(one)


def _line(page: str) -> str:
    """A page with its title and the start of its text; of docstrings, the built page is linked."""
    text = (DOCS / page).read_text(encoding="utf-8")
    title = text.split("\n", 1)[0].removeprefix("# ")
    said = " ".join(
        next(filter(_prose, re.split(r"\n\n|^#.*\n", text, flags=re.MULTILINE)[1:]), "").split()
    )
    first = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", re.split(r"\. |: ```", said)[0]).rstrip(".")
    built = page.replace("README.md", "index.md").removesuffix(".md") + ".html"
    link = built if "\n::: " in text else page
    return f"- [{title}]({link}): {first}." if first else f"- [{title}]({link})"


def _prose(part: str) -> bool:
    """Whether a part of a page is a paragraph of text."""
    start = part.strip()[:3]
    return start[:1].isalpha() or (start[:1] in "*`" and start != "```")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
