"""Environments that have exactly what the wheel asks for, made of links to what is installed here.

What an extra brings is read from the metadata as pip reads it: the requirements of the wheel, those
of what they name, and so on. These distributions are linked into a fresh environment, so that
everything else is really absent; that takes a second, where pip would download gigabytes.
With IFONLY_FRESH set, pip installs each environment from its index instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FRESH = bool(os.environ.get("IFONLY_FRESH"))
UNPINNED = frozenset({"mlflow"})
"""Extras that are not part of `all`, and want other versions than what is pinned with it."""
Installed = dict[str, Distribution]


def installed(folder: str = sysconfig.get_path("purelib")) -> Installed:
    """The distributions of a folder, by their names."""
    return {canonicalize_name(one.name): one for one in distributions(path=[folder])}


def brought(here: Installed, extras: Iterable[str] = ()) -> set[str]:
    """The names of what `ifonly[extras]` brings, itself among them.

    Raises
    ------
    LookupError
        Something is not installed, or not in a version that is asked for.
    """
    found: set[tuple[str, str]] = set()
    waiting = [("ifonly", extra) for extra in ("", *extras)]
    while waiting:
        name, extra = one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for text in here[name].requires or ():
            wanted = Requirement(text)
            if wanted.marker is not None and not wanted.marker.evaluate({"extra": extra}):
                continue
            key = canonicalize_name(wanted.name)
            if key not in here or not wanted.specifier.contains(here[key].version, True):
                raise LookupError(f"{name} needs {text}")
            waiting += [(key, part) for part in ("", *wanted.extras)]
    return {name for name, _ in found}


def linked(folder: Path, here: Installed, names: Iterable[str]) -> Path:
    """The Python of a new environment with these distributions alone.

    A folder that one distribution has for itself is one link, and so is each file of the others.
    """
    python, place = made(folder), site(folder)
    owners = owners_of(here)
    for name in names:
        for file in here[name].files or ():
            alone = len(owners[file.parts[0]]) == 1
            parts = file.parts[:1] if alone else file.parts
            target = place.joinpath(*parts)
            if parts[0] in ("..", "__pycache__") or target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(Path(str(here[name].locate_file("/".join(parts)))))
    return python


def owners_of(here: Installed) -> dict[str, set[str]]:
    """The distributions that have something in each file or folder of the first level."""
    owners: dict[str, set[str]] = {}
    for name, one in here.items():
        for first in {file.parts[0] for file in one.files or ()}:
            owners.setdefault(first, set()).add(name)
    return owners


def fresh(folder: Path, wheel: Path, extra: str = "") -> Path:
    """The Python of a new environment in which pip installed the wheel with an extra."""
    python = made(folder)
    constraints = ["--constraint", str(Path(__file__).parents[2] / "constraints.txt")]
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    pip(python, *([] if extra in UNPINNED else constraints), wanted)
    return python


def made(folder: Path) -> Path:
    """The Python of an empty environment."""
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


def site(folder: Path) -> Path:
    """Where the packages of an environment are."""
    return (
        folder
        / "lib"
        / f"python{sys.version_info.major}.{sys.version_info.minor}"
        / "site-packages"
    )


def pip(python: Path, *arguments: str) -> None:
    """Let pip install something into an environment."""
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", *options]
    subprocess.run([*command, *arguments], check=True)
