"""Object stores: a local one that speaks S3, and one that cannot keep two runs apart."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from moto.server import ThreadedMotoServer

from ifonly import scale
from ifonly.errors import OutputError
from ifonly.scale.manifest import NAME, plain_lines
from ifonly.scale.stores import objects
from ifonly.scale.stores.objects import Objects

from .conftest import Content, asked


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The URL of a bucket in a server on this machine."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patched.setenv(name, "testing")
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patched.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        fsspec.filesystem("s3").mkdir("bucket")
        yield "s3://bucket"
        fsspec.filesystem("s3").clear_instance_cache()
    server.stop()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "RENEW", 0.1)
    monkeypatch.setattr(objects, "LEASE", 0.6)
    monkeypatch.setattr(objects, "EVERY", 0.0)


def kept(store: Objects) -> Content:
    parts = {name: store.read(name) or b"" for name in store.names() if ".parquet" in name}
    return {**parts, NAME: repr(plain_lines(store.read(NAME) or b"")).encode()}


def test_a_run_from_objects_to_objects_is_that_of_folders(
    bucket: str, quick: None, explainer: Any, rows: Path, calm: tuple[Path, Content]
) -> None:
    files = fsspec.filesystem("s3")
    for path in rows.glob("*.parquet"):
        files.put_file(str(path), f"bucket/rows/{path.name}")
    out = f"{bucket}/out"
    run = asked(explainer, f"{bucket}/rows/*.parquet", out)
    store = Objects(out)
    assert kept(store) == calm[1]
    assert run.answers().status == scale.open_run(calm[0]).answers().status
    damaged = sorted(name for name in store.names() if ".parquet" in name)[2]
    store.write(damaged, b"damaged")
    store.remove(NAME)
    asked(explainer, f"{bucket}/rows", out)
    assert kept(store) == calm[1]
    assert [name for name in store.names() if "lock" in name] == ["lock-000002"]


def test_of_two_drivers_one_ends_and_a_dead_one_is_replaced(
    bucket: str, quick: None, refused: Any
) -> None:
    place = f"{bucket}/locked"
    with Objects(place).owned():
        ask = lambda: Objects(place).owned().__enter__()  # noqa: E731
        refused(OutputError, "process", hint="Wait until", ask=ask)
    with Objects(place).owned():
        pass
    dead = json.dumps({"owner": "process 1 of nowhere", "over": False, "beat": "0"}).encode()
    Objects(place).write("lock-000003", dead)
    with Objects(place).owned():
        assert Objects(place).names() == ["lock-000004"]


def test_a_driver_that_was_taken_over_ends_with_an_error(bucket: str, quick: None) -> None:
    store = Objects(f"{bucket}/taken")

    def taken() -> None:
        with store.owned():
            store.write("lock-000002", b"{}")
            time.sleep(0.5)

    with pytest.raises(OutputError, match="took over"):
        taken()


class Careless(MemoryFileSystem):
    """A store that creates what is there already."""

    protocol = "careless"

    def pipe_file(self, path: str, value: bytes, **_: Any) -> None:
        super().pipe_file(path, value, mode="overwrite")


def test_a_store_that_lets_two_create_one_object_is_refused(quick: None, refused: Any) -> None:
    fsspec.register_implementation("careless", Careless, clobber=True)
    ask = lambda: Objects("careless://out").owned().__enter__()  # noqa: E731
    refused(OutputError, "two runs could write", hint="If-None-Match", ask=ask)
