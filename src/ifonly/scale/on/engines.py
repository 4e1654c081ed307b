"""The engine that `on=` means."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ifonly.errors import OptionError
from ifonly.scale.on.dask import Dask
from ifonly.scale.on.devices import Devices, seen_devices
from ifonly.scale.on.local import Local
from ifonly.scale.on.ray import Ray
from ifonly.scale.on.runner import Runner
from ifonly.scale.on.spark import Spark, no_context
from ifonly.solve.workers.crew import count_of

KNOWN = (
    "'local', 'devices', 'dask', 'tcp://...', 'ray', 'ray://...', 'spark', 'spark://...', a Dask "
    "client, the package ray, a Spark session, or a runner of ifonly.scale.on"
)


def runner_of(on: Any, workers: int | str = "all") -> Runner:
    """The runner of an engine: by its name, an address, or what the engine is held by.

    >>> runner_of("ray://head:10001")
    Ray(address='ray://head:10001', gpus=0)
    """
    if isinstance(on, str):
        return _named(on, workers)
    package = on.__name__ if isinstance(on, ModuleType) else type(on).__module__.split(".")[0]
    if package == "distributed":
        return Dask(on)
    if package == "ray":
        return Ray()
    if package == "pyspark":
        return Spark(on)
    if not hasattr(on, "run"):
        raise OptionError(f"on={on!r} is no engine.", f"Known: {KNOWN}.")
    return on  # type: ignore[no-any-return]


def _named(on: str, workers: int | str) -> Runner:
    if on == "local":
        return Local(workers)
    if on == "devices":
        return Devices(seen_devices())
    if on == "dask" or on.startswith(("tcp://", "tls://", "ucx://", "ws://", "wss://")):
        return Dask("" if on == "dask" else on, count_of(workers))
    if on == "ray" or on.startswith("ray://"):
        return Ray("" if on == "ray" else on)
    if on == "spark" or on.startswith(("spark://", "local[", "k8s://", "yarn")):
        return Spark() if on == "spark" else Spark(on)
    if on.startswith("sc://"):
        raise no_context(on)
    raise OptionError(f"There is no engine {on!r}.", f"Known: {KNOWN}.")
