"""What runs in a worker: a process of its own that answers chunks, with one thread for the model.

A file holds the work. A worker opens it once; when it is gone, the search is over.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ifonly.errors import OptionError, PredictionError, ServiceError
from ifonly.models.pace import Watch
from ifonly.solve.pose import Batch
from ifonly.solve.statuses import Part
from ifonly.solve.workers.work import Work

T = TypeVar("T")
EVERY = 0.05
"""The seconds between two looks at whether the search goes on."""
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1"
    for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR", "RAYON")
} | {"VECLIB_MAXIMUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
"""What a worker's environment says to the libraries of models before they are loaded."""
FRESH = (threading.Lock, threading.RLock, threading.local)
"""What is of one process alone: a copy gets its own."""
CALLS = ".calls"
"""The ending of the file that is as many bytes long as the workers have called the model."""


@dataclass(frozen=True)
class Report:
    """What a worker says of a chunk."""

    found: Part | Exception
    rows: int
    """How many rows its model was asked about."""
    calls: int
    others: int
    promised: list[Any]
    """What the model has not confirmed yet."""
    confirmed: np.ndarray | None
    """What it has said of what it has confirmed."""
    lost: ServiceError | None
    warned: list[tuple[Any, ...]]


def brought(package: str) -> Any:
    """A package that scikit-learn brings along: inside joblib, or beside it."""
    try:
        return import_module(f"joblib.externals.{package}")
    except ImportError:
        return import_module(package)


def send(work: Any, path: Path) -> None:
    """Write work to a file that workers can open."""
    try:
        content = packed(work)
    except Exception as error:
        raise unsendable("model", error) from error
    path.write_bytes(content)


def packed(thing: Any) -> bytes:
    """Something for other processes, which `unpacked` opens there.

    Functions go by their code, and each process has its own locks. Threads that an estimator would
    start for itself are noted, so that a worker can forbid them.
    """
    learn, content = sys.modules.get("sklearn"), io.BytesIO()
    pickler, threaded = _pickler(content)
    pickler.dump((thing, None if learn is None else learn.get_config()))
    pickler.dump(threaded.copy())  # the same objects: the first dump is referred to
    return content.getvalue()


def unpacked(content: bytes) -> Any:
    """What `packed` was given, with scikit-learn set as it was there; it starts no threads."""
    unpickler = pickle.Unpickler(io.BytesIO(content))  # written by `packed`, for this user alone
    (thing, config), threaded = unpickler.load(), unpickler.load()
    if config is not None:
        import_module("sklearn").set_config(**config)
    _limit_threads(threaded)
    return thing


def _pickler(file: Any) -> tuple[Any, list[Any]]:
    """What writes to a file, and the list of what it has met that would start threads."""
    threaded: list[Any] = []
    whole: Any = brought("cloudpickle").CloudPickler

    class Pickler(whole):  # type: ignore[misc]
        dispatch_table = whole.dispatch_table.new_child(
            {type(make()): lambda _, make=make: (make, ()) for make in FRESH}
        )

        def persistent_id(self, part: Any) -> None:
            booster = type(part).__module__ == "xgboost.core"
            own = "n_jobs" in getattr(part, "__dict__", ()) and not isinstance(part, type)
            if booster or own:
                threaded.append(part)

    return Pickler(file, protocol=5), threaded


@contextmanager
def environment_kept(names: Iterable[str]) -> Iterator[None]:
    """Take back in the end what these variables of the environment are set to inside."""
    before = {name: os.environ.get(name) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def use_one_thread(opened: T) -> T:
    """Something that was opened in this process, whose estimators start no threads any longer."""
    pickler, threaded = _pickler(_Nowhere())
    with suppress(Exception):  # of what cannot be pickled: what it has met before is known
        pickler.dump(opened)
    _limit_threads(threaded)
    return opened


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, content: Any) -> None:
        """Forget it."""


def _limit_threads(threaded: Iterable[Any]) -> None:
    if "sklearn" in sys.modules:
        import_module("joblib").parallel_config("sequential")  # whatever n_jobs says
    for one in threaded:
        if hasattr(one, "n_jobs"):
            one.n_jobs = 1
        elif hasattr(one, "set_param"):
            one.set_param({"nthread": 1})


def unsendable(what: str, error: Exception) -> OptionError:
    """The error of what cannot be sent to workers."""
    return OptionError(
        f"The {what} cannot be sent to worker processes: {type(error).__name__}: {error}",
        "Leave `workers` out. Or give the path of a saved model, or a function that opens what it "
        "needs (a file, a connection, a session) when it is first called.",
    )


def begin(parent: int) -> None:
    """Start a worker: Ctrl-C is not for it, and it does not outlive the process that started it."""

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # elsewhere a process keeps the number of its parent
        threading.Thread(target=follow, daemon=True).start()


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that are started inside do not hear Ctrl-C: this one decides what it ends."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it starts, it lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(path: str, batch: Batch, budget: tuple[int | None, int], promised: list[Any]) -> Any:
    """What is found for a batch, as `Report`; None where the time was over before.

    The budget is how many model rows it may cost, and how many of them are the judge's.
    """
    work = opened(path)
    if work is None:
        return None
    assert isinstance(work, Work)
    model = work.model
    (model.most_rows, model.reserved), model.promised = budget, promised
    model.rows, model.calls, model.others, model.confirmed = 0, 0, 0, None
    if model.late:
        return None
    with _followed(model.watch, Path(path)), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        try:
            found: Part | Exception = work.answer(batch, np.arange(len(batch.x)))
        except Exception as error:
            found = _sendable(error)
    warned = [(str(one.message), one.category, one.filename, one.lineno) for one in said]
    counts = model.rows, model.calls, model.others
    said_now = model.promised, model.confirmed
    return Report(found, *counts, *said_now, model.watch.lost, warned)


@lru_cache(maxsize=1)
def opened(path: str) -> Any:
    """The work in a file, opened once; None where the file is gone."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    gc.unfreeze()
    try:
        work = unpacked(content)
    except Exception as error:
        raise OptionError(
            f"The model cannot be opened in a worker process: {type(error).__name__}: {error}",
            "Leave `workers` out, or put its classes and functions into a module that can be "
            "imported.",
        ) from error
    gc.freeze()  # loky collects every second: without it, a tenth of the time
    return work


@contextmanager
def _followed(watch: Watch, path: Path) -> Iterator[None]:
    """While a search runs: note in the watch when it is over, and report its model calls."""
    over, told = threading.Event(), [watch.calls]

    def tell() -> None:
        new = watch.calls - told[0]
        if new > 0:
            with path.with_suffix(CALLS).open("ab") as file:
                file.write(b"." * new)
            told[0] = watch.calls

    def follow() -> None:
        while not over.wait(EVERY):
            if path.exists():
                tell()
            elif watch.ended is None:
                watch.ended = time.monotonic()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if path.exists():
            tell()


def _sendable(error: Exception) -> Exception:
    """The error, or its text where it cannot travel; with where it was raised."""
    cloudpickle = brought("cloudpickle")
    error.add_note(f"In a worker process:\n{''.join(traceback.format_exception(error))}")
    try:
        cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        return PredictionError(f"{type(error).__name__}: {error}")
    return error
