"""The wheel and the source archive, built once, and the files that features are tried with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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

    @contextmanager
    def environment(
        self, extra: str = "", *, without: frozenset[str] = frozenset()
    ) -> Iterator[Path]:
        """The Python of an environment with the wheel and an extra alone, until it is left.

        What pip installs is removed then: all extras together fill tens of gigabytes.
        """
        folder = self.folder / f"{extra or 'core'}{'-less' if without else ''}"
        try:
            if FRESH and not without:
                yield fresh(folder, self.wheel, extra)
            else:
                names = brought(self.here, [extra] if extra else [])
                yield linked(folder, self.here, names - without)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


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
