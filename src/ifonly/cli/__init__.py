"""The command line: stdout is data, stderr is talk and progress.

Exit codes: 0 every row answered, 3 some rows without k answers, 2 bad input or usage, 4 the output
cannot be written, 130 interrupted. A request to end (SIGTERM) ends with 143 and writes nothing.
"""

from __future__ import annotations

import io
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def main(arguments: list[str] | None = None) -> None:
    """Run a command; an error of ifonly's own tree is shown without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # Data leave as UTF-8 whatever the locale; a terminal shows what it can.
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")
    try:
        with _stoppable():
            sys.exit(_run(arguments))
    except KeyboardInterrupt:  # before or after the command itself
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)


def _run(arguments: list[str] | None) -> Any:
    """The exit code of a command."""
    # Loading takes a second, in which a user may interrupt already.
    from ifonly.cli.app import app
    from ifonly.cli.messages import say, show_error
    from ifonly.cli.output import stdout_written
    from ifonly.errors import IfonlyError, OutputError

    def show(message: Any, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
        say(warnings.formatwarning(message, category, filename, lineno, "").rstrip())

    try:
        with warnings.catch_warnings(), stdout_written():
            warnings.showwarning = show  # type: ignore[assignment]
            try:
                words = sys.argv[1:] if arguments is None else arguments
                app(words, prog_name="ifonly", obj=words)  # a report says how to run it again
            except SystemExit as ended:
                code = ended.code
        return code
    except IfonlyError as error:
        show_error(error)
        return 4 if isinstance(error, OutputError) else 2


@contextmanager
def _stoppable() -> Iterator[None]:
    """A request to end is an exit like any other: what is half done is cleared away."""

    def leave(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
