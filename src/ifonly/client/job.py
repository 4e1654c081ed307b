"""A job: many rows that a server answers by and by, also after the one who asked has left."""

from __future__ import annotations

import io
import json
import time
from os import PathLike
from typing import Any

from ifonly.answers import Answers
from ifonly.client.connection import Connection
from ifonly.client.join import answers_of
from ifonly.errors import MissingExtra, OptionError, ServiceError
from ifonly.render.destination import write_file
from ifonly.space.table.frame import Frame

ENDED = ("stopped", "failed", "done")


class Job:
    """A job of a server; `Client.submit` makes one, and `Client.job` finds one by its id.

    Parameters
    ----------
    connection
        Where the server is, and who asks it.
    name
        The id of the job.
    rows
        The rows that it was submitted with, where they are here.
    """

    def __init__(self, connection: Connection, name: str, rows: Frame | None = None) -> None:
        self.id = name
        self._connection = connection
        self._rows = rows
        self._content: bytes | None = None

    def __repr__(self) -> str:
        return f"<Job {self.id} of {self._connection.url}>"

    def progress(self) -> dict[str, Any]:
        """How far it is.

        Returns
        -------
        dict
            'state' ('queued', 'running', 'stopped', 'failed', 'done' or 'fetched'), 'reason',
            'rows', 'done', 'rows_per_second', 'seconds_left', and 'statuses' so far.

        Raises
        ------
        ServiceError
            The server does not know it, or cannot be reached.
        """
        said: dict[str, Any] = self._connection.ask("GET", f"/v1/jobs/{self.id}")
        return said

    def stop(self) -> None:
        """End it; the answers so far are its result.

        Raises
        ------
        ServiceError
            The server does not know it, or cannot be reached.
        """
        self._connection.ask("POST", f"/v1/jobs/{self.id}/stop", {}, f"stop-{self.id}")

    def wait(self, seconds: float | None = None) -> str:
        """Wait until it has ended.

        Parameters
        ----------
        seconds
            The most seconds to wait; None: as long as it takes.

        Returns
        -------
        str
            Its state, which is 'running' or 'queued' where the seconds are over.

        Raises
        ------
        ServiceError
            The server does not know it, or cannot be reached.
        """
        end = None if seconds is None else time.monotonic() + seconds
        pause = 0.05
        while True:
            state = str(self.progress()["state"])
            left = pause if end is None else end - time.monotonic()
            if state not in ("queued", "running") or left <= 0:
                return state
            time.sleep(min(pause, left))
            pause = min(2 * pause, 2.0)

    def result(self) -> Answers:
        """Wait until it has ended, and fetch its answers, which the server then deletes.

        Of a job that was stopped or has failed, these are the rows that were answered.

        Returns
        -------
        Answers

        Raises
        ------
        ServiceError
            It has no answers, or they were fetched before.
        MissingExtra
            pyarrow is not installed.
        """
        if self._rows is None:
            raise OptionError(
                "The rows of this job are not here.", "save(path) its result as a Parquet file."
            )
        try:
            import pyarrow.parquet
        except ImportError:
            raise MissingExtra("pyarrow", "parquet") from None
        table = pyarrow.parquet.read_table(io.BytesIO(self._fetched()))
        # Columns of the rows may have these names, too; ours come first, with underscores then.
        row, own = (
            next(name for name in table.column_names if name.lstrip("_") == wanted)
            for wanted in ("row", "answers")
        )
        lines = table.select([row, own]).filter(table[own].is_valid()).to_pydict()
        if not lines[own]:
            reason = self.progress()["reason"] or "It was stopped before the first."
            raise ServiceError(f"This job has no answers. {reason}")
        return answers_of([json.loads(one) for one in lines[own]], self._rows, lines[row])

    def save(self, path: str | PathLike[str]) -> None:
        """Wait until it has ended, and write its result to a Parquet file; the server deletes it.

        Parameters
        ----------
        path
            The file to write.

        Raises
        ------
        ServiceError
            It has no answers, or they were fetched before.
        OutputError
            The file cannot be written.
        """
        write_file(path, self._fetched())

    def _fetched(self) -> bytes:
        """The Parquet file of its result, which is fetched once."""
        if self._content is None:
            state = self.wait()
            if state not in ENDED:
                raise ServiceError(f"The result of this job is gone: it is {state!r}.")
            self._content = self._connection.send("GET", f"/v1/jobs/{self.id}/result")
        return self._content
