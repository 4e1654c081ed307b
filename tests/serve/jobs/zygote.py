"""Starts servers of jobs quickly: everything is imported once, and each server is a fork.

For every line of the standard input, which has a folder, the process id and the port of a new
server are printed.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path


def main() -> None:
    """Import everything, and fork a server for each line."""
    import pyarrow.parquet  # noqa: F401
    import uvicorn  # noqa: F401
    from standing import app_of  # type: ignore[import-not-found]  # noqa: F401

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork() == 0:
            serve(Path(line.strip()))
            os._exit(0)


def serve(folder: Path) -> None:
    """Answer jobs until this process is killed."""
    import uvicorn
    from standing import StandIn, app_of

    from ifonly.serve.jobs import JobLimits

    listening = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{os.getpid()} {listening.getsockname()[1]}\n")
    sys.stdout.flush()
    app = app_of(folder, StandIn(0.004), records=True, limits=JobLimits(lanes=2))
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listening])


if __name__ == "__main__":
    main()
