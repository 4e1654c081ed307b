"""What is in the wheel and in the source archive, how large they are, and what they say."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections import Counter
from email import message_from_bytes
from pathlib import PurePosixPath

from tests.release.conftest import ROOT, Release
from tests.release.test_extras import STATED

import ifonly

KINDS = {".py", ".typed", ".gz", ".csv", ".md", ".html", ".css", ".js", ".svg"}
"""What the package consists of: code, tables, letters, and the page as it is built."""
MOST = {"wheel": 2_000_000, "archive": 5_000_000}
"""The most bytes; RELEASING.md has the sizes."""


def names(release: Release) -> list[PurePosixPath]:
    with zipfile.ZipFile(release.wheel) as wheel:
        return [PurePosixPath(name) for name in wheel.namelist()]


def test_the_wheel_has_the_package_and_nothing_else(release: Release) -> None:
    tops = {name.parts[0] for name in names(release)}
    assert tops == {"ifonly", f"ifonly-{STATED['version']}.dist-info"}
    package = [name for name in names(release) if name.parts[0] == "ifonly"]
    assert {name.suffix for name in package} <= KINDS
    assert [name for name in package if {"tests", "node_modules", "web"} & set(name.parts)] == []
    here = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*.py")}
    assert {str(name) for name in package if name.suffix == ".py"} == set(map(str, here))


def test_the_wheel_has_no_test_data_and_no_source_maps(release: Release) -> None:
    tables = Counter(name.name for name in names(release) if name.suffix in (".gz", ".csv"))
    assert sorted(tables) == [
        *("adult.csv.gz", "compas.csv.gz", "german_credit.csv.gz", "reason_codes.csv")
    ]
    with zipfile.ZipFile(release.wheel) as wheel:
        for name in wheel.namelist():
            assert not name.endswith((".map", ".ts", ".svelte", ".pyc"))
            if name.endswith((".js", ".css")):
                assert b"sourceMappingURL" not in wheel.read(name)


def test_wheel_and_archive_are_small(release: Release) -> None:
    assert release.wheel.stat().st_size < MOST["wheel"]
    assert release.archive.stat().st_size < MOST["archive"]


def test_the_archive_builds_the_same_wheel(release: Release) -> None:
    with tarfile.open(release.archive) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"src/{name}" for name in names(release) if name.parts[0] == "ifonly"}
    assert wanted <= inside
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= inside
    assert not [name for name in inside if "node_modules" in name or name.endswith(".map")]


def test_the_version_is_stated_in_one_place(release: Release) -> None:
    version = STATED["version"]
    with zipfile.ZipFile(release.wheel) as wheel:
        said = message_from_bytes(wheel.read(f"ifonly-{version}.dist-info/METADATA"))
    assert said["Version"] == version
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    newest = re.search(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert cited
    assert newest
    assert cited[1] == newest[1] == version
    assert not [path for path in (ROOT / "src").rglob("*.py") if f'"{version}"' in path.read_text()]
    assert "__version__" in dir(ifonly)
