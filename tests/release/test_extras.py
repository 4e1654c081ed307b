"""The wheel, in environments of their own: the core alone, and each extra alone.

Each environment has what the wheel asks for and nothing else; see environments.py. What an extra is
for is used once there, and in the core alone every feature names its extra.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sklearn.linear_model import LogisticRegression
from tests.release.conftest import ROOT, Release
from tests.release.environments import FRESH, brought
from tests.serve.store.postgres import running

FEATURES = Path(__file__).with_name("features.py")
STATED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEVELOPMENT = {"dev"}
EXTRAS = sorted(set(STATED["optional-dependencies"]) - DEVELOPMENT)
LARGE = {"delta", "mlflow", "ray", "spark"}
"""Not installed for tests: tried where pip installs (IFONLY_FRESH)."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of each kind of file."""
    folder = tmp_path_factory.mktemp("models")
    save_models(folder)
    return folder


@pytest.fixture
def files(models: Path, tmp_path: Path) -> Path:
    """A copy for one test: a run that another test completed would need no engine."""
    return shutil.copytree(models, tmp_path / "files")


@pytest.fixture
def database() -> Iterator[str]:
    with running() as url:
        yield url


@pytest.mark.parametrize("extra", ["", *EXTRAS], ids=lambda extra: extra or "core")
def test_the_wheel_with_one_extra_alone_has_its_feature(
    extra: str, release: Release, files: Path, request: pytest.FixtureRequest
) -> None:
    if extra in LARGE and not FRESH:
        pytest.skip(f"{extra} is large: make release-check FRESH=1 installs it")
    url = request.getfixturevalue("database") if extra == "postgres" else ""
    with release.environment(extra) as python:
        done = use(python, extra or "core", files, IFONLY_POSTGRES=url)
    assert done.returncode == 0, done.stderr


def test_the_core_alone_names_the_extra_of_every_feature(release: Release, files: Path) -> None:
    with release.environment() as python:
        done = use(python, "missing", files)
    assert done.returncode == 0, done.stderr
    ends = json.loads(done.stdout)
    assert ends.pop("core") == ""
    assert sorted(ends) == EXTRAS
    for extra in set(EXTRAS) - brought_anyway(release):
        said = ends[extra]
        assert f"pip install 'ifonly[{extra}]'" in said, f"{extra}: {said or 'it worked'}"
        assert "Traceback" not in said


def test_an_extra_that_the_core_brings_anyway_is_named_where_it_is_absent(
    release: Release, files: Path
) -> None:
    """Today's typer needs pydantic, and older ones do not."""
    for extra in brought_anyway(release):
        names = {Requirement(one).name for one in STATED["optional-dependencies"][extra]}
        with release.environment(without=frozenset(map(canonicalize_name, names))) as python:
            done = use(python, extra, files)
        assert done.returncode == 1
        assert f"pip install 'ifonly[{extra}]'" in done.stderr, done.stderr


def brought_anyway(release: Release) -> set[str]:
    """The extras whose packages other packages of the core need."""
    core = brought(release.here)
    return {one for one in EXTRAS if one not in LARGE and brought(release.here, [one]) == core}


def save_models(folder: Path) -> None:
    """A model of each kind of file, over the table of features.py."""
    import catboost
    import lightgbm
    import skops.io
    import xgboost
    from skl2onnx import to_onnx

    data = pd.DataFrame({"income": np.arange(10.0, 70), "debt": np.arange(60.0) % 7})
    granted = (data["income"] - 2 * data["debt"] > 35).astype(int)
    linear = LogisticRegression(max_iter=1000).fit(data, granted)
    skops.io.dump(linear, folder / "model.skops")
    graph = to_onnx(linear, data.to_numpy("float32"), options={"zipmap": False})
    (folder / "model.onnx").write_bytes(graph.SerializeToString())
    xgboost.XGBClassifier(n_estimators=10).fit(data, granted).save_model(folder / "model.ubj")
    small = {"n_estimators": 10, "min_child_samples": 5, "verbosity": -1}
    lightgbm.LGBMClassifier(**small).fit(data, granted).booster_.save_model(folder / "model.lgb")
    quiet = catboost.CatBoostClassifier(iterations=10, verbose=False, allow_writing_files=False)
    quiet.fit(data, granted).save_model(folder / "model.cbm")


def use(python: Path, name: str, files: Path, **environment: str) -> Any:
    """What came of the use of a feature by a Python."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [python, "-W", "error::DeprecationWarning:ifonly", FEATURES, name, files],
        capture_output=True,
        text=True,
        check=False,
        cwd=files,
        env={**kept, **environment},
    )
