"""Requests to a server over HTTP: connections kept open, a few tries, and errors of ifonly's own.

A request is sent again where the connection broke before its reply was there. Those that leave
something on the server, records or a job, carry an Idempotency-Key: they count once.
"""

from __future__ import annotations

import http.client
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ifonly.errors import (
    DataError,
    IfonlyError,
    ModelError,
    OptionError,
    RuleError,
    ServiceError,
    TargetError,
)

TRIES = 4
"""How often a request is sent at the most."""
AGAIN = (409, 429, 503)
"""Replies after which a request is sent again, when the server says how soon."""
LONGEST = 30.0
"""The most seconds to wait before the next try."""
ERRORS: dict[str, type[IfonlyError]] = {
    "data": DataError,
    "option": OptionError,
    "target": TargetError,
    "rule": RuleError,
    "model": ModelError,
    "internal": ModelError,
    "request": OptionError,
    "limit": OptionError,
}
"""The error of each kind of problem; of all others it is a ServiceError."""


@dataclass(frozen=True, eq=False)
class Connection:
    """Where a server is, and who asks it."""

    url: str
    token: str | None = field(repr=False)
    timeout: float
    idle: list[http.client.HTTPConnection] = field(default_factory=list, repr=False)
    """Connections that are open, and that no thread uses."""

    def __post_init__(self) -> None:
        parts = urlsplit(str(self.url))
        try:
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable or parts.query or parts.username:
            where = re.sub("//.*@", "//…@", str(self.url))  # there may be a password
            hint = "Write it as in 'https://models.example:8443'."
            raise OptionError(f"{where!r:.100} is no address of a server.", hint)
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise OptionError("The token has characters that no token has.")

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> Any:
        """The JSON of a reply to JSON."""
        sent = None if body is None else json.dumps(body, allow_nan=False).encode()
        content = self.send(method, path, sent, key)
        try:
            return json.loads(content)
        except ValueError:
            raise ServiceError(
                f"The reply of {self.url} is not JSON.", "Is it a server of ifonly?"
            ) from None

    def send(self, method: str, path: str, body: bytes | None = None, key: str = "") -> bytes:
        """The content of a reply; a problem is raised as the error that it is."""
        headers = {"Accept": "application/json, application/problem+json, */*"}
        headers |= {"Authorization": f"Bearer {self.token}"} if self.token is not None else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        headers |= {"Idempotency-Key": key} if key else {}
        for last in (*[False] * (TRIES - 1), True):
            try:
                reply, content = self._once(method, path, body, headers)
            except (ConnectionRefusedError, TimeoutError) as error:
                raise self._unreachable(error) from error
            except (OSError, http.client.HTTPException) as error:
                if last:
                    raise self._unreachable(error) from error
                time.sleep(0.2)
                continue
            if reply.status < 300:
                return content
            wait = _seconds(reply.getheader("Retry-After"))
            if last or reply.status not in AGAIN or wait is None or wait > LONGEST:
                raise self._error(reply, content)
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        """Close what is open."""
        while self.idle:
            self.idle.pop().close()

    def __del__(self) -> None:
        self.close()

    def _once(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """A reply and its content, over a connection that is open or a new one."""
        parts = urlsplit(self.url)
        secure, plain = http.client.HTTPSConnection, http.client.HTTPConnection
        kind: type[http.client.HTTPConnection] = secure if parts.scheme == "https" else plain
        open_one = self.idle.pop() if self.idle else None
        one = open_one or kind(str(parts.hostname), parts.port, timeout=self.timeout)
        try:
            one.request(method, parts.path.rstrip("/") + path, body, headers)
            reply = one.getresponse()
            content = reply.read()
        except BaseException:
            one.close()
            raise
        if reply.will_close:
            one.close()
        else:
            self.idle.append(one)
        return reply, content

    def _unreachable(self, error: Exception) -> ServiceError:
        if isinstance(error, TimeoutError):
            made = ServiceError(
                f"{self.url} did not reply within {self.timeout:g} seconds.",
                "Ask with a budget, give connect(..., timeout=...), or submit(...) a job.",
            )
        else:
            reason = str(error) or type(error).__name__
            made = ServiceError(f"{self.url} cannot be reached: {reason}.", "Is it running?")
        made.passing = True
        return made

    def _error(self, reply: http.client.HTTPResponse, content: bytes) -> IfonlyError:
        """The error that a reply reports."""
        try:
            problem = json.loads(content)
            kind = str(problem["type"]).rpartition(":")[2]
            detail, hint = str(problem["detail"]), str(problem.get("hint", ""))
        except (ValueError, TypeError, KeyError, AttributeError):
            problem, kind, hint = {}, "", "Is it a server of ifonly?"
            detail = f"{self.url} replied {reply.status} {reply.reason}."
        if reply.status == 401:
            hint = hint or "Give connect(url, token=...) a token that the server knows."
        error = ERRORS.get(kind, ServiceError)(detail, hint)
        error.field = str(problem.get("field", ""))
        if isinstance(error, RuleError):
            error.place = problem.get("place")
        if isinstance(error, ServiceError):
            error.passing = reply.status in (429, 502, 503, 504)
        return error


def _seconds(text: str | None) -> float | None:
    """What Retry-After says; None where it says nothing, or a date."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else None
