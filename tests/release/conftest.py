"""The wheel and the source archive, built once, and the files that features are tried with."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.release.environments import (
    FRESH,
    Installed,
    brought,
    fresh,
    installed,
    linked,
    made,
    pip,
    site,
)

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Release:
    """What is released, and a place for environments that have it."""

    wheel: Path
    archive: Path
    folder: Path
    here: Installed

    def environment(self, extra: str = "", *, without: frozenset[str] = frozenset()) -> Path:
        """The Python of an environment with the wheel and an extra alone."""
        name = f"{extra or 'core'}{'-less' if without else ''}"
        if FRESH and not without:
            return fresh(self.folder / name, self.wheel, extra)
        names = brought(self.here, [extra] if extra else [])
        return linked(self.folder / name, self.here, names - without)


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The wheel and the archive of the tree as it is; the wheel is installed by pip, once."""
    folder = tmp_path_factory.mktemp("release")
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    pip(made(folder / "alone"), "--no-deps", "--no-index", str(wheel))
    here = installed() | installed(str(site(folder / "alone")))
    return Release(wheel, archive, folder, here)
