"""A search that somebody watches: a bar where it can be seen, and Ctrl-C that keeps what is found.

The bar is one line of text on stderr, which terminals and notebooks both draw over. A thread draws
it, so that it lives during a long call of the model too; the thread reads counts and nothing else.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from ifonly.models.pace import Watch

AFTER = 2.0
"""The seconds after which a bar shows."""
EVERY = 0.25
"""The seconds between two drawings."""
WIDTH = 24
new_watch: ContextVar[Callable[[], Watch]] = ContextVar("new_watch", default=Watch)
"""What makes the watch of a question: whoever sets it holds the watch too, and may end it."""


@contextmanager
def watched(watch: Watch, progress: Any, *, keep: bool) -> Iterator[None]:
    """Show how far a question is; with `keep`, Ctrl-C ends it early."""
    with _ending(watch) if keep else nullcontext(), _drawn(watch, progress):
        yield


@contextmanager
def _ending(watch: Watch) -> Iterator[None]:
    """Ctrl-C is noted in the watch, for the search to see; a second one is Python's own."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # Python lets no other thread handle a signal; or Ctrl-C is ignored
        return

    def note(number: int, frame: Any) -> None:
        if watch.ended is not None or not watch.searching:
            before(number, frame)
        watch.ended = time.monotonic()

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _drawn(watch: Watch, progress: Any) -> Iterator[None]:
    """The bar, where it can be seen and nobody has said otherwise."""
    if progress is False or callable(progress) or not _seen():
        yield
        return
    over, began = threading.Event(), time.monotonic()
    thread = threading.Thread(target=_draw, args=(watch, began, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _draw(watch: Watch, began: float, over: threading.Event) -> None:
    """Draw until it is over, and clear the line."""
    if over.wait(AFTER):
        return
    width = 0
    while True:
        line = bar(watch, time.monotonic() - began)
        sys.stderr.write(f"\r{line:{width}}")
        sys.stderr.flush()
        width = len(line)
        if over.wait(EVERY):
            break
    sys.stderr.write(f"\r{'':{width}}\r")
    sys.stderr.flush()


def bar(watch: Watch, seconds: float) -> str:
    """One line that says how far it is.

    >>> bar(Watch(asked=20, done=5, calls=1200), 75.3)
    'Explaining rows ━━━━━━────────────────── 5/20, 1,200 model calls, 1:15'
    """
    full = WIDTH * watch.done // max(1, watch.asked)
    drawn = "━" * full + "─" * (WIDTH - full)
    minutes, rest = divmod(int(seconds), 60)
    calls = f"{watch.calls:,} model call{'' if watch.calls == 1 else 's'}"
    return f"Explaining rows {drawn} {watch.done}/{watch.asked}, {calls}, {minutes}:{rest:02}"


def _seen() -> bool:
    """Whether stderr is a terminal that draws, or the output of a notebook."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    if type(running).__name__ == "ZMQInteractiveShell":
        return True
    stream = sys.stderr
    return bool(stream) and stream.isatty() and os.environ.get("TERM") != "dumb"
