"""What travels to workers, what engines mean by `on=`, and devices, without any engine."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ifonly
from ifonly import scale
from ifonly.errors import DataError, ModelError, OptionError
from ifonly.scale.on.dask import Dask
from ifonly.scale.on.devices import Devices, seen_devices
from ifonly.scale.on.engines import runner_of
from ifonly.scale.on.failures import failure
from ifonly.scale.on.local import Local
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.on.ray import Ray
from ifonly.scale.on.spark import Spark

from .conftest import QUESTION, people


def test_a_parcel_is_opened_once_and_errors_of_ours_come_back_as_values(
    refused: Any, tmp_path: Path
) -> None:
    class Opened:
        """To open it makes a folder, which can be done once."""

        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "opened"),)

    def ask(number: int, _: Any = Opened()) -> int:  # noqa: B008
        if number < 0:
            raise DataError("below 0", "Give more.")
        return 10 // number

    parcel = Parcel.of(ask)
    assert [parcel.called(number) for number in (1, 2)] == [10, 5]
    assert (tmp_path / "opened").is_dir()
    told = parcel.called(-1)
    assert isinstance(told, DataError)
    refused(DataError, "below 0", hint="more", ask=lambda: taken(told))
    with pytest.raises(ZeroDivisionError):  # what is not ours is the engine's to try again
        parcel.called(0)


@pytest.mark.parametrize("name", ["ifonly", "Python", "scikit-learn"])
def test_another_version_is_refused_before_the_bytes_are_opened(name: str) -> None:
    parcel = Parcel.of(len)
    other = replace(
        parcel, content=b"no pickle", digest="-", versions={**parcel.versions, name: "9.9"}
    )
    told = other.called("")
    assert isinstance(told, ModelError)
    assert f"{name} " in told.message
    assert "not 9.9" in told.message


def test_what_a_worker_cannot_open_says_what_to_do() -> None:
    parcel = replace(Parcel.of(len), content=b"no pickle", digest="damaged")
    told = parcel.called("")
    assert isinstance(told, OptionError)
    assert "cannot open" in told.message
    assert "module that every worker can import" in told.hint


@pytest.mark.parametrize(
    ("on", "kind"),
    [
        ("local", Local),
        ("dask", Dask),
        ("tcp://head:8786", Dask),
        ("ray", Ray),
        ("ray://head:10001", Ray),
        ("spark", Spark),
        ("spark://head:7077", Spark),
        (Devices(("0",)), Devices),
    ],
)
def test_an_engine_is_named_by_a_word_an_address_or_a_runner(on: Any, kind: type) -> None:
    assert isinstance(runner_of(on, 2), kind)


def test_what_is_no_engine_is_refused(refused: Any) -> None:
    for on in ("rays", 7):
        refused(OptionError, repr(on), hint="'local', 'devices'", ask=lambda on=on: runner_of(on))
    connect = "sc://head:15002"
    refused(OptionError, connect, hint=r"scale\.spark\(", ask=lambda: runner_of(connect))


@pytest.mark.parametrize(
    ("engine", "said", "kind", "hint"),
    [
        ("Spark", "ModuleNotFoundError: No module named 'ifonly'", OptionError, "PYSPARK_PYTHON"),
        ("Spark", "[PYTHON_VERSION_MISMATCH] Python 3.9 and 3.11", OptionError, "PYSPARK_PYTHON"),
        ("Spark", "[JAVA_GATEWAY_EXITED] Java gateway process exited", OptionError, "Java 17"),
        ("Spark", "Python worker exited unexpectedly (crashed)", ModelError, "shard_rows"),
        ("Dask", "ModuleNotFoundError: No module named 'sklearn'", OptionError, "this process"),
        ("Ray", "something else", ModelError, "log of Ray"),
    ],
)
def test_what_an_engine_says_becomes_what_to_do(
    engine: str, said: str, kind: type, hint: str
) -> None:
    told = failure(engine, RuntimeError(said), "python")
    assert type(told) is kind
    assert hint in told.hint


@pytest.mark.parametrize(("stated", "names"), [("0,2", ("0", "2")), ("GPU-a", ("GPU-a",))])
def test_devices_are_those_that_this_process_may_use(
    stated: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", stated)
    assert seen_devices() == names


def test_without_a_device_the_error_says_where_to_look(
    refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    refused(OptionError, "no GPU", hint="nvidia-smi", ask=seen_devices)


def test_each_device_has_a_process_and_a_killed_one_is_replaced(
    deadly: Callable[..., None], lender: Any, tmp_path: Path
) -> None:
    """Two devices that are not there: each worker notes which one it sees."""
    seen = tmp_path / "seen"
    seen.mkdir()

    def make() -> ifonly.Explainer:
        (seen / f"{os.environ.get('CUDA_VISIBLE_DEVICES')} {os.getpid()}").touch()
        return lender  # type: ignore[no-any-return]

    people(60).to_parquet(tmp_path / "rows.parquet", index=False)
    options = {"out": tmp_path / "out", "on": Devices(("0", "7")), "shard_rows": 15}
    assert scale.explain(make, tmp_path / "rows.parquet", **options, **QUESTION).complete
    workers = [
        one.name.split() for one in seen.iterdir() if not one.name.endswith(f" {os.getpid()}")
    ]
    assert sorted(device for device, _ in workers) == ["0", "7"]
    deadly(Devices(("0", "7")))


def test_a_script_without_a_guard_is_told_to_have_one(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            from ifonly.scale.on.dask import Dask

            with Dask(workers=1)._connected():
                pass
            """
        )
    )
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "runs the script again" in done.stderr
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]
