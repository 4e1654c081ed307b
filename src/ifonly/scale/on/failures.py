"""What an engine says when its workers cannot work, as errors that say what to do."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Iterator
from contextlib import contextmanager

from ifonly.errors import IfonlyError, ModelError, OptionError
from ifonly.scale.shard import Shard

PYTHON = {
    "Dask": "Start its workers with the Python of this process.",
    "Ray": "Start its nodes with the Python of this process, or `ray.init(runtime_env=...)`.",
    "Spark": "Set PYSPARK_PYTHON to this Python, {python}, before the session starts; on a "
    "cluster, ship an environment with `spark.archives`.",
}
"""How the workers of an engine get the right Python."""
TRIES = 3
"""So often a shard is given out whose workers die, where the engine does not count itself."""
DEATHS = (
    *("KilledWorker", "WorkerCrashedError", "OutOfMemoryError", "NodeDiedError"),
    "LocalRayletDiedError",
)
GONE = ("Python worker exited unexpectedly", "ExecutorLostFailure")
AGAIN = "Then start the same call again: what is done is kept."


def failure(
    engine: str, error: BaseException, python: str, shard: Shard | None = None
) -> IfonlyError:
    """The error of ours for what an engine raised, while it answered a shard if that is known."""
    said = str(error)
    if "JAVA_GATEWAY_EXITED" in said or "Java gateway process exited" in said:
        return OptionError(
            "Spark could not start its Java: there is none, or one that it cannot use.",
            "Install Java 17 (apt-get install openjdk-17-jre-headless), and have JAVA_HOME name "
            "its folder where there are others.",
        )
    other = "PYTHON_VERSION_MISMATCH" in said or re.search(r"Python \d+\.\d+\S* .*version", said)
    absent = re.search(r"No module named '([\w.]+)'", said)
    if other or absent:
        why = f"they have no module {absent[1]!r}" if absent else first(said)
        hint = PYTHON[engine].format(python=python)
        return OptionError(f"The workers of {engine} have another Python: {why}.", hint)
    if is_death(error):
        return deadly(shard, _tries(said), f"{engine} says: {_death(said)}")
    return ModelError(
        f"{engine} could not answer {shard or 'the rows'}: {type(error).__name__}: {_last(said)}",
        f"The log of {engine} may say more. {AGAIN}",
    )


def unreachable(engine: str, address: str, error: BaseException) -> OptionError:
    """The error of a cluster that does not answer."""
    return OptionError(
        f"{engine} cannot be reached at {address!r}: {type(error).__name__}: {first(str(error))}",
        "Is it running, is this its address, and may this machine connect to it?",
    )


def deadly(shard: Shard | None, tries: int, why: str) -> ModelError:
    """The error of a shard whose workers die, so often as it is tried."""
    return ModelError(
        f"A worker died each of the {tries} times that it had {shard or 'these rows'}; {why}"
        if tries > 1
        else f"A worker died that had {shard or 'these rows'}; {why}",
        "If memory was used up (SIGKILL is how a system ends a process that takes too much), give "
        "each worker more or start fewer; smaller shards (`shard_rows`) need a new folder. If the "
        f"model crashes, ask it about the rows of this shard alone to find the one. {AGAIN}",
    )


def is_death(error: BaseException) -> bool:
    """Whether an engine speaks of workers that are gone."""
    return type(error).__name__ in DEATHS or any(one in str(error) for one in GONE)


@contextmanager
def guarded(engine: str) -> Iterator[None]:
    """While an engine starts processes: one that runs the script again gets no workers."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise OptionError(
            f"{engine} could not start its workers: each of them runs the script again, which "
            "starts workers of its own.",
            "Put what the script does under `if __name__ == '__main__':`.",
        )
    try:
        yield
    except RuntimeError as error:
        raise OptionError(
            f"{engine} could not start its workers: {first(str(error))}",
            "If each of them runs the script again, put what it does under "
            "`if __name__ == '__main__':`.",
        ) from error


def _death(text: str) -> str:
    """The line that speaks of a worker that is gone, or the first."""
    lines = [line.strip() for line in text.splitlines()]
    found = next((line for line in lines if any(one in line for one in GONE)), first(text))
    return found.partition(". ")[0][:300]


def _tries(text: str) -> int:
    """How often an engine has tried, by its own words."""
    said = re.search(r"failed (\d+) times|on (\d+) different workers", text)
    return int(said[1] or said[2]) if said else 1


def first(text: str) -> str:
    """The first line of a text that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last(text: str) -> str:
    """The last line of a traceback."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
