"""A PostgreSQL server of the tests' own: started in a temporary folder, and stopped at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "16MB",
    "max_connections": "20",
    "autovacuum": "off",
    "fsync": "off",  # the server itself is not killed here
    "synchronous_commit": "off",  # a store sets it
    "log_min_messages": "fatal",
}


@contextmanager
def running() -> Iterator[str]:
    """The URL of a server without tables; it listens on a socket in its folder only."""
    programs = _programs()
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="ifonly-pg-"))  # a short path: sockets allow no other
    shutil.chown(folder, owner)
    data = folder / "data"
    initdb: list[Any] = [
        programs / "initdb",
        "-D",
        data,
        "-A",
        "trust",
        "-U",
        "postgres",
        "--no-sync",
    ]
    how: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL}
    how |= {"stderr": subprocess.DEVNULL} | ({"user": owner} if os.geteuid() == 0 else {})
    server = None
    try:
        subprocess.run([*initdb, "-E", "UTF8", "--locale=C", "--no-sync"], check=True, **how)
        options = [part for name in SETTINGS for part in ("-c", f"{name}={SETTINGS[name]}")]
        command: list[Any] = [programs / "postgres", "-D", data, "-k", folder, *options]
        server = subprocess.Popen(command, **how)
        _wait(folder / ".s.PGSQL.5432", server)
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        if server is not None:
            server.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed again
            server.wait(timeout=30)
        shutil.rmtree(folder)


def _programs() -> Path:
    """Where the programs of PostgreSQL are; it is not on PATH where Debian installs it."""
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if found is None and not places:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("PostgreSQL is not installed: apt-get install postgresql")
    return Path(found).parent if found is not None else places[-1]


def _owner() -> str:
    """Whom it runs as: it refuses to run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    names = {one.pw_name for one in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _wait(socket: Path, server: subprocess.Popen[Any]) -> None:
    """Wait until the server accepts connections."""
    import psycopg

    until = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(f"postgresql://postgres@/postgres?host={socket.parent}").close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.05)
