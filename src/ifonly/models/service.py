"""What went wrong with a model behind a network.

The exceptions of requests, httpx, urllib, aiohttp and of clients built on them are recognised by
what they carry, an HTTP code or a name, so that none of these packages is imported.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

import numpy as np

from ifonly.errors import ModelError, PredictionError, ServiceError

LOST = {"ConnectionError", "ConnectError", "ConnectionFailed", "APIConnectionError"} | {
    *("Timeout", "TimeoutException", "TimeoutError", "TransportError", "NetworkError"),
    *("URLError", "ClientConnectionError", "HTTPException", "ProtocolError", "gaierror"),
}
"""The names of the classes of errors on the way to a service."""
HINTS = {
    401: "The service wants credentials: look at the key that the function sends.",
    403: "The service wants credentials: look at the key that the function sends.",
    404: "Look at the address that the function asks.",
    413: "Ask with fewer rows at a time: ifonly.as_model(f, ..., batch_rows=100).",
    429: "Ask with fewer rows at a time, as_model(f, ..., batch_rows=100), or later.",
}
PASSING = (408, 425, 429, 502, 503, 504)
"""The codes that may be others in a second."""
ABOUT_ROWS = (400, 413, 422, 500)
"""The codes that may be due to the rows that were sent: other rows are asked about again."""
PAUSES = (0.25, 0.5, 1.0)
"""The seconds before a request that was lost is made again."""

T = TypeVar("T")

SPLITS = 64
"""So many calls may look for the codes that a model fails for."""


def service_error(error: BaseException, rows: int) -> ModelError | None:
    """The error of a request of some rows; None where it was not one of a network."""
    cause: BaseException | None = error
    seen: list[BaseException] = []
    while cause is not None and cause not in seen:  # one that is raised again can lead to itself
        seen.append(cause)
        code, names = _code(cause), {kind.__name__ for kind in type(cause).__mro__}
        if code is not None:
            return _answered(code, rows)
        if names & LOST:
            lost = ServiceError(
                f"The model's service was not reached with {rows} rows: "
                f"{type(cause).__name__}: {cause}",
                "Look at the connection and at the address that the function asks.",
            )
            lost.passing = True
            return lost
        cause = cause.__cause__ or cause.__context__
    return None


def patient(ask: Callable[[], T], until: float | None = None) -> T:
    """What is answered; a request that was lost on the way is made again, after growing pauses.

    There is no pause that would end after `until`, on the clock of time.monotonic.
    """
    for pause in PAUSES:
        try:
            return ask()
        except ServiceError as error:
            if not error.passing or (until is not None and time.monotonic() + pause >= until):
                raise
        time.sleep(pause)
    return ask()


def _answered(code: int, rows: int) -> ModelError:
    """The error of an HTTP code."""
    known = code in HTTPStatus._value2member_map_
    text = f"HTTP {code} ({HTTPStatus(code).phrase})" if known else f"HTTP {code}"
    kind = PredictionError if code in ABOUT_ROWS else ServiceError
    error = kind(
        f"The model's service answered {text} to a request of {rows} rows.",
        HINTS.get(code, "The service refuses the request." if code < 500 else "Ask again later."),
    )
    if isinstance(error, ServiceError):
        error.passing = code in PASSING
    return error


def _code(error: BaseException) -> int | None:
    """The HTTP code that an exception carries, itself or in its response."""
    for holder in (getattr(error, "response", None), error):
        for name in ("status_code", "status", "code"):
            code = getattr(holder, name, None)
            if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600:
                return int(code)
    return None


def in_parts(ask: Callable[..., Any], codes: np.ndarray, said: np.ndarray) -> np.ndarray:
    """What is said of codes [n, d], but for those that the model fails for.

    The codes are split until these stand alone. A model that fails for more than a few raises
    its error: the rows asked are then searched in smaller groups, down to the single row.
    """
    waiting, calls = [np.arange(len(codes))], 0
    while waiting:
        rows = waiting.pop()
        calls += 1
        try:
            said[rows] = ask(codes=codes[rows], nothing=said[rows])
        except PredictionError:
            if calls > SPLITS:
                raise
            if len(rows) > 1:
                waiting += [rows[::2], rows[1::2]]
    return said
