"""What an engine says when its workers cannot work, as errors that say what to do."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Iterator
from contextlib import contextmanager

from ifonly.errors import IfonlyError, ModelError, OptionError

PYTHON = {
    "Dask": "Start its workers with the Python of this process.",
    "Ray": "Start its nodes with the Python of this process, or `ray.init(runtime_env=...)`.",
    "Spark": "Set PYSPARK_PYTHON to this Python, {python}, before the session starts; on a "
    "cluster, ship an environment with `spark.archives`.",
}
"""How the workers of an engine get the right Python."""
GONE = ("Python worker exited unexpectedly", "ExecutorLostFailure")
AGAIN = "Then start the same call again: what is done is kept."


def failure(engine: str, error: BaseException, python: str) -> IfonlyError:
    """The error of ours for what an engine raised."""
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
        why = f"they have no module {absent[1]!r}" if absent else _first(said)
        hint = PYTHON[engine].format(python=python)
        return OptionError(f"The workers of {engine} have another Python: {why}.", hint)
    if died(error):
        return ModelError(
            f"Workers of {engine} died, one after another, on the same rows: {_death(said)}",
            "If their memory was used up, give them more, or have fewer rows in a shard "
            f"(`shard_rows`); if the model crashes, ask about these rows in one process. {AGAIN}",
        )
    return ModelError(
        f"{engine} could not run the search: {type(error).__name__}: {_last(said)}",
        f"The log of {engine} may say more. {AGAIN}",
    )


def died(error: BaseException) -> bool:
    """Whether an engine speaks of workers that are gone."""
    names = {"KilledWorker", "WorkerCrashedError", "OutOfMemoryError", "NodeDiedError"}
    return type(error).__name__ in names or any(one in str(error) for one in GONE)


@contextmanager
def guarded(engine: str) -> Iterator[None]:
    """While an engine starts processes: one that runs the script again gets no workers."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise unguarded(engine)
    try:
        yield
    except RuntimeError as error:
        raise unguarded(engine) from error


def unguarded(engine: str) -> OptionError:
    """The error of a script whose workers run it again."""
    return OptionError(
        f"{engine} could not start its workers: each of them runs the script again, which starts "
        "workers of its own.",
        "Put what the script does under `if __name__ == '__main__':`.",
    )


def _death(text: str) -> str:
    """The line that speaks of a worker that is gone, or the first."""
    lines = [line.strip() for line in text.splitlines()]
    return next((line for line in lines if any(one in line for one in GONE)), _first(text))[:300]


def _first(text: str) -> str:
    """The first line of a text that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last(text: str) -> str:
    """The last line of a traceback."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
